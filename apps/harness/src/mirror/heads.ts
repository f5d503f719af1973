import type { Clock } from '@heliograph/client';
import type { StreamHead } from '@heliograph/wire';

/** After a stream went quiet, and then for all streams over and over: a lost tail is noticed (HA18). */
const QUIET_MS = [1_000, 5_000];
const EVERY_MS = 60_000;

/** Knows where each stream stands and says when to tell it. */
export class HeadsTeller {
  readonly #clock: Clock;
  readonly #tell: (heads: readonly StreamHead[]) => void;
  readonly #heads = new Map<string, StreamHead>();
  readonly #quiet = new Map<string, () => void>();
  #cancelEvery: () => void;
  #closed = false;

  constructor(clock: Clock, tell: (heads: readonly StreamHead[]) => void) {
    this.#clock = clock;
    this.#tell = tell;
    this.#cancelEvery = this.#everyMinute();
  }

  /** All streams' heads. */
  all(): readonly StreamHead[] {
    return [...this.#heads.values()];
  }

  note(head: StreamHead): void {
    this.#heads.set(head.stream, head);
    if (this.#closed) return;
    this.#quiet.get(head.stream)?.();
    this.#afterQuiet(head.stream, 0);
  }

  /** A stream has ended: its last event told where. */
  forget(stream: string): void {
    this.#quiet.get(stream)?.();
    this.#quiet.delete(stream);
    this.#heads.delete(stream);
  }

  /** Tells nothing more by itself; heads are still noted. */
  close(): void {
    this.#closed = true;
    this.#cancelEvery();
    for (const cancel of this.#quiet.values()) cancel();
  }

  #afterQuiet(stream: string, step: number): void {
    const delayMs = (QUIET_MS[step] ?? 0) - (QUIET_MS[step - 1] ?? 0);
    const cancel = this.#clock.setTimer(delayMs, () => {
      this.#tell([this.#heads.get(stream) as StreamHead]);
      if (step + 1 < QUIET_MS.length) this.#afterQuiet(stream, step + 1);
    });
    this.#quiet.set(stream, cancel);
  }

  #everyMinute(): () => void {
    return this.#clock.setTimer(EVERY_MS, () => {
      if (this.#heads.size > 0) this.#tell(this.all());
      this.#cancelEvery = this.#everyMinute();
    });
  }
}
