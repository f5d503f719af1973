import {
  type ArchiveReader,
  type NewRecord,
  type RecordStore,
  redactPieces,
  redactText,
  type ViewedStream,
  type ViewStore,
  withRedactedMarks,
} from '@heliograph/record';
import { type Crypto, decodeEnvelope, hexDecode, type ObserverEvent } from '@heliograph/wire';
import { type CutSecret, TurnWindow } from './turn-window.ts';

export interface IndexerOptions {
  readonly store: Pick<RecordStore, 'meta' | 'redact'>;
  readonly views: ViewStore;
  readonly reader: ArchiveReader;
  readonly crypto: Crypto;
  readonly nowSec: () => number;
}

interface OpenStream {
  readonly stream: ViewedStream;
  window: TurnWindow;
  /** The newest record whose events are in the window. */
  takenN: number;
  changed: boolean;
  /** Something of the stream lies before the window. */
  isFurther: boolean;
  /** Seqs before the window that came late: the turns they stand in are folded again. */
  late: { first: number; last: number } | undefined;
}

/** Streams folded at once; the one that was quiet longest is put away, and folded again from its newest turn when it goes on. */
const MAX_OPEN = 64;
/** What the harness stream says that every channel needs stands at its beginning. */
const SHARED_EVENTS = 256;

