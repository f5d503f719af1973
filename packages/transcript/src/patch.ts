import type { Item, SessionState, Transcript, Turn } from './model.ts';
import { same } from './same.ts';

/** Of a list: a stretch of the base's, or entries that are new. */
export type Piece<T> = { readonly from: number; readonly count: number } | { readonly fresh: readonly T[] };

/** What makes another transcript out of one that both sides have. Plain data. */
export interface TranscriptPatch extends Omit<Transcript, 'turns' | 'session'> {
  /** Undefined: the base's. */
  readonly session: SessionState | undefined;
  readonly turns: readonly Piece<TurnPatch>[];
}

/** A turn that is not the base's: its items are pieces of those of the base's turn at `of`, −1 where it goes by none. */
export interface TurnPatch {
  readonly of: number;
  readonly head: Omit<Turn, 'items'>;
  readonly items: readonly Piece<Item>[];
}

/** Whether two items say the same, looked into: for transcripts that were folded apart. Pure; compares all of both. */
export const isSameItem: (base: Item, item: Item) => boolean = same;

/**
 * Says what of a transcript is other than in a base. Items are the same where they are one object, or where `isSame` says so;
 * what it said is remembered, so transcripts that share their turns are compared again only where they differ. Cost: one
 * pass over the turns, and over the items of those that changed.
 */
export class TranscriptDiffer {
  readonly #isSame: (base: Item, item: Item) => boolean;
  readonly #turns = new WeakMap<Turn, { readonly base: Turn; readonly patch: Omit<TurnPatch, 'of'> | undefined }>();
  readonly #items = new WeakMap<Item, Item>();

  constructor(isSame: (base: Item, item: Item) => boolean = Object.is) {
    this.#isSame = isSame;
  }

  diff(base: Transcript, next: Transcript): TranscriptPatch {
    const { channelId, streams } = next;
    const session = base.session === next.session ? undefined : next.session;
    const turns = piecesOf<Turn, TurnPatch>(base.turns, next.turns, (turn, of) => {
      const patch = this.#patchOf(base.turns[of], turn);
      return patch === undefined ? undefined : { of, ...patch };
    });
    return { channelId, streams, session, turns };
  }

  #patchOf(base: Turn | undefined, turn: Turn): Omit<TurnPatch, 'of'> | undefined {
    if (base === turn) return undefined;
    const known = this.#turns.get(turn);
    if (known !== undefined && known.base === base) return known.patch;
    const patch = this.#compare(base, turn);
    if (base !== undefined) this.#turns.set(turn, { base, patch });
    return patch;
  }

  #compare(base: Turn | undefined, turn: Turn): Omit<TurnPatch, 'of'> | undefined {
    const { items, ...head } = turn;
    const before = base?.items ?? [];
    const pieces = piecesOf<Item, Item>(before, items, (item, of) =>
      this.#isKept(before[of], item) ? undefined : item,
    );
    if (base !== undefined && isWhole(pieces, before.length)) {
      const { items: _, ...old } = base;
      if (same(old, head)) return undefined;
    }
    return { head, items: pieces };
  }

  #isKept(base: Item | undefined, item: Item): boolean {
    if (base === undefined) return false;
    if (base === item || this.#items.get(item) === base) return true;
    if (!this.#isSame(base, item)) return false;
    this.#items.set(item, base);
    return true;
  }
}

/** The transcript a patch tells of, made from the base it was made for. What did not change is the base's own. */
export function applyPatch(base: Transcript, patch: TranscriptPatch): Transcript {
  const { channelId, streams, session = base.session } = patch;
  const turns = assemble(base.turns, patch.turns, ({ of, head, items }) => ({
    ...head,
    items: assemble(base.turns[of]?.items ?? [], items, (item) => item),
  }));
  return { channelId, streams, session, turns };
}

/**
 * The pieces that make `next` out of `base`. Entries are found by their ids: at the place they would have if nothing else
 * changed, else wherever they are. `change` says what is new in an entry, told the base's place for its id (−1: none);
 * undefined: nothing.
 */
function piecesOf<T extends { readonly id: string }, P>(
  base: readonly T[],
  next: readonly T[],
  change: (entry: T, of: number) => P | undefined,
): readonly Piece<P>[] {
  const pieces: Piece<P>[] = [];
  let kept: { from: number; count: number } | undefined;
  let fresh: P[] | undefined;
  let places: Map<string, number> | undefined;
  let shift = 0;
  const placeOf = (entry: T, at: number): number => {
    const there = base[at + shift];
    if (there === entry || there?.id === entry.id) return at + shift;
    if (at + shift >= base.length) return -1;
    places ??= new Map(base.map(({ id }, place) => [id, place]));
    const found = places.get(entry.id) ?? -1;
    // What is new moves what follows; what moved leads on.
    shift = found < 0 ? shift - 1 : found - at;
    return found;
  };
  for (const [at, entry] of next.entries()) {
    const of = placeOf(entry, at);
    const changed = of >= 0 && base[of] === entry ? undefined : change(entry, of);
    if (changed === undefined) {
      fresh = undefined;
      if (kept !== undefined && kept.from + kept.count === of) kept.count++;
      else {
        kept = { from: of, count: 1 };
        pieces.push(kept);
      }
    } else {
      kept = undefined;
      if (fresh === undefined) {
        fresh = [];
        pieces.push({ fresh });
      }
      fresh.push(changed);
    }
  }
  return pieces;
}

function isWhole(pieces: readonly Piece<unknown>[], count: number): boolean {
  const [only, ...more] = pieces;
  if (only === undefined) return count === 0;
  return more.length === 0 && 'from' in only && only.from === 0 && only.count === count;
}

function assemble<T, P>(base: readonly T[], pieces: readonly Piece<P>[], make: (fresh: P) => T): readonly T[] {
  const made: T[] = [];
  for (const piece of pieces) {
    if ('fresh' in piece) for (const one of piece.fresh) made.push(make(one));
    else for (let at = piece.from; at < piece.from + piece.count; at++) made.push(base[at] as T);
  }
  return made;
}
