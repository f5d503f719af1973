import type { SeqSpan } from './stream-chain.ts';

/** Questions without an answer, over all streams. */
export const MAX_REPAIRS = 4;
/** A hole that stays after so many answers is left until the next snapshot. */
const MAX_TRIES = 3;
/** Holes that are near each other are asked for as one: up to so many seqs, */
const MAX_MERGED_SEQS = 1_000;
/** and while what is held between them, and comes again, is no more than so many times what is missing. */
const MAX_AGAIN = 2;
/** Answers that brought nothing, remembered per stream. */
const MAX_FRUITLESS = 256;

/** Which of one stream's holes to ask for: newest first, near ones together, none twice at once, none for ever. */
export class HoleRepair {
  readonly #asked = new Map<SeqSpan, number>();
  #fruitless: SeqSpan[] = [];

  /** What to ask for next, of these holes (oldest first); undefined: nothing. */
  next(holes: readonly SeqSpan[]): SeqSpan | undefined {
    const open = holes.filter((hole) => this.#isOpen(hole));
    const newest = open.at(-1);
    if (newest === undefined) return undefined;
    let { first } = newest;
    const { last } = newest;
    let missing = last - first + 1;
    for (const hole of open.slice(0, -1).reverse()) {
      missing += hole.last - hole.first + 1;
      const seqs = last - hole.first + 1;
      if (seqs > MAX_MERGED_SEQS || seqs - missing > MAX_AGAIN * missing) break;
      first = hole.first;
    }
    return { first, last };
  }

  /** Of these holes those of which something may still come: not the ones that were given up. */
  awaited(holes: readonly SeqSpan[]): readonly SeqSpan[] {
    return holes.filter((hole) => this.#isAsked(hole) || !this.#isGivenUp(hole));
  }

  /** It was asked for. */
  ask(span: SeqSpan, holes: readonly SeqSpan[]): void {
    this.#asked.set(span, missingIn(span, holes));
  }

  /** Its answer came, or never will: whether it brought nothing counts. */
  settle(span: SeqSpan, holes: readonly SeqSpan[]): void {
    const before = this.#asked.get(span) ?? 0;
    this.#asked.delete(span);
    if (missingIn(span, holes) < before) return;
    this.#fruitless.push(span);
    if (this.#fruitless.length > MAX_FRUITLESS) this.#fruitless.shift();
  }

  /** It was not tried: that counts for nothing. */
  putOff(span: SeqSpan): void {
    this.#asked.delete(span);
  }

  /** Everything may be asked for again. */
  reset(): void {
    this.#fruitless = [];
  }

  #isOpen(hole: SeqSpan): boolean {
    return !this.#isAsked(hole) && !this.#isGivenUp(hole);
  }

  #isAsked(hole: SeqSpan): boolean {
    for (const span of this.#asked.keys()) if (overlaps(span, hole)) return true;
    return false;
  }

  #isGivenUp(hole: SeqSpan): boolean {
    return this.#fruitless.filter((span) => overlaps(span, hole)).length >= MAX_TRIES;
  }
}

function missingIn(span: SeqSpan, holes: readonly SeqSpan[]): number {
  let missing = 0;
  for (const hole of holes)
    missing += Math.max(0, Math.min(span.last, hole.last) - Math.max(span.first, hole.first) + 1);
  return missing;
}

function overlaps(a: SeqSpan, b: SeqSpan): boolean {
  return a.first <= b.last && b.first <= a.last;
}
