import { itemTexts } from './item-text.ts';
import type { Item, Transcript, Turn } from './model.ts';
import { Needle } from './needle.ts';

/** An item that holds what is looked for. */
export interface ItemHit {
  readonly turnId: string;
  readonly itemId: string;
}

/** Items that hold the needle: how many in all, and the first MAX_HITS of them, oldest first. */
export interface FoundItems {
  readonly count: number;
  readonly hits: readonly ItemHit[];
}

/** Hits that are told one by one; what is beyond is counted. */
export const MAX_HITS = 5_000;
/** Texts looked at between two chances to do something else: by number and by length. */
const MAX_TEXTS = 200;
const MAX_CHARACTERS = 500_000;

/**
 * A needle (great letters or small) looked for in all a transcript holds, folded and far rows too. It remembers what it has
 * looked at by identity: asked again for a transcript that grew, it reads only what changed.
 */
export class TranscriptSearch {
  readonly #needle: Needle;
  readonly #items = new WeakMap<Item, boolean>();
  readonly #turns = new WeakMap<Turn, readonly ItemHit[]>();
  #found: FoundItems = { count: 0, hits: [] };
  /** Texts and characters looked at since the last chance to do something else. */
  #texts = 0;
  #characters = 0;

  constructor(needle: string) {
    this.#needle = new Needle(needle);
  }

  /** What has been found so far in the run under way, or in the last one. */
  get found(): FoundItems {
    return this.#found;
  }

  /** Looks through a transcript, yielding often enough to be done in slices of a millisecond or two. */
  *run(transcript: Transcript): Generator<undefined, FoundItems> {
    const hits: ItemHit[] = [];
    let count = 0;
    for (const turn of transcript.turns) {
      const found = this.#turns.get(turn) ?? (yield* this.#lookThrough(turn));
      count += found.length;
      for (let at = 0; at < found.length && hits.length < MAX_HITS; at++) hits.push(found[at] as ItemHit);
      this.#found = { count, hits };
    }
    this.#found = { count, hits };
    return this.#found;
  }

  *#lookThrough(turn: Turn): Generator<undefined, readonly ItemHit[]> {
    const hits: ItemHit[] = [];
    for (const item of turn.items) {
      const holds = this.#items.get(item) ?? (yield* this.#lookAt(item));
      if (holds) hits.push({ turnId: turn.id, itemId: item.id });
    }
    this.#turns.set(turn, hits);
    return hits;
  }

  *#lookAt(item: Item): Generator<undefined, boolean> {
    let holds = false;
    for (const text of itemTexts(item)) {
      holds = this.#needle.isIn(text);
      this.#texts++;
      this.#characters += text.length;
      if (this.#texts >= MAX_TEXTS || this.#characters >= MAX_CHARACTERS) {
        [this.#texts, this.#characters] = [0, 0];
        yield;
      }
      if (holds) break;
    }
    this.#items.set(item, holds);
    return holds;
  }
}
