import { attempt, type Journal, MAX_SHARED_IDS } from '@heliograph/relay';
import { type NostrEvent, parseEvent } from '@heliograph/wire';
import type { Log } from '../log.ts';
import { describeFault } from '../log-report.ts';
import type { Metrics } from '../metrics.ts';

/** What a relay catches up with. */
export interface CatchUpOptions {
  readonly journal: Journal;
  /** An event that may have been missed; `ageMs`: for how long it has been stored. Not verified; it may have come already. */
  readonly onEvent: (event: NostrEvent, ageMs: number) => void;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly nowMs: () => number;
}

/** A connection that is broken may look whole for so long; a transaction that is under way takes no longer either. */
const UNNOTICED_MS = 15_000;
const PAGE = 200;
/** So many ids are remembered as delivered: of older events it could not be told which came already. */
const MAX_EVENTS = MAX_SHARED_IDS / 2;

/** Reads from the storage that relays share what they could not tell each other. */
export class CatchUp {
  readonly #options: CatchUpOptions;
  /** Where the storage ended when all was well, oldest first: one from before UNNOTICED_MS, and those since. */
  readonly #marks: { readonly atMs: number; readonly place: number }[] = [];
  #isNoting = false;
  /** From where to read next; undefined when nobody missed anything. */
  #from: number | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** All is well: what is stored now has come, or will. */
  async note(): Promise<void> {
    if (this.#from !== undefined) this.#goOn();
    if (this.#isNoting) return;
    this.#isNoting = true;
    const { journal, nowMs } = this.#options;
    const atMs = nowMs();
    const end = await attempt(() => journal.end());
    this.#isNoting = false;
    // Whoever uses the storage tells that it fails; the marks there are still hold.
    if (!end.ok) return;
    this.#marks.push({ atMs, place: end.value });
    while ((this.#marks[1]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs - UNNOTICED_MS) this.#marks.shift();
  }

  /** A place up to which surely nothing was missed; undefined before the first note. */
  get surePlace(): number | undefined {
    return this.#marks[0]?.place;
  }

  /** Gives everything that was stored after a place, one read at a time; asked again meanwhile it begins there once more. */
  from(place: number): void {
    this.#from = Math.min(place, this.#from ?? place);
    this.#goOn();
  }

  /** Resolves once nothing is read any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  #goOn(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    const { log, metrics } = this.#options;
    while (this.#from !== undefined && !this.#isClosed) {
      const place = this.#from;
      this.#from = undefined;
      try {
        const events = await this.#read(place);
        metrics.add('cluster_caught_up_total', '', events);
        if (events > 0) log.info({ events }, 'caught up with what was stored while relays did not hear each other');
      } catch (cause) {
        this.#from = Math.min(place, this.#from ?? place);
        const text =
          'what was stored while relays did not hear each other could not be read: it is read again at the next beat';
        log.error(describeFault(cause), text);
        return;
      }
    }
  }

  async #read(from: number): Promise<number> {
    const { journal, log, onEvent } = this.#options;
    const end = await journal.end();
    if (end - from > MAX_EVENTS) {
      log.warn(
        { events: end - from, read: MAX_EVENTS },
        'more was stored meanwhile than is caught up with: the rest comes to who asks',
      );
    }
    let events = 0;
    // What comes after this end comes live.
    for (let place = Math.max(from, end - MAX_EVENTS); place < end && !this.#isClosed; ) {
      const page = await journal.after(place, PAGE);
      for (const { json, ageMs } of page.entries) {
        const event = parseEvent(JSON.parse(json));
        if (event.ok) onEvent(event.value, ageMs);
        events += 1;
      }
      if (page.place === place) break;
      place = page.place;
    }
    return events;
  }
}
