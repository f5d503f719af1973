/** What of an envelope the chain needs: its inclusive seq range, its own hash and the one it says came before. */
export interface ChainLink {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hash: string;
  readonly prev: string | undefined;
}

/** Inclusive. */
export interface SeqSpan {
  readonly first: number;
  readonly last: number;
}

/**
 * `new`, `duplicate` (the very same plaintext again), `conflict` (other content for a seq we hold), `broken` (new, but it does
 * not follow its neighbour), `forgotten` (of seqs held so long that its hash is not remembered).
 */
export type LinkVerdict = 'new' | 'duplicate' | 'conflict' | 'broken' | 'forgotten';

/** Hashes remembered of one stream, the newest: an older envelope that comes again is compared by whoever holds its events. */
const MAX_HASHES = 8_192;

/** A stretch without holes: its inclusive seqs, the hash before it and the hash it ends with. */
export interface HeldSegment {
  readonly first: number;
  readonly last: number;
  readonly firstPrev: string | undefined;
  /** `undefined` after seqs that are gone: nothing to compare the next link with. */
  readonly lastHash: string | undefined;
}

type Segment = { -readonly [key in keyof HeldSegment]: HeldSegment[key] };

/**
 * The envelopes of one stream that a viewer holds: which seqs are missing, and whether each follows the one before
 * (SPEC CH). Links may come in any order. Cost of one link: the number of holes at most.
 */
export class StreamChain {
  readonly #hashes = new Map<number, string>();
  /** The newest first seq whose hash is not remembered any more. */
  #forgotten = 0;
  #segments: Segment[] = [];
  #knownHead = 0;
  readonly #hashBefore: (firstSeq: number) => string | undefined;

  /** `segments`: what was held before, in order; `hashBefore` gives the hash of an envelope of them by its first seq. */
  constructor(
    segments: readonly HeldSegment[] = [],
    hashBefore: (firstSeq: number) => string | undefined = () => undefined,
  ) {
    this.#segments = segments.map((segment) => ({ ...segment }));
    this.#hashBefore = hashBefore;
  }

  /** The newest seq known to exist, held or not. */
  get head(): number {
    return Math.max(this.#knownHead, this.#segments.at(-1)?.last ?? 0);
  }

  /** The last seq up to which nothing is missing from 1 on. */
  get contiguous(): number {
    const first = this.#segments[0];
    return first !== undefined && first.first === 1 ? first.last : 0;
  }

  /** Learns that the stream reaches `seq` at least: from heads, a snapshot, a liveness or a close. */
  noteHead(seq: number): void {
    if (seq > this.#knownHead) this.#knownHead = seq;
  }

  /** The last seq of the segment that ends the stream as held: what `hello` says we have. */
  get held(): number {
    return this.#segments.at(-1)?.last ?? 0;
  }

  add(link: ChainLink): LinkVerdict {
    const known = this.#hashes.get(link.firstSeq) ?? this.#hashBefore(link.firstSeq);
    if (known !== undefined) return known === link.hash ? 'duplicate' : 'conflict';
    // The newest place is by far the most common one.
    let at = this.#segments.length;
    while (at > 0 && (this.#segments[at - 1] as Segment).first > link.firstSeq) at--;
    const before = this.#segments[at - 1];
    const after = this.#segments[at];
    if (
      (before !== undefined && before.last >= link.firstSeq) ||
      (after !== undefined && after.first <= link.lastSeq)
    ) {
      const isHeld = before !== undefined && before.last >= link.lastSeq && before.lastHash !== undefined;
      return isHeld && link.firstSeq <= this.#forgotten ? 'forgotten' : 'conflict';
    }
    this.#remember(link);
    const joinsBefore = before !== undefined && before.last + 1 === link.firstSeq;
    const joinsAfter = after !== undefined && link.lastSeq + 1 === after.first;
    let broken = link.firstSeq === 1 && link.prev !== undefined && link.prev !== '0'.repeat(64);
    if (joinsBefore && link.prev !== undefined && before.lastHash !== undefined && before.lastHash !== link.prev) {
      broken = true;
    }
    if (joinsAfter && after.firstPrev !== undefined && after.firstPrev !== link.hash) broken = true;
    const segment: Segment = {
      first: joinsBefore ? before.first : link.firstSeq,
      last: joinsAfter ? after.last : link.lastSeq,
      firstPrev: joinsBefore ? before.firstPrev : link.prev,
      lastHash: joinsAfter ? after.lastHash : link.hash,
    };
    this.#segments.splice(joinsBefore ? at - 1 : at, (joinsBefore ? 1 : 0) + (joinsAfter ? 1 : 0), segment);
    return broken ? 'broken' : 'new';
  }

  #remember({ firstSeq, hash }: ChainLink): void {
    this.#hashes.set(firstSeq, hash);
    if (this.#hashes.size <= MAX_HASHES) return;
    const oldest = this.#hashes.keys().next().value as number;
    this.#hashes.delete(oldest);
    this.#forgotten = Math.max(this.#forgotten, oldest);
  }

  /** Seqs that the harness said are gone for good: they are no holes any more. Cost: one pass over holes and spans. */
  forget(spans: readonly SeqSpan[]): void {
    const gone = [...spans].sort((a, b) => a.first - b.first);
    const marks: Segment[] = [];
    let at = 0;
    for (const hole of this.holes()) {
      while (at < gone.length && (gone[at] as SeqSpan).last < hole.first) at++;
      for (let next = at; next < gone.length && (gone[next] as SeqSpan).first <= hole.last; next++) {
        const first = Math.max(hole.first, (gone[next] as SeqSpan).first, (marks.at(-1)?.last ?? 0) + 1);
        const last = Math.min(hole.last, (gone[next] as SeqSpan).last);
        if (first <= last) marks.push({ first, last, firstPrev: undefined, lastHash: undefined });
      }
    }
    this.#segments = merged([...this.#segments, ...marks].sort((a, b) => a.first - b.first));
  }

  /** What is missing from 1 to the head, oldest first. */
  holes(): SeqSpan[] {
    const holes: SeqSpan[] = [];
    let next = 1;
    for (const { first, last } of this.#segments) {
      if (first > next) holes.push({ first: next, last: first - 1 });
      next = last + 1;
    }
    if (this.head >= next) holes.push({ first: next, last: this.head });
    return holes;
  }
}

/** Neighbours that are both gone become one segment, so that many small losses do not slow every later look. */
function merged(segments: readonly Segment[]): Segment[] {
  const out: Segment[] = [];
  for (const segment of segments) {
    const before = out.at(-1);
    const bothGone = before !== undefined && before.lastHash === undefined && segment.firstPrev === undefined;
    if (bothGone && before.last + 1 === segment.first && segment.lastHash === undefined) before.last = segment.last;
    else out.push(segment);
  }
  return out;
}
