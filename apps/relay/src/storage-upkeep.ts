import {
  attempt,
  type Decisions,
  type RelayStore,
  type RetentionRule,
  readDecisions,
  whenReady,
} from '@heliograph/relay';
import type { Result } from '@heliograph/wire';
import type { Log } from './log.ts';
import { describeFault } from './log-report.ts';
import type { Metrics } from './metrics.ts';

/** What is done for a storage while a relay runs on it. */
export interface StorageUpkeepOptions {
  readonly store: RelayStore;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Read at every sweep, so that it may change. */
  readonly retention: () => readonly RetentionRule[];
  /** What the operator had decided when the relay was started. */
  readonly decisions: Decisions;
  /** The operator decided something else. */
  readonly onDecisions: (decisions: Decisions) => void;
}

/** What one sweep takes away at most: about a millisecond of work, once a second. */
const MAX_SWEPT = 200;

/** Looks after a relay's storage: notices what another process decided, and sweeps what is over. */
export class StorageUpkeep {
  readonly #options: StorageUpkeepOptions;
  #decisions: Decisions;
  #isLooking = false;
  #isSweeping = false;
  readonly #failing = new Set<string>();

  constructor(options: StorageUpkeepOptions) {
    this.#options = options;
    this.#decisions = options.decisions;
  }

  /** What the operator decided, as it is in force. */
  get decisions(): Decisions {
    return this.#decisions;
  }

  /** A second passed. One look and one sweep at a time, however late the store answers. */
  tick(): void {
    this.#lookForDecisions();
    this.#sweep();
  }

  /** Reads the operator's decisions and puts them in force. */
  async applyAccess(): Promise<void> {
    const read = await attempt(() => readDecisions(this.#options.store.access));
    this.#tellOnce('decisions', read);
    if (!read.ok) return;
    this.#decisions = read.value;
    this.#options.onDecisions(read.value);
  }

  #lookForDecisions(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const version = attempt(() => this.#options.store.access.version());
    void whenReady(version, (result) => {
      this.#isLooking = false;
      this.#tellOnce('decisions', result);
      if (result.ok && result.value !== this.#decisions.version) void this.applyAccess();
    });
  }

  #sweep(): void {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    const { store, retention, metrics } = this.#options;
    const nowSec = Math.floor(Date.now() / 1_000);
    const swept = attempt(() => store.sweep({ nowSec, retention: retention(), maxEvents: MAX_SWEPT }));
    void whenReady(swept, (result) => {
      this.#isSweeping = false;
      this.#tellOnce('sweep', result);
      if (result.ok && result.value > 0) metrics.add('swept_total', '', result.value);
    });
  }

  /** What is done every second and fails is told when that begins and when it is over. */
  #tellOnce(work: 'decisions' | 'sweep', result: Result<unknown, unknown>): void {
    const { log, store } = this.#options;
    if (result.ok) {
      if (this.#failing.delete(work)) log.info({ work }, 'the storage is looked after again');
    } else if (!this.#failing.has(work)) {
      this.#failing.add(work);
      log.error({ work, ...describeFault(result.error), ...store.place }, 'the storage could not be looked after');
    }
  }
}
