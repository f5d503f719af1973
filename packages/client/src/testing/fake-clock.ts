import type { Clock } from '../clock.ts';

/** A clock that moves only when told; timers fire in order, and promises settle in between. */
export class FakeClock implements Clock {
  #now: number;
  #timers: { at: number; order: number; fire: () => void }[] = [];
  #order = 0;

  constructor(startMs: number) {
    this.#now = startMs;
  }

  nowMs(): number {
    return this.#now;
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    const timer = { at: this.#now + delayMs, order: this.#order++, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((t) => t !== timer);
    };
  }

  /** Lets everything that is already settled run on. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  }

  async advance(byMs: number): Promise<void> {
    const until = this.#now + byMs;
    await this.settle();
    for (;;) {
      const next = this.#timers.filter((t) => t.at <= until).sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((t) => t !== next);
      this.#now = Math.max(this.#now, next.at);
      next.fire();
      await this.settle();
    }
    this.#now = until;
    await this.settle();
  }
}
