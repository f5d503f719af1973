import type { Clock } from '@heliograph/client';

/** How long one piece of work may hold up everything else in its thread. */
const SLICE_MS = 8;

/** Work that is done in slices, one job after the other in turns, so that nothing else in the thread waits for it. */
export class Slices {
  readonly #clock: Clock;
  readonly #jobs = new Set<{
    readonly work: Iterator<unknown, unknown>;
    readonly onSlice: (isDone: boolean) => void;
  }>();
  #isRunning = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `onSlice` is told after each slice, and that it was the last. Returns what gives the work up. */
  start(work: Iterator<unknown, unknown>, onSlice: (isDone: boolean) => void): () => void {
    const job = { work, onSlice };
    this.#jobs.add(job);
    if (!this.#isRunning) {
      this.#isRunning = true;
      this.#clock.setTimer(0, () => this.#run());
    }
    return () => {
      this.#jobs.delete(job);
    };
  }

  #run(): void {
    for (const job of this.#jobs) {
      const endMs = this.#clock.nowMs() + SLICE_MS;
      let isDone = true;
      try {
        do isDone = job.work.next().done === true;
        while (!isDone && this.#clock.nowMs() < endMs);
        job.onSlice(isDone);
      } catch (cause) {
        // One that fails must not hold up the others; it is told as any fault of this thread is.
        isDone = true;
        this.#clock.setTimer(0, () => {
          throw cause;
        });
      }
      if (isDone) this.#jobs.delete(job);
    }
    this.#isRunning = this.#jobs.size > 0;
    if (this.#isRunning) this.#clock.setTimer(0, () => this.#run());
  }
}
