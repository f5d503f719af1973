import type { CarriedTranscript, Carry } from './carry.ts';
import { EMPTY_CARRY } from './carry.ts';
import type { Item, SeqRange, SessionState, Transcript, Turn } from './model.ts';

/** A turn under edit: its head (whose `items` may be stale) and its items. */
interface TurnEdit {
  head: Turn;
  /** Whether `head` was made since `finish` and is ours to change. */
  ownsHead: boolean;
  items: Item[];
  /** Whether `items` is ours to change; after `finish` it belongs to the transcript that was handed out. */
  owned: boolean;
  changed: boolean;
  /** Item id → place, made when first asked for. */
  index: Map<string, number> | undefined;
}

/** Turns at the end whose item index is kept from one `finish` to the next. */
const KEPT_EDITS = 4;

/** Items at a turn's end that are compared one by one before an index of all is made. */
const LOOK_BACK = 16;

/**
 * A transcript under edit. Copies each array once between two `finish` calls, so that folding many events costs the same
 * per event however long the session is; what `finish` hands out is never changed afterwards.
 */
export class Draft {
  readonly channelId: string | null;
  streams: readonly string[];
  session: SessionState;
  carry: Carry;
  /** Turns changed since `takeEdited` was asked last. */
  #edited = new Set<number>();
  #turns: Turn[];
  #ownsTurns = false;
  #edits = new Map<number, TurnEdit>();
  #finished: CarriedTranscript | undefined;

  constructor(base: CarriedTranscript) {
    this.channelId = base.channelId;
    this.streams = base.streams;
    this.session = base.session;
    this.carry = base.carry ?? EMPTY_CARRY;
    this.#turns = base.turns as Turn[];
    this.#finished = base;
  }

  get turnCount(): number {
    return this.#turns.length;
  }

  /** A turn's head: everything but its items. */
  head(at: number): Omit<Turn, 'items'> {
    return this.#edits.get(at)?.head ?? this.#turn(at);
  }

  items(at: number): readonly Item[] {
    return this.#edits.get(at)?.items ?? this.#turn(at).items;
  }

  /** Where the turn with this id stands, −1 when nowhere. Looked for from the end: asked-for turns are nearly always new. */
  turnAt(id: string | undefined): number {
    if (id === undefined) return -1;
    for (let at = this.#turns.length - 1; at >= 0; at--) if (this.head(at).id === id) return at;
    return -1;
  }

  addTurn(turn: Turn): number {
    if (!this.#ownsTurns) this.#turns = this.#turns.slice();
    this.#ownsTurns = true;
    return this.#turns.push(turn) - 1;
  }

  patchTurn(at: number, patch: Partial<Omit<Turn, 'items'>>): void {
    const edit = this.#edit(at);
    edit.head = { ...edit.head, ...patch };
    edit.ownsHead = true;
  }

  /** As `patchTurn`, for what every event changes: in place, where nobody was handed that head. */
  setRefs(at: number, refs: readonly SeqRange[]): void {
    const edit = this.#edit(at);
    if (edit.ownsHead) (edit.head as { refs: readonly SeqRange[] }).refs = refs;
    else this.patchTurn(at, { refs });
  }

  item(at: number, id: string): Item | undefined {
    const place = this.#place(at, id);
    return place === undefined ? undefined : this.items(at)[place];
  }

  lastItem(at: number): Item | undefined {
    return this.items(at).at(-1);
  }

  /** Puts the item in the place of the one with its id, or at the end. */
  put(at: number, item: Item): void {
    const place = this.#place(at, item.id);
    const edit = this.#edit(at);
    if (!edit.owned) edit.items = edit.items.slice();
    edit.owned = true;
    if (place !== undefined) edit.items[place] = item;
    else {
      edit.index?.set(item.id, edit.items.length);
      edit.items.push(item);
    }
  }

  /** Puts several items in the place of one; an id that is nowhere changes nothing. */
  replace(at: number, id: string, items: readonly Item[]): void {
    const place = this.#place(at, id);
    if (place === undefined) return;
    const edit = this.#edit(at);
    edit.items = edit.items.toSpliced(place, 1, ...items);
    edit.owned = true;
    edit.index = undefined;
  }

  /** The places of the turns changed since the last call. */
  takeEdited(): ReadonlySet<number> {
    const edited = this.#edited;
    if (edited.size > 0) this.#edited = new Set();
    return edited;
  }

  /** The transcript as it is now; the same value when nothing changed since the last call. */
  finish(): CarriedTranscript {
    for (const [at, edit] of this.#edits) {
      if (edit.changed) {
        if (!this.#ownsTurns) this.#turns = this.#turns.slice();
        this.#ownsTurns = true;
        edit.head = { ...edit.head, items: edit.items };
        this.#turns[at] = edit.head;
      }
      edit.changed = false;
      edit.ownsHead = false;
      edit.owned = false;
      if (at < this.#turns.length - KEPT_EDITS) this.#edits.delete(at);
    }
    this.#ownsTurns = false;
    const { channelId, streams, session, carry } = this;
    const before = this.#finished;
    if (
      before?.turns === this.#turns &&
      before.streams === streams &&
      before.session === session &&
      before.carry === carry
    )
      return before;
    this.#finished = { channelId, streams, session, turns: this.#turns, carry };
    return this.#finished;
  }

  #turn(at: number): Turn {
    const turn = this.#turns[at];
    if (turn === undefined) throw new RangeError(`turn ${at} of ${this.#turns.length}`);
    return turn;
  }

  #edit(at: number): TurnEdit {
    this.#edited.add(at);
    let edit = this.#edits.get(at);
    if (edit === undefined) {
      const head = this.#turn(at);
      edit = { head, ownsHead: false, items: head.items as Item[], owned: false, changed: true, index: undefined };
      this.#edits.set(at, edit);
    }
    edit.changed = true;
    return edit;
  }

  #place(at: number, id: string): number | undefined {
    const items = this.items(at);
    const oldest = Math.max(0, items.length - LOOK_BACK);
    for (let place = items.length - 1; place >= oldest; place--) if (items[place]?.id === id) return place;
    if (oldest === 0) return undefined;
    let edit = this.#edits.get(at);
    if (edit === undefined) {
      const head = this.#turn(at);
      edit = { head, ownsHead: false, items: head.items as Item[], owned: false, changed: false, index: undefined };
      this.#edits.set(at, edit);
    }
    edit.index ??= new Map(items.map((item, place) => [item.id, place]));
    return edit.index.get(id);
  }
}

/** The transcript of a channel nothing is known of. */
export function blankTranscript(channelId: string | null): Transcript {
  return {
    channelId,
    streams: [],
    session: {
      protocolVersion: undefined,
      sessionId: undefined,
      agentName: undefined,
      cwd: undefined,
      title: undefined,
      modeId: undefined,
      modes: [],
      modelId: undefined,
      models: [],
      configOptions: [],
      commands: [],
      usage: undefined,
      queue: [],
    },
    turns: [],
  };
}
