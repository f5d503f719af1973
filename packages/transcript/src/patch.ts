import type { Item, Transcript, Turn } from './model.ts';
import { same } from './same.ts';

/** What makes another transcript out of one that both sides have. Plain data. */
export interface TranscriptPatch extends Omit<Transcript, 'turns'> {
  /** How many turns there are; those that are not in `changed` are the base's. */
  readonly turns: number;
  readonly changed: readonly TurnPatch[];
}

/** A turn at its place. Items that are not in `changed` are those of the base's turn at that place. */
export interface TurnPatch {
  readonly at: number;
  readonly head: Omit<Turn, 'items'>;
  readonly items: number;
  readonly changed: readonly (readonly [at: number, item: Item])[];
}

/**
 * Says what of a transcript is other than in a base. It remembers by identity what it found the same: transcripts that share
 * their turns, as those of a replay do, are compared again only where they differ.
 */
export class TranscriptDiffer {
  readonly #turns = new WeakMap<Turn, { readonly base: Turn; readonly patch: Omit<TurnPatch, 'at'> | undefined }>();
  readonly #items = new WeakMap<Item, Item>();

  diff(base: Transcript, next: Transcript): TranscriptPatch {
    const changed: TurnPatch[] = [];
    for (const [at, turn] of next.turns.entries()) {
      const patch = this.#patchOf(base.turns[at], turn);
      if (patch !== undefined) changed.push({ at, ...patch });
    }
    const { channelId, streams, session } = next;
    return { channelId, streams, session, turns: next.turns.length, changed };
  }

  #patchOf(base: Turn | undefined, turn: Turn): Omit<TurnPatch, 'at'> | undefined {
    if (base === turn) return undefined;
    const known = this.#turns.get(turn);
    if (known !== undefined && known.base === base) return known.patch;
    const patch = this.#compare(base, turn);
    if (base !== undefined) this.#turns.set(turn, { base, patch });
    return patch;
  }

  #compare(base: Turn | undefined, turn: Turn): Omit<TurnPatch, 'at'> | undefined {
    const { items, ...head } = turn;
    const before = base?.id === turn.id ? base : undefined;
    const changed: (readonly [number, Item])[] = [];
    for (const [at, item] of items.entries()) if (!this.#isSame(before?.items[at], item)) changed.push([at, item]);
    if (before !== undefined && changed.length === 0 && before.items.length === items.length) {
      const { items: _, ...old } = before;
      if (same(old, head)) return undefined;
    }
    return { head, items: items.length, changed };
  }

  #isSame(base: Item | undefined, item: Item): boolean {
    if (base === undefined) return false;
    if (base === item || this.#items.get(item) === base) return true;
    if (!same(base, item)) return false;
    this.#items.set(item, base);
    return true;
  }
}

/** The transcript a patch tells of, made from the base it was made for. What did not change is the base's own. */
export function applyPatch(base: Transcript, patch: TranscriptPatch): Transcript {
  const turns = base.turns.slice(0, patch.turns);
  for (const { at, head, items: count, changed } of patch.changed) {
    const before = base.turns[at];
    const items = (before?.id === head.id ? before.items : []).slice(0, count);
    for (const [place, item] of changed) items[place] = item;
    turns[at] = { ...head, items };
  }
  const { channelId, streams, session } = patch;
  return { channelId, streams, session, turns };
}
