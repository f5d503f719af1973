import type { ReceivedEvent } from '@heliograph/client';
import type { NewRecord, RecordStore } from '@heliograph/record';
import type { VerifiedEvent } from '@heliograph/wire';
import type { ArchiveFileError } from './archive-file.ts';
import type { Indexer } from './indexer.ts';
import type { Log } from './log.ts';
import type { Opener } from './opener.ts';

export interface KeeperOptions {
  readonly store: RecordStore;
  readonly indexer: Indexer;
  readonly opener: Opener;
  readonly keeps: (agent: string) => boolean;
  readonly nowMs: () => number;
  readonly log: Log;
  /** What SQLite threw, as a sentence. */
  readonly describe: (cause: unknown) => ArchiveFileError;
  /** Frames were lost while nothing could be written, and now it can: what is missing should be asked for again. */
  readonly onRecovered: () => void;
  /** An event is in the file. */
  readonly onKept: (event: VerifiedEvent) => void;
}

const FLUSH_MS = 100;
/** A batch this large is written at once. */
export const MAX_BATCH = 512;
/** Characters of events that wait while nothing can be written; beyond, new ones are dropped and asked for again later. */
const MAX_WAITING = 64 * 1_024 * 1_024;
const RETRY_MS = 5_000;
const INDEX_MS = 1_000;

/**
 * Writes what is received in batches, and lets the views follow. A fault of the file costs no watching: what can't be
 * written waits, within a bound, and the trouble is shown until it is over.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  #queue: ReceivedEvent[] = [];
  #times: number[] = [];
  #waiting = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #indexTimer: NodeJS.Timeout | undefined;
  #trouble: ArchiveFileError | undefined;
  #kept = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** What keeps it from writing, `undefined` when nothing does. */
  get trouble(): ArchiveFileError | undefined {
    return this.#trouble;
  }

  /** Records made since it was started. */
  get kept(): number {
    return this.#kept;
  }

  /** Frames that found no room while nothing could be written. */
  get dropped(): number {
    return this.#dropped;
  }

  take(received: ReceivedEvent): void {
    if (!this.#options.keeps(received.agent)) return;
    const size = received.event.content.length;
    if (this.#waiting + size > MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#queue.push(received);
    this.#times.push(this.#options.nowMs());
    this.#waiting += size;
    if (this.#trouble === undefined && this.#queue.length >= MAX_BATCH) this.flush();
    else this.#schedule(FLUSH_MS);
  }

  /** Writes what waits; a fault is kept as `trouble` and tried again. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, MAX_BATCH);
      const records = batch
        .map((received, at) => this.#options.opener.record(received, this.#times[at] ?? 0))
        .filter((record) => !isAsking(record));
      if (!this.#write(records)) {
        this.#schedule(RETRY_MS);
        return;
      }
      this.#queue = this.#queue.slice(batch.length);
      this.#times = this.#times.slice(batch.length);
      for (const { event } of batch) this.#waiting -= event.content.length;
    }
    if (this.#dropped > 0) {
      this.#options.log.warn(
        { frames: this.#dropped },
        'frames found no room while nothing could be written: asking for them again',
      );
      this.#dropped = 0;
      this.#options.onRecovered();
    }
  }

  /** Brings the views up to date; a fault is told and tried again with the next records. */
  index(): void {
    clearTimeout(this.#indexTimer);
    this.#indexTimer = undefined;
    try {
      if (this.#options.indexer.flush()) this.#scheduleIndex(0);
    } catch (cause) {
      this.#fail(cause);
      this.#scheduleIndex(RETRY_MS);
    }
  }

  close(): void {
    this.flush();
    this.index();
    clearTimeout(this.#timer);
    clearTimeout(this.#indexTimer);
  }

  #write(records: readonly NewRecord[]): boolean {
    try {
      const { numbers } = this.#options.store.append(records);
      this.#kept += numbers.filter((n) => n !== undefined).length;
      if (this.#trouble !== undefined) this.#options.log.info({}, 'the archive can be written again');
      this.#trouble = undefined;
      this.#options.indexer.take(records, numbers);
      for (const [at, { event }] of records.entries()) if (numbers[at] !== undefined) this.#options.onKept(event);
      this.#scheduleIndex(INDEX_MS);
      return true;
    } catch (cause) {
      this.#fail(cause);
      return false;
    }
  }

  #fail(cause: unknown): void {
    const trouble = this.#options.describe(cause);
    if (this.#trouble?.message !== trouble.message) this.#options.log.error({ code: trouble.code }, trouble.message);
    this.#trouble = trouble;
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.flush(), this.#trouble === undefined ? delayMs : RETRY_MS);
  }

  #scheduleIndex(delayMs: number): void {
    this.#indexTimer ??= setTimeout(() => this.index(), delayMs);
  }
}

/** Viewers' own questions to the harness change nothing: they come by the dozen and say nothing of who did what. */
function isAsking({ role, opened }: NewRecord): boolean {
  return role === 'control' && /^\{"type":"(?:hello|replay)"/.test(opened?.text ?? '');
}
