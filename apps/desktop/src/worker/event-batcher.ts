import type { Clock, ViewerEvent } from '@heliograph/client';

/** One message to the page costs more than an event in it: they go together, at most one message per frame. */
const FRAME_MS = 16;

/** Collects viewer events. The first after quiet goes at once, the rest once per frame, in order. */
export class EventBatcher {
  readonly #clock: Clock;
  readonly #post: (events: readonly ViewerEvent[]) => void;
  #waiting: ViewerEvent[] = [];
  #isOpen = true;

  constructor(clock: Clock, post: (events: readonly ViewerEvent[]) => void) {
    this.#clock = clock;
    this.#post = post;
  }

  add(event: ViewerEvent): void {
    this.#waiting.push(event);
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // After the call that made it has returned: what the page must hear first (a control's requestId) goes first.
    void Promise.resolve().then(() => this.#flush());
  }

  /** Posts what waits now: what is posted next speaks of it. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#post(events);
  }

  #flush(): void {
    if (this.#waiting.length === 0) {
      this.#isOpen = true;
      return;
    }
    const events = this.#waiting;
    this.#waiting = [];
    this.#post(events);
    this.#clock.setTimer(FRAME_MS, () => this.#flush());
  }
}
