import type { Clock } from '@heliograph/client';
import type { Slices } from './slices.ts';
import type { Standing } from './standing.ts';

/** A session that grows is searched again no sooner than this after the last time. */
const AGAIN_MS = 250;
/** While a first search is under way, what it has found so far is told this often. */
const TELL_MS = 150;

export interface StandingSearchOptions {
  readonly agent: string;
  readonly clock: Clock;
  readonly slices: Slices;
  /** Begins to look through all that is here now. */
  readonly run: () => Iterator<unknown, unknown>;
  readonly tell: (isDone: boolean) => void;
}

/** A search that goes on: over what is here, and again when there is more. At most one run at a time. */
export class StandingSearch implements Standing {
  readonly agent: string;
  readonly #options: StandingSearchOptions;
  #state: 'idle' | 'running' | 'again' | 'stopped' = 'idle';
  #giveUp: (() => void) | undefined;
  #toldMs = 0;
  #wasDone = false;

  constructor(options: StandingSearchOptions) {
    this.agent = options.agent;
    this.#options = options;
  }

  changed(): void {
    if (this.#state === 'running') this.#state = 'again';
    if (this.#state === 'idle') this.#run();
  }

  receive(): void {}

  stop(): void {
    this.#state = 'stopped';
    this.#giveUp?.();
  }

  #run(): void {
    const { clock, slices, run, tell } = this.#options;
    this.#state = 'running';
    this.#toldMs = clock.nowMs();
    this.#giveUp = slices.start(run(), (isDone) => {
      // Once all was looked through, half of a second look would be less than what is known.
      const isDue = isDone || (!this.#wasDone && clock.nowMs() - this.#toldMs >= TELL_MS);
      if (!isDue) return;
      this.#toldMs = clock.nowMs();
      tell(isDone);
      if (isDone) this.#rest();
    });
  }

  #rest(): void {
    this.#wasDone = true;
    this.#giveUp = this.#options.clock.setTimer(AGAIN_MS, () => {
      const isDue = this.#state === 'again';
      if (this.#state !== 'stopped') this.#state = 'idle';
      if (isDue) this.#run();
    });
  }
}
