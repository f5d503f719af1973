/** Consecutive seqs, `first` ≤ `last`. */
export interface SeqSpan {
  readonly first: number;
  readonly last: number;
}

/** A set of seqs as ranges: adding at the end is O(1), anywhere else O(log ranges) and a shift of the ranges behind it. */
export class SeqRanges {
  readonly #spans: { first: number; last: number }[] = [];
  /** How many seqs stand before each range; made when asked for. */
  #before: number[] | undefined;

  /** The newest seq, 0 when there is none. */
  get last(): number {
    return this.#spans.at(-1)?.last ?? 0;
  }

  get spans(): readonly SeqSpan[] {
    return this.#spans;
  }

  has(seq: number): boolean {
    const span = this.#spans[this.#place(seq)];
    return span !== undefined && span.first <= seq;
  }

  /** Adds a seq that is not in the set. */
  add(seq: number): void {
    const newest = this.#spans.at(-1);
    if (newest !== undefined && seq === newest.last + 1) {
      newest.last = seq;
      return;
    }
    const place = this.#place(seq);
    const [left, right] = [this.#spans[place - 1], this.#spans[place]];
    const [joinsLeft, joinsRight] = [left?.last === seq - 1, right?.first === seq + 1];
    if (left !== undefined && right !== undefined && joinsLeft && joinsRight) {
      left.last = right.last;
      this.#spans.splice(place, 1);
    } else if (left !== undefined && joinsLeft) left.last = seq;
    else if (right !== undefined && joinsRight) right.first = seq;
    else this.#spans.splice(place, 0, { first: seq, last: seq });
    this.#before = undefined;
  }

  remove(seq: number): void {
    const place = this.#place(seq);
    const span = this.#spans[place];
    if (span === undefined || span.first > seq) return;
    const pieces = [
      { first: span.first, last: seq - 1 },
      { first: seq + 1, last: span.last },
    ];
    this.#spans.splice(place, 1, ...pieces.filter(({ first, last }) => first <= last));
    this.#before = undefined;
  }

  /** The first seq in the set after `seq`. */
  next(seq: number): number | undefined {
    const span = this.#spans[this.#place(seq + 1)];
    return span === undefined ? undefined : Math.max(span.first, seq + 1);
  }

  /** The seq with `index` others before it. */
  at(index: number): number | undefined {
    const before = this.#counts();
    let [low, high] = [0, before.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((before[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    const span = this.#spans[low];
    const seq = (span?.first ?? 0) + (index - (before[low] ?? 0));
    return span === undefined || index < 0 || seq > span.last ? undefined : seq;
  }

  /** How many seqs of the set are smaller than `seq`. */
  indexOf(seq: number): number {
    const place = this.#place(seq);
    const span = this.#spans[place];
    const newest = this.#spans.length - 1;
    if (span === undefined) return newest < 0 ? 0 : (this.#counts()[newest] ?? 0) + this.#size(newest);
    return (this.#counts()[place] ?? 0) + Math.max(0, seq - span.first);
  }

  /** What is missing from 1 up to `end`. */
  gaps(end: number): readonly SeqSpan[] {
    const gaps: SeqSpan[] = [];
    let next = 1;
    for (const { first, last } of this.#spans) {
      if (first > next) gaps.push({ first: next, last: first - 1 });
      next = last + 1;
    }
    if (end >= next) gaps.push({ first: next, last: end });
    return gaps;
  }

  #size(place: number): number {
    const span = this.#spans[place];
    return span === undefined ? 0 : span.last - span.first + 1;
  }

  #counts(): readonly number[] {
    if (this.#before === undefined) {
      this.#before = [];
      let sum = 0;
      for (let place = 0; place < this.#spans.length; place++) {
        this.#before.push(sum);
        sum += this.#size(place);
      }
    }
    return this.#before;
  }

  /** The first range that ends at or after `seq`. */
  #place(seq: number): number {
    let [low, high] = [0, this.#spans.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#spans[middle]?.last ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
