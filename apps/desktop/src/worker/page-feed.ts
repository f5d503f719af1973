import type { PageEvent } from './session-told.ts';

export interface PageFeedOptions {
  readonly post: (events: readonly PageEvent[]) => void;
  /** What is to be told of sessions, as of now; asked only when it is sent. */
  readonly changes: () => readonly PageEvent[];
}

/**
 * What the page is told, at its own pace: the first after quiet at once, then, each time it has painted, all that came
 * meanwhile in one message. A page that paints slowly is told less often, never later than it can show.
 */
export class PageFeed {
  readonly #options: PageFeedOptions;
  #waiting: PageEvent[] = [];
  #hasNews = false;
  /** The page was told something and has not painted it. */
  #isPainting = false;
  #isDue = false;

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

  /** The page shows what it was told. */
  painted(): void {
    this.#isPainting = false;
    this.flush();
  }

  /** Posts what waits now: what is posted next speaks of it. */
  flush(): void {
    if (this.#waiting.length === 0 && !this.#hasNews) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#hasNews = false;
    for (const event of this.#options.changes()) events.push(event);
    if (events.length === 0) return;
    this.#isPainting = true;
    this.#options.post(events);
  }

  #begin(): void {
    if (this.#isPainting || this.#isDue) return;
    this.#isDue = true;
    // After the call that made it has returned: what the page must hear first (a control's requestId) goes first.
    void Promise.resolve().then(() => {
      this.#isDue = false;
      if (!this.#isPainting) this.flush();
    });
  }
}
