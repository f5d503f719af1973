import type { SealedEnvelope, SeqSpan } from './sealed-envelope.ts';

/** A kept envelope without its content. */
export interface SpoolEntry extends SeqSpan {
  readonly hash: string;
}

/** What a spool tells. */
export interface SpoolPort {
  /** Envelopes that no relay took are gone. */
  onLost(span: SeqSpan, hash: string): void;
  /** An envelope is gone, whether a relay took it or not: it needs no place in any queue. */
  onGone(entry: SpoolEntry): void;
  /** The oldest line of what was just written had been read this long before. */
  onWritten(lagMs: number): void;
  /** The disk takes nothing for this reason, so it is kept in memory; undefined: it takes everything again. */
  onDisk(error: Error | undefined): void;
}

/** Sealed envelopes kept for relays that are away and viewers that come late: ciphertext only, bounded by bytes. */
export interface Spool {
  /** Keeps an envelope; what no longer fits is dropped: what a relay took first, gaps last, pinned never. */
  append(envelope: SealedEnvelope): SpoolEntry;
  /** The ciphertext, undefined when it is gone. */
  read(entry: SpoolEntry): string | undefined;
  /** Some relay took it. */
  accept(entry: SpoolEntry): void;
  /** Kept envelopes that reach into fromSeq…toSeq, in order. */
  range(stream: string, fromSeq: number, toSeq: number): readonly SpoolEntry[];
  /** Keeps what carries these seqs until the returned function is called. */
  pin(span: SeqSpan): () => void;
  /** What no relay took yet, each stream's in order; of earlier runs too. */
  unsent(): readonly SpoolEntry[];
  /** The newest kept envelope of a stream. */
  last(stream: string): SpoolEntry | undefined;
  /** Resolves once another envelope may be appended: not before most of those before it are written. */
  room(): Promise<void>;
  /** Resolves when the envelope is where a crash can't reach it, as far as this spool can; before that it is not sent. */
  written(entry: SpoolEntry): Promise<void>;
  close(): Promise<void>;
}

interface Kept extends SpoolEntry {
  readonly gaps: readonly SeqSpan[];
  pins: number;
}

/** A spool in memory: where there is no disk to keep anything on. */
export class MemorySpool implements Spool {
  readonly #maxBytes: number;
  readonly #port: Pick<SpoolPort, 'onLost' | 'onGone'>;
  /** Apart from the entries: those are in queues, and stay there when an envelope goes. */
  readonly #contents = new Map<Kept, string>();
  /** In the order they are dropped: each set oldest first. */
  readonly #taken = new Set<Kept>();
  readonly #unsent = new Set<Kept>();
  readonly #unsentGaps = new Set<Kept>();
  readonly #streams = new Map<string, Map<number, Kept>>();
  readonly #pins = new Set<SeqSpan>();
  #bytes = 0;

  constructor(maxBytes: number, port: Pick<SpoolPort, 'onLost' | 'onGone'>) {
    this.#maxBytes = maxBytes;
    this.#port = port;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(envelope: SealedEnvelope): SpoolEntry {
    const { content, ...entry } = envelope;
    const kept: Kept = { ...entry, pins: 0 };
    this.#contents.set(kept, content);
    for (const span of this.#pins) if (overlaps(kept, span)) kept.pins++;
    const stream = this.#streams.get(kept.stream) ?? new Map<number, Kept>();
    this.#streams.set(kept.stream, stream);
    stream.set(kept.firstSeq, kept);
    (kept.gaps.length > 0 ? this.#unsentGaps : this.#unsent).add(kept);
    this.#bytes += content.length;
    this.#evict(kept);
    return kept;
  }

  read(entry: SpoolEntry): string | undefined {
    return this.#contents.get(this.#find(entry) as Kept);
  }

  accept(entry: SpoolEntry): void {
    const kept = this.#find(entry);
    if (kept === undefined) return;
    if (this.#unsent.delete(kept) || this.#unsentGaps.delete(kept)) this.#taken.add(kept);
  }

  range(stream: string, fromSeq: number, toSeq: number): readonly SpoolEntry[] {
    const wanted = { stream, firstSeq: fromSeq, lastSeq: toSeq };
    return [...(this.#streams.get(stream)?.values() ?? [])].filter((kept) => overlaps(kept, wanted));
  }

  pin(span: SeqSpan): () => void {
    // A copy: the same span may be pinned twice.
    const pinned = { ...span };
    this.#pins.add(pinned);
    const held = () => this.range(span.stream, span.firstSeq, span.lastSeq) as readonly Kept[];
    for (const kept of held()) kept.pins++;
    return () => {
      if (!this.#pins.delete(pinned)) return;
      for (const kept of held()) kept.pins--;
    };
  }

  unsent(): readonly SpoolEntry[] {
    return [...this.#unsent, ...this.#unsentGaps];
  }

  last(stream: string): SpoolEntry | undefined {
    return [...(this.#streams.get(stream)?.values() ?? [])].at(-1);
  }

  async room(): Promise<void> {}

  async written(): Promise<void> {}

  async close(): Promise<void> {}

  #find(entry: SpoolEntry): Kept | undefined {
    return this.#streams.get(entry.stream)?.get(entry.firstSeq);
  }

  #evict(newest: Kept): void {
    for (const candidates of [this.#taken, this.#unsent, this.#unsentGaps]) {
      for (const kept of candidates) {
        if (this.#bytes <= this.#maxBytes) return;
        if (kept.pins > 0 || kept === newest) continue;
        candidates.delete(kept);
        this.#bytes -= this.#contents.get(kept)?.length ?? 0;
        this.#contents.delete(kept);
        this.#streams.get(kept.stream)?.delete(kept.firstSeq);
        this.#port.onGone(kept);
        if (candidates === this.#taken) continue;
        this.#port.onLost(kept, kept.hash);
        // A lost gap no longer tells of what it named.
        for (const gap of kept.gaps) this.#port.onLost(gap, kept.hash);
      }
    }
  }
}

/** Whether two spans share a seq. */
export function overlaps(a: SeqSpan, b: SeqSpan): boolean {
  return a.stream === b.stream && a.firstSeq <= b.lastSeq && b.firstSeq <= a.lastSeq;
}
