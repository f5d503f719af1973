import type { SeqSpan } from './sealed-envelope.ts';
import { overlaps, type SpoolEntry } from './spool.ts';
import type { EnvelopeRecord } from './spool-record.ts';

/** One file of a spool's folder, and which envelopes stand in it. */
export interface Segment {
  readonly path: string;
  readonly kept: Set<Kept>;
  bytes: number;
}

const NO_GAPS: readonly SeqSpan[] = [];

/** What is known of a kept envelope, wherever its ciphertext is. There may be hundreds of thousands: each has these fields and no others. */
export class Kept implements SpoolEntry {
  readonly stream: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hash: string;
  readonly gaps: readonly SeqSpan[];
  readonly atMs: number;
  readonly bytes: number;
  accepted: boolean;
  pins = 0;
  /** The ciphertext, while it is not on disk. */
  content: string | undefined;
  segment: Segment | undefined = undefined;
  offset = 0;

  /** `content`: as long as it is not on disk, of `bytes` ASCII characters. */
  constructor(record: EnvelopeRecord, bytes: number, content: string | undefined) {
    this.stream = record.stream;
    this.firstSeq = record.firstSeq;
    this.lastSeq = record.lastSeq;
    this.hash = record.hash;
    this.gaps = record.gaps.length > 0 ? record.gaps : NO_GAPS;
    this.atMs = record.atMs;
    this.bytes = bytes;
    this.accepted = record.accepted;
    this.content = content;
  }
}

/** Which envelopes a spool on disk holds, by stream and seq, and which of them are pinned. */
export class SpoolIndex {
  readonly #streams = new Map<string, StreamIndex>();
  readonly #pins = new Set<SeqSpan>();

  find({ stream, firstSeq }: Pick<SpoolEntry, 'stream' | 'firstSeq'>): Kept | undefined {
    return this.#streams.get(stream)?.get(firstSeq);
  }

  /** Takes in a new envelope. */
  add(kept: Kept): void {
    for (const span of this.#pins) if (overlaps(kept, span)) kept.pins++;
    this.#stream(kept.stream).set(kept);
  }

  /** Takes in what a file of an earlier run tells of. */
  restore(segment: Segment, record: EnvelopeRecord, place: { readonly offset: number; readonly bytes: number }): void {
    const stream = this.#stream(record.stream);
    const earlier = stream.get(record.firstSeq);
    // A crash came between copying it and dropping the old file.
    earlier?.segment?.kept.delete(earlier);
    const accepted = record.accepted || earlier?.accepted === true;
    // The id is one text for all of its stream.
    const kept = new Kept({ ...record, stream: stream.id, accepted }, place.bytes, undefined);
    kept.segment = segment;
    kept.offset = place.offset;
    stream.set(kept);
    segment.kept.add(kept);
  }

  delete(kept: Kept): void {
    kept.segment?.kept.delete(kept);
    kept.content = undefined;
    const stream = this.#streams.get(kept.stream);
    stream?.delete(kept);
    if (stream?.size === 0) this.#streams.delete(kept.stream);
  }

  range(stream: string, fromSeq: number, toSeq: number): readonly Kept[] {
    return this.#streams.get(stream)?.range(fromSeq, toSeq) ?? [];
  }

  unsent(): readonly Kept[] {
    return [...this.#streams.values()].flatMap((stream) => stream.all().filter(({ accepted }) => !accepted));
  }

  last(stream: string): Kept | undefined {
    return this.#streams.get(stream)?.last();
  }

  pin(span: SeqSpan): () => void {
    const pinned = { ...span };
    this.#pins.add(pinned);
    for (const kept of this.range(span.stream, span.firstSeq, span.lastSeq)) kept.pins++;
    return () => {
      if (!this.#pins.delete(pinned)) return;
      for (const kept of this.range(span.stream, span.firstSeq, span.lastSeq)) kept.pins--;
    };
  }

  #stream(id: string): StreamIndex {
    const known = this.#streams.get(id) ?? new StreamIndex(id);
    this.#streams.set(id, known);
    return known;
  }
}

/** One stream's envelopes, which never overlap: found by first seq, and in order without looking at them all. */
class StreamIndex {
  readonly id: string;
  readonly #bySeq = new Map<number, Kept>();
  /** First seqs in order; some may be gone, never more than half of them. */
  #order: number[] = [];
  #isSorted = true;

  constructor(id: string) {
    this.id = id;
  }

  get size(): number {
    return this.#bySeq.size;
  }

  get(firstSeq: number): Kept | undefined {
    return this.#bySeq.get(firstSeq);
  }

  set(kept: Kept): void {
    const { firstSeq } = kept;
    if (!this.#bySeq.has(firstSeq)) {
      // What was copied out of a file stands behind its successors after a restart.
      if (firstSeq <= (this.#order.at(-1) ?? -1)) this.#isSorted = false;
      this.#order.push(firstSeq);
    }
    this.#bySeq.set(firstSeq, kept);
  }

  delete({ firstSeq }: Kept): void {
    this.#bySeq.delete(firstSeq);
    if (this.#order.length > 2 * this.#bySeq.size) this.#order = this.#order.filter((seq) => this.#bySeq.has(seq));
  }

  /** Those that reach into fromSeq…toSeq, in order. */
  range(fromSeq: number, toSeq: number): readonly Kept[] {
    const order = this.#sorted();
    const found: Kept[] = [];
    let at = this.#lastAtMost(fromSeq);
    while (at > 0 && !this.#bySeq.has(order[at] as number)) at--;
    for (at = Math.max(at, 0); at < order.length && (order[at] as number) <= toSeq; at++) {
      const kept = this.#bySeq.get(order[at] as number);
      if (kept !== undefined && kept.lastSeq >= fromSeq) found.push(kept);
    }
    return found;
  }

  last(): Kept | undefined {
    const order = this.#sorted();
    for (let at = order.length - 1; at >= 0; at--) {
      const kept = this.#bySeq.get(order[at] as number);
      if (kept !== undefined) return kept;
    }
    return undefined;
  }

  all(): readonly Kept[] {
    return this.range(0, Number.POSITIVE_INFINITY);
  }

  #sorted(): readonly number[] {
    if (!this.#isSorted) this.#order = [...new Set(this.#order)].sort((a, b) => a - b);
    this.#isSorted = true;
    return this.#order;
  }

  /** Where the last one stands that is not over `seq`, -1 for none; in what is sorted. */
  #lastAtMost(seq: number): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle] as number) <= seq) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
