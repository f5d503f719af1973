import type { Clock } from '@heliograph/client';
import type { PageEvent } from './session-told.ts';

/** The page rests so many times as long as it took to show what it was told: typing and scrolling have that time … */
const REST_SHARE = 4;
/** … and however slow it is, it is told so often. */
const MAX_REST_MS = 250;

export interface PageFeedOptions {
  readonly clock: Clock;
  readonly post: (events: readonly PageEvent[]) => void;
  /** What is to be told of sessions, as of now; asked only when it is sent. */
  readonly changes: () => readonly PageEvent[];
}

/**
 * What the page is told, at its own pace: the first after quiet at once, then, each time it has painted and rested, all
 * that came meanwhile in one message. A page that paints slowly is told less often, never later than it can show.
 */
export class PageFeed {
  readonly #options: PageFeedOptions;
  #waiting: PageEvent[] = [];
  #hasNews = false;
  /** The page was told something and has not painted it, or rests from it. */
  #isBusy = false;
  #isDue = false;
  #endRest: (() => void) | undefined;

  constructor(options: PageFeedOptions) {
    this.#options = options;
  }

  add(event: PageEvent): void {
    this.#waiting.push(event);
    this.#begin();
  }

  /** Sessions changed. */
  changed(): void {
    this.#hasNews = true;
    this.#begin();
  }

  /** The page shows what it was told, which took it so long. */
  painted(tookMs: number): void {
    this.#endRest?.();
    const restMs = Math.min(tookMs * REST_SHARE, MAX_REST_MS);
    this.#endRest = this.#options.clock.setTimer(restMs, () => {
      this.#endRest = undefined;
      this.#isBusy = false;
      this.flush();
    });
  }

  /** Posts what waits now: what is posted next speaks of it. */
  flush(): void {
    if (this.#waiting.length === 0 && !this.#hasNews) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#hasNews = false;
    for (const event of this.#options.changes()) events.push(event);
    if (events.length === 0) return;
    this.#isBusy = true;
    // What it rested from is not the last that it is told.
    this.#endRest?.();
    this.#endRest = undefined;
    this.#options.post(events);
  }

  #begin(): void {
    if (this.#isBusy || this.#isDue) return;
    this.#isDue = true;
    // After the call that made it has returned: what the page must hear first (a control's requestId) goes first.
    void Promise.resolve().then(() => {
      this.#isDue = false;
      if (!this.#isBusy) this.flush();
    });
  }
}