/**
 * Keeps the views in step with the records: folds each stream as viewers do and writes what changed. Whatever it has not
 * written when the process dies is made up for at the next start.
 */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #salt: Uint8Array;
  readonly #open = new Map<string, OpenStream>();
  /** What every channel needs came after channels were begun. */
  #sharedCame = false;
  /** Secrets whose pieces are to be replaced in the lines before anything says that those are shown. */
  #cuts: { readonly stream: ViewedStream; readonly cut: CutSecret }[] = [];
  /** What is then to be written into the views. */
  #writes: (() => void)[] = [];
  /** Something could not be written: what is folded is ahead of the file, and is read from it again. */
  #isAhead = false;
  /** What reads it again, once that has begun. */
  #makingUp: Generator<void> | undefined;
  /** Records came while it was ahead, and were not taken: they are behind too. */
  #isMissing = false;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#salt = hexDecode(options.store.meta('salt') ?? '');
  }

  /** Takes records that were kept, with their numbers. What they change shows after the next `flush`, which also tells of what is wrong: this never throws. */
  take(records: readonly NewRecord[], numbers: readonly (number | undefined)[]): void {
    if (this.#isAhead) {
      this.#isMissing = true;
      return;
    }
    try {
      this.#takeAll(records, numbers);
    } catch {
      this.#fallBack();
    }
  }

  #takeAll(records: readonly NewRecord[], numbers: readonly (number | undefined)[]): void {
    for (const [at, record] of records.entries()) {
      const n = numbers[at];
      const { opened, role, agent } = record;
      if (n === undefined || role !== 'telemetry' || opened?.stream === undefined) continue;
      const events = opened.findings.length === 0 ? opened.events : this.#decode(opened.shown);
      this.#takeEvents(agent, opened.stream, n, events);
    }
  }

  /**
   * Writes what changed, in one transaction; after a fault it makes up for what was not written instead, one stream a call, and
   * is true while there is more. Throws what SQLite throws.
   */
  flush(): boolean {
    try {
      if (this.#isAhead) return this.#makeUp();
      if (this.#sharedCame) this.#share();
      for (const open of this.#open.values()) this.#flushOne(open);
      this.#commit();
      return false;
    } catch (cause) {
      this.#fallBack();
      throw cause;
    }
  }

  #makeUp(): boolean {
    if (this.#makingUp === undefined) {
      this.#makingUp = this.catchUp();
      this.#isMissing = false;
    }
    if (!this.#makingUp.next().done) return true;
    this.#makingUp = undefined;
    this.#isAhead = this.#isMissing;
    return this.#isAhead;
  }

  #fallBack(): void {
    this.#isAhead = true;
    this.#cuts = [];
    this.#writes = [];
    this.reset();
  }

  /** Makes up for records that the views do not show: after a crash, an import or an upgrade. One stream a step. */
  *catchUp(): Generator<void> {
    const { views } = this.#options;
    const behind = views.behind();
    const known = new Set(behind.map(({ stream }) => stream));
    // What a harness stream said may have come too late for its channels as well.
    const told = behind.flatMap(({ agent, id, channelId }) => (channelId === null ? views.channelsOf(agent, id) : []));
    // Those go first: cut short, the harness stream is still behind, and they are told again.
    for (const stream of [...told.filter(({ stream }) => !known.has(stream)), ...behind]) {
      this.#catchUpOne(stream);
      yield;
    }
  }

  /** Forgets what is folded, so that it is read again from the file: after records were removed. */
  reset(): void {
    this.#open.clear();
    this.#makingUp = undefined;
  }

  #takeEvents(agent: string, id: string, n: number, events: readonly ObserverEvent[]): void {
    const open = this.#opened(agent, id, events[0]);
    if (open === undefined) return;
    for (const event of events) {
      if (event.stream !== id) continue;
      if (open.stream.channelId === null && event.seq <= SHARED_EVENTS) this.#sharedCame = true;
      const from = open.window.fromSeq;
      if (from !== undefined && event.seq < from && open.isFurther) {
        const { first = event.seq, last = event.seq } = open.late ?? {};
        open.late = { first: Math.min(first, event.seq), last: Math.max(last, event.seq) };
      } else {
        if (open.window.isFull) {
          this.#flushOne(open);
          this.#commit();
          open.window = this.#newWindow(open.stream);
          open.isFurther = true;
        }
        open.window.insert(event);
      }
    }
    open.takenN = Math.max(open.takenN, n);
    open.changed = true;
  }

  #opened(agent: string, id: string, first: ObserverEvent | undefined): OpenStream | undefined {
    const key = `${agent} ${id}`;
    const known = this.#open.get(key);
    if (known !== undefined) {
      // A Map keeps the order of insertion: taken out and put back, it is the newest.
      this.#open.delete(key);
      this.#open.set(key, known);
      return known;
    }
    const stream = this.#options.views.stream(agent, id);
    if (stream === undefined) return undefined;
    if (this.#open.size >= MAX_OPEN) {
      const [oldest, open] = this.#open.entries().next().value as [string, OpenStream];
      this.#flushOne(open);
      this.#commit();
      this.#open.delete(oldest);
    }
    const open = this.#start(stream);
    open.isFurther = stream.viewedN > 0;
    this.#open.set(key, open);
    // What it goes on with belongs to its newest turn: that one is folded again.
    if (stream.viewedN > 0 && first !== undefined) this.#readInto(open.window, stream, this.#newestTurnSeq(stream));
    return open;
  }

  #newWindow(stream: ViewedStream): TurnWindow {
    const show = { stream: stream.id, salt: this.#salt, crypto: this.#options.crypto };
    return new TurnWindow(stream.channelId, show, stream.channelId === null ? [] : this.#sharedEvents(stream));
  }

  /** The beginning of the harness stream of the run that `stream` belongs to. */
  #sharedEvents(stream: ViewedStream): readonly ObserverEvent[] {
    const run = this.#options.views.runOf(stream.stream);
    if (run === undefined) return [];
    // What they say of how far streams go is not for a stretch to know: it would show all after it as missing.
    return [...this.#options.reader.events(stream.agent, run, 1, SHARED_EVENTS)].filter(
      ({ kind }) => kind !== 'heads' && kind !== 'snapshot',
    );
  }

  /** Tells channels what their harness stream said after they were begun. */
  #share(): void {
    this.#sharedCame = false;
    for (const open of this.#open.values()) {
      if (open.stream.channelId === null) continue;
      open.window.share(this.#sharedEvents(open.stream));
      open.changed = true;
    }
  }

  #newestTurnSeq(stream: ViewedStream): number {
    return this.#options.views.turnsAt(stream.stream, 1, Number.MAX_SAFE_INTEGER).at(-1)?.firstSeq ?? 1;
  }

  #readInto(window: TurnWindow, stream: ViewedStream, first: number): void {
    const events = this.#options.reader.events(stream.agent, stream.id, first, Number.MAX_SAFE_INTEGER);
    for (const event of events) window.insert(event);
  }

  #start(stream: ViewedStream): OpenStream {
    const window = this.#newWindow(stream);
    return { stream, window, takenN: stream.viewedN, changed: false, isFurther: false, late: undefined };
  }

  #flushOne(open: OpenStream): void {
    if (!open.changed) return;
    const { late, stream } = open;
    if (late !== undefined) this.#refold(stream, late.first, late.last);
    open.late = undefined;
    this.#write(stream, open.window, open.takenN);
    open.changed = false;
  }

  #write(stream: ViewedStream, window: TurnWindow, takenN: number): void {
    const change = window.take();
    this.#writes.push(() => this.#options.views.write(stream.stream, change, change.session, takenN));
    for (const cut of change.cutSecrets) this.#cuts.push({ stream, cut });
  }

  /** Cut short before the views are written, all of it is done again: what they show is never looked through for secrets again. */
  #commit(): void {
    for (const { stream, cut } of this.#cuts.splice(0)) this.#redactCut(stream, cut);
    if (this.#writes.length === 0) return;
    this.#options.views.together(() => {
      for (const write of this.#writes.splice(0)) write();
    });
  }

  /** Something came late: the turns it stands in are folded again, and no others. */
  #refold(stream: ViewedStream, firstSeq: number, lastSeq: number): void {
    const { views } = this.#options;
    const before = views.turnsAt(stream.stream, 1, firstSeq).at(-1);
    const first = Math.min(firstSeq, before?.firstSeq ?? firstSeq);
    const turns = views.turnsAt(stream.stream, first, lastSeq);
    const last = Math.max(lastSeq, ...turns.map((turn) => turn.lastSeq));
    const ids = turns.map(({ id }) => id);
    this.#writes.push(() => views.forget(stream.stream, ids));
    this.#foldRange(stream, first, last, 0, () => {});
  }

  #catchUpOne(stream: ViewedStream): void {
    const newest = this.#options.reader.newestRecord(stream.stream);
    const from = stream.viewedN === 0 ? 1 : this.#newestTurnSeq(stream);
    this.#foldRange(stream, from, Number.MAX_SAFE_INTEGER, newest, () => this.#commit());
    this.#commit();
  }

  #foldRange(stream: ViewedStream, first: number, last: number, takenN: number, onFull: () => void): void {
    let window = this.#newWindow(stream);
    for (const event of this.#options.reader.events(stream.agent, stream.id, first, last)) {
      if (window.isFull) {
        this.#write(stream, window, 0);
        onFull();
        window = this.#newWindow(stream);
      }
      window.insert(event);
    }
    this.#write(stream, window, takenN);
  }

  /** Replaces the pieces of a secret in the lines it was cut over. */
  #redactCut(stream: ViewedStream, cut: CutSecret): void {
    const { store, reader, crypto, nowSec } = this.#options;
    const { findings } = redactText(cut.secret, this.#salt, crypto);
    const lines = reader.texts(stream.stream, cut.firstSeq, cut.lastSeq).flatMap(({ n, text }) => {
      const shown = redactPieces(text, cut.kind, cut.secret);
      return shown === text ? [] : [{ n, shown }];
    });
    if (lines.length > 0) store.redact(lines, findings, nowSec());
  }

  /** The events of a text in which secrets were replaced, marked as its reader gives them. */
  #decode(text: string): readonly ObserverEvent[] {
    const decoded = decodeEnvelope(text, this.#options.crypto);
    return decoded.ok ? decoded.value.events.map(withRedactedMarks) : [];
  }
}
