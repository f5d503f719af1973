/** An envelope of one stream: its inclusive seqs, its hash, the hash it says came before, and the record it stands in. */
export interface EnvelopeLink {
  readonly n: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly hash: string;
  readonly prev: string | undefined;
}

interface Segment {
  firstSeq: number;
  lastSeq: number;
  firstPrev: string | undefined;
  lastHash: string;
  firstN: number;
  lastN: number;
}

const FIRST_PREV = '0'.repeat(64);

/**
 * The agent's own chain of one stream, told envelope by envelope in any order: what does not follow, and what is missing.
 * Memory: one segment for each stretch without holes.
 */
export class EnvelopeChain {
  #segments: Segment[] = [];
  #head: { readonly seq: number; readonly hash: string | undefined } = { seq: 0, hash: undefined };

  /** The agent signed that the stream reaches this seq, with an envelope of this hash there. */
  noteHead(seq: number, hash: string | undefined): void {
    if (seq >= this.#head.seq)
      this.#head = { seq, hash: hash ?? (seq === this.#head.seq ? this.#head.hash : undefined) };
  }

  /** What is wrong with this link, as a sentence; `undefined` when it fits. */
  add(link: EnvelopeLink): string | undefined {
    let at = this.#segments.length;
    while (at > 0 && (this.#segments[at - 1] as Segment).firstSeq > link.firstSeq) at--;
    const before = this.#segments[at - 1];
    const after = this.#segments[at];
    if (before !== undefined && before.lastSeq >= link.firstSeq) {
      return `seq ${link.firstSeq} stands in record ${before.lastN} with another content`;
    }
    if (after !== undefined && after.firstSeq <= link.lastSeq) {
      return `seq ${after.firstSeq} stands in record ${after.firstN} with another content`;
    }
    const joinsBefore = before !== undefined && before.lastSeq + 1 === link.firstSeq;
    const joinsAfter = after !== undefined && link.lastSeq + 1 === after.firstSeq;
    let problem: string | undefined;
    if (link.firstSeq === 1 && link.prev !== undefined && link.prev !== FIRST_PREV) {
      problem = 'the first envelope of its stream names one before it';
    }
    if (joinsBefore && link.prev !== undefined && link.prev !== before.lastHash) {
      problem = `it does not follow record ${before.lastN}, which holds seq ${before.lastSeq}`;
    }
    if (joinsAfter && after.firstPrev !== undefined && after.firstPrev !== link.hash) {
      problem = `record ${after.firstN}, which holds seq ${after.firstSeq}, does not follow it`;
    }
    const segment: Segment = {
      firstSeq: joinsBefore ? before.firstSeq : link.firstSeq,
      lastSeq: joinsAfter ? after.lastSeq : link.lastSeq,
      firstPrev: joinsBefore ? before.firstPrev : link.prev,
      lastHash: joinsAfter ? after.lastHash : link.hash,
      firstN: joinsBefore ? before.firstN : link.n,
      lastN: joinsAfter ? after.lastN : link.n,
    };
    this.#segments.splice(joinsBefore ? at - 1 : at, (joinsBefore ? 1 : 0) + (joinsAfter ? 1 : 0), segment);
    return problem;
  }

  /** Whether the newest envelope held is the one the agent said ends the stream; `undefined` where that can't be told. */
  get endsAsTold(): { readonly ok: boolean; readonly n: number } | undefined {
    const last = this.#segments.at(-1);
    if (last === undefined || this.#head.hash === undefined || last.lastSeq !== this.#head.seq) return undefined;
    return { ok: last.lastHash === this.#head.hash, n: last.lastN };
  }

  /** What is missing from seq 1 to the newest known one, oldest first. */
  gaps(): readonly { readonly firstSeq: number; readonly lastSeq: number }[] {
    const gaps: { firstSeq: number; lastSeq: number }[] = [];
    let next = 1;
    for (const { firstSeq, lastSeq } of this.#segments) {
      if (firstSeq > next) gaps.push({ firstSeq: next, lastSeq: firstSeq - 1 });
      next = lastSeq + 1;
    }
    if (this.#head.seq >= next) gaps.push({ firstSeq: next, lastSeq: this.#head.seq });
    return gaps;
  }
}
