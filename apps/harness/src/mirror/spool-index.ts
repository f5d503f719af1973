import type { SeqSpan } from './sealed-envelope.ts';
import { overlaps, type SpoolEntry } from './spool.ts';
import type { EnvelopeRecord } from './spool-record.ts';

/** One file of a spool's folder, and which envelopes stand in it. */
export interface Segment {
  readonly path: string;
  readonly kept: Set<Kept>;
  bytes: number;
}

/** What is known of a kept envelope, wherever its ciphertext is. */
export interface Kept extends SpoolEntry {
  readonly gaps: readonly SeqSpan[];
  readonly atMs: number;
  readonly bytes: number;
  accepted: boolean;
  pins: number;
  /** The ciphertext, while it is not on disk. */
  content: string | undefined;
  segment: Segment | undefined;
  offset: number;
}

/** Which envelopes a spool on disk holds, by stream and seq, and which of them are pinned. */
export class SpoolIndex {
  readonly #streams = new Map<string, Map<number, Kept>>();
  readonly #pins = new Set<SeqSpan>();

  find({ stream, firstSeq }: Pick<SpoolEntry, 'stream' | 'firstSeq'>): Kept | undefined {
    return this.#streams.get(stream)?.get(firstSeq);
  }

  /** Takes in a new envelope. */
  add(kept: Kept): void {
    for (const span of this.#pins) if (overlaps(kept, span)) kept.pins++;
    this.#stream(kept.stream).set(kept.firstSeq, kept);
  }

  /** Takes in what a file of an earlier run tells of. */
  restore(segment: Segment, record: EnvelopeRecord, place: { readonly offset: number; readonly bytes: number }): void {
    const earlier = this.find(record);
    // A crash came between copying it and dropping the old file.
    earlier?.segment?.kept.delete(earlier);
    const accepted = record.accepted || earlier?.accepted === true;
    const kept: Kept = { ...record, accepted, ...place, pins: 0, content: undefined, segment };
    this.#stream(record.stream).set(record.firstSeq, kept);
    segment.kept.add(kept);
  }

  delete(kept: Kept): void {
    kept.segment?.kept.delete(kept);
    kept.content = undefined;
    const stream = this.#streams.get(kept.stream);
    stream?.delete(kept.firstSeq);
    if (stream?.size === 0) this.#streams.delete(kept.stream);
  }

  range(stream: string, fromSeq: number, toSeq: number): readonly Kept[] {
    const wanted = { stream, firstSeq: fromSeq, lastSeq: toSeq };
    const kept = [...(this.#streams.get(stream)?.values() ?? [])].filter((envelope) => overlaps(envelope, wanted));
    // What was copied out of a file stands behind its successors after a restart.
    return kept.sort((a, b) => a.firstSeq - b.firstSeq);
  }

  unsent(): readonly Kept[] {
    return [...this.#streams.values()].flatMap((stream) => [...stream.values()].filter(({ accepted }) => !accepted));
  }

  last(stream: string): Kept | undefined {
    let last: Kept | undefined;
    for (const kept of this.#streams.get(stream)?.values() ?? [])
      if (last === undefined || kept.lastSeq > last.lastSeq) last = kept;
    return last;
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

  #stream(stream: string): Map<number, Kept> {
    const known = this.#streams.get(stream) ?? new Map<number, Kept>();
    this.#streams.set(stream, known);
    return known;
  }
}
