import { attempt, type EventStore, type StoreEffect, type WriteOutcome, whenReady } from '@heliograph/relay';

/** What a queue writes to, and whom it tells. */
export interface CommitQueueOptions {
  readonly store: Pick<EventStore, 'write'>;
  /** An event is committed, or failed and left nothing behind. */
  readonly settle: (request: StoreEffect, outcome: WriteOutcome | 'failed') => void;
  /** Why so many events could not be stored. */
  readonly failed: (cause: unknown, events: number) => void;
}

/** Text of events that waits for a store to answer; what is over it is refused. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** What one transaction holds at most. */
const MAX_BATCH = 1_000;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** For so many turns of the event loop a transaction waits for more. */
const MAX_TURNS = 4;

/**
 * Group commit: one transaction at a time for all that waits, so a disk's flush is shared. A store that answers in the
 * same step is done in the same step; one that answers late gathers the next batch meanwhile.
 */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  #waiting: StoreEffect[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  /** How many waited at the end of the last turn, and since how many turns some do. */
  #seen = 0;
  #turns = 0;

  constructor(options: CommitQueueOptions) {
    this.#options = options;
  }

  /** Queues one event; `commit` begins to write. */
  add(request: StoreEffect): void {
    const bytes = request.event.json.length;
    if (this.#waiting.length > 0 && this.#waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.#options.failed(new Error('too many events wait for the storage'), 1);
      this.#options.settle(request, 'failed');
      return;
    }
    this.#waiting.push(request);
    this.#waitingBytes += bytes;
  }

  /**
   * A turn of the event loop is over: writes once a turn brings nothing more, because a socket gives only so much per
   * turn and a flush costs as much for one event as for a hundred. False: more came, so ask again after another turn.
   */
  commitWhenQuiet(): boolean {
    const isGrowing = this.#waiting.length > this.#seen && this.#waiting.length < MAX_BATCH;
    this.#seen = this.#waiting.length;
    if (isGrowing && this.#turns < MAX_TURNS) {
      this.#turns += 1;
      return false;
    }
    this.commit();
    return true;
  }

  /** Writes what waits, unless a batch is on its way: then that one's end goes on. */
  commit(): void {
    this.#turns = 0;
    this.#seen = 0;
    while (this.#waiting.length > 0 && this.#writing === undefined) {
      const batch = this.#takeBatch();
      const written = attempt(() => this.#options.store.write(batch.map(({ event }) => event)));
      const done = whenReady(written, (result) => {
        if (!result.ok) this.#options.failed(result.error, batch.length);
        const outcomes = result.ok ? result.value : [];
        for (const [index, request] of batch.entries()) this.#options.settle(request, outcomes[index] ?? 'failed');
      });
      if (!(done instanceof Promise)) continue;
      this.#writing = done.finally(() => {
        this.#writing = undefined;
        this.commit();
      });
    }
  }

  /** Resolves once nothing waits and nothing is being written. */
  async idle(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #takeBatch(): StoreEffect[] {
    let bytes = 0;
    const over = this.#waiting.findIndex(({ event }, index) => {
      bytes += event.json.length;
      return index >= MAX_BATCH || (index > 0 && bytes > MAX_BATCH_BYTES);
    });
    const batch = over === -1 ? this.#waiting : this.#waiting.slice(0, over);
    this.#waiting = over === -1 ? [] : this.#waiting.slice(over);
    for (const { event } of batch) this.#waitingBytes -= event.json.length;
    return batch;
  }
}
