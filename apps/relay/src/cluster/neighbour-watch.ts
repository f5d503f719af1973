import { attempt, type RelayStore } from '@heliograph/relay';
import type { Log } from '../log.ts';

const INTERVAL_MS = 5_000;

/**
 * Looks for other relays on the same database that this one does not tell what it takes, or that don't tell it: their
 * subscribers would see what is stored and nothing of what comes. It is not refused, because a relay that takes another's
 * place may start before that one is gone.
 */
export class NeighbourWatch {
  readonly #find: NonNullable<RelayStore['neighbours']>;
  readonly #isJoined: boolean;
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #isLooking = false;
  #problem: string | undefined;

  constructor(find: NonNullable<RelayStore['neighbours']>, isJoined: boolean, log: Log) {
    this.#find = find;
    this.#isJoined = isJoined;
    this.#log = log;
    this.#timer = setInterval(() => void this.#look(), INTERVAL_MS);
    void this.#look();
  }

  /** What is wrong with who else is there, and the mend; undefined when nothing is. */
  get problem(): string | undefined {
    return this.#problem;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const found = await attempt(() => this.#find());
    this.#isLooking = false;
    // A database that is away is told of by those who need it.
    if (!found.ok) return;
    const { joined, apart } = found.value;
    const others = this.#isJoined ? apart : joined + apart;
    const problem = others === 0 ? undefined : describe(others, this.#isJoined);
    if (problem !== undefined && problem !== this.#problem) this.#log.error({ joined, apart }, problem);
    if (problem === undefined && this.#problem !== undefined) {
      this.#log.info({}, 'no other relay uses this database without --nats any more');
    }
    this.#problem = problem;
  }
}

function describe(others: number, isJoined: boolean): string {
  const relays = others === 1 ? 'another relay uses' : `${others} other relays use`;
  const without = isJoined ? 'without --nats' : 'and this one has no --nats';
  return `${relays} this database ${without}: what is published on one does not reach who listens on another. Start all of them with the same --nats nats://HOST:4222, or stop all but one`;
}
