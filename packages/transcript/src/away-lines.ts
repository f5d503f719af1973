import type { LetGoTurn } from './let-go.ts';
import type { LogEvent } from './log-event.ts';

/** Consecutive lines of a stream that were let go, and how many of them are not here again. */
export interface AwayLines {
  readonly first: number;
  readonly last: number;
  missing: number;
  /** What a fold reads in their place. */
  readonly event: LogEvent & { readonly letGo: LetGoTurn };
}

/** The stretches of one stream that were let go, by seq. */
export class AwayBook {
  #stretches: AwayLines[] = [];

  get stretches(): readonly AwayLines[] {
    return this.#stretches;
  }

  add(stretch: AwayLines): void {
    const at = this.#place(stretch.first);
    this.#stretches.splice(at, 0, stretch);
  }

  remove(stretch: AwayLines): void {
    this.#stretches = this.#stretches.filter((one) => one !== stretch);
  }

  /** The stretch a seq lies in. Cost: a binary search. */
  at(seq: number): AwayLines | undefined {
    const stretch = this.#stretches[this.#place(seq + 1) - 1];
    return stretch !== undefined && stretch.last >= seq ? stretch : undefined;
  }

  /** How many begin before `seq`. */
  #place(seq: number): number {
    let [low, high] = [0, this.#stretches.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#stretches[middle]?.first ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
