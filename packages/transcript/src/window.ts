import type { CarriedTranscript } from './carry.ts';
import type { AwayItems, Item, Transcript, Turn } from './model.ts';

/** An item by its ids. */
interface Anchor {
  readonly turnId: string;
  readonly itemId: string;
}

/** A stretch of a transcript's items, counted over all turns; `to` is not in it. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Items that are shown at most, however far somebody reads back. */
const MAX_ITEMS = 4_000;
/** Of the end so many are always there … */
const TAIL_ITEMS = 60;
/** … and the text of either, in UTF-16 units, for each item it may hold at least: one item may be a file of megabytes. */
const UNITS_PER_ITEM = 32_768;

/**
 * A part of a transcript, so that who shows it need not hold all of it: a stretch of its items, and besides it the newest ones,
 * the first prompt and every question that waits. The stretch goes to the end and follows it, until somebody reads further back.
 * What it shows is plain transcripts, in which `Turn.away` says where how much is not there.
 */
export class TranscriptWindow {
  #size: number;
  #isHeld = false;
  #more: { readonly before: Anchor; readonly items: number } | undefined;
  #first: Anchor | undefined;
  /** Undefined: the end, whatever comes. */
  #last: Anchor | undefined;
  /** Another part may be asked for than was shown last. */
  #isMoved = false;
  #shown: { readonly of: Transcript; readonly span: Span; readonly as: Transcript } | undefined;

  /** `size`: items that are shown at least, where there are as many; twice as many at most while it is not held. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Another size, from the next look on. */
  resize(size: number): void {
    this.#isMoved ||= size !== this.#size;
    this.#size = size;
  }

  /** Held, nothing that is shown goes while more comes, up to 4,000 items; let go of, it is the newest again. */
  hold(isHeld: boolean): void {
    this.#isMoved = true;
    this.#isHeld = isHeld;
    if (!isHeld) this.#last = undefined;
  }

  /** So many more on that side of the stretch on which this item is, from the next look on; one that is gone changes nothing. */
  extend(before: Anchor, items: number): void {
    this.#isMoved = true;
    this.#more = { before, items };
  }

  /** Moves to an item that is not shown, the newest that `isIt`; with none of them it stays. */
  reach(transcript: Transcript, isIt: (item: Item, turn: Turn) => boolean): void {
    const starts = startsOf(transcript);
    const shown = this.#spanIn(transcript, starts);
    for (let turn = transcript.turns.length - 1; turn >= 0; turn--) {
      const one = transcript.turns[turn] as Turn;
      const item = one.items.findLastIndex((candidate) => isIt(candidate, one));
      if (item < 0) continue;
      const at = (starts[turn] ?? 0) + item;
      if (shown.from <= at && at < shown.to) return;
      const from = Math.max(0, at - Math.floor(this.#size / 2));
      this.#isMoved = true;
      this.#isHeld = true;
      this.#anchor(transcript, starts, { from, to: from + this.#size });
      return;
    }
  }

  /** What is shown of this transcript; the same value while neither changed. Cost: its turns, and the items that are shown. */
  view(transcript: CarriedTranscript): Transcript {
    if (this.#shown?.of === transcript && !this.#isMoved) return this.#shown.as;
    this.#isMoved = false;
    const starts = startsOf(transcript);
    const span = this.#next(transcript, starts);
    this.#anchor(transcript, starts, span);
    const shown = this.#shown;
    if (shown?.of === transcript && shown.span.from === span.from && shown.span.to === span.to) return shown.as;
    const as = cut(transcript, starts, span);
    this.#shown = { of: transcript, span, as };
    return as;
  }

  #next(transcript: Transcript, starts: readonly number[]): Span {
    const total = starts.at(-1) ?? 0;
    const newest = Math.max(0, total - this.#size);
    const more = this.#more;
    this.#more = undefined;
    let { from, to } = this.#spanIn(transcript, starts);
    const at = more === undefined ? -1 : placeOf(transcript, starts, more.before);
    const isAfter = more !== undefined && at >= to;
    // A question that stands apart before the stretch is met by it.
    if (more !== undefined && at >= 0 && !isAfter) from = Math.max(0, Math.min(from, at) - more.items);
    if (isAfter) to += more.items;
    if (to >= total - TAIL_ITEMS) to = total;
    if (to === total && (from > newest || (!this.#isHeld && total - from > 2 * this.#size))) from = newest;
    if (to - from > MAX_ITEMS && isAfter) from = to - MAX_ITEMS;
    // Who reads further back has no use for the newest ones in one piece with it.
    if (to - from > MAX_ITEMS) to = from + MAX_ITEMS;
    const isEndKept = isAfter || (to === total && !this.#isHeld);
    return fitting(transcript, starts, { from, to }, this.#size * UNITS_PER_ITEM, isEndKept ? 'end' : 'beginning');
  }

  /** The stretch as the transcript is now; of one whose items are gone, the newest. */
  #spanIn(transcript: Transcript, starts: readonly number[]): Span {
    const total = starts.at(-1) ?? 0;
    const to = this.#last === undefined ? total : placeOf(transcript, starts, this.#last) + 1;
    const from = this.#first === undefined ? -1 : placeOf(transcript, starts, this.#first);
    return from < 0 || to <= from ? { from: Math.max(0, total - this.#size), to: total } : { from, to };
  }

  #anchor(transcript: Transcript, starts: readonly number[], { from, to }: Span): void {
    this.#first = anchorAt(transcript, starts, from);
    this.#last = to >= (starts.at(-1) ?? 0) ? undefined : anchorAt(transcript, starts, to - 1);
  }
}

/** Of a stretch as much as holds so much text, from one side of it on; its first item there in any case. */
function fitting(
  { turns }: Pick<Transcript, 'turns'>,
  starts: readonly number[],
  { from, to }: Span,
  units: number,
  kept: 'beginning' | 'end',
): Span {
  let turn = kept === 'end' ? turns.length - 1 : 0;
  let left = units;
  const step = kept === 'end' ? -1 : 1;
  for (let at = kept === 'end' ? to - 1 : from; from <= at && at < to; at += step) {
    while (at < (starts[turn] ?? 0) || at >= (starts[turn + 1] ?? 0)) turn += step;
    left -= unitsOf(turns[turn]?.items[at - (starts[turn] ?? 0)] as Item);
    if (left >= 0) continue;
    return kept === 'end' ? { from: Math.min(at + 1, to - 1), to } : { from, to: Math.max(at, from + 1) };
  }
  return { from, to };
}

const units = new WeakMap<Item, number>();

/** How much text an item holds, in UTF-16 units. */
function unitsOf(item: Item): number {
  let sum = units.get(item);
  if (sum === undefined) {
    sum = textIn(item);
    units.set(item, sum);
  }
  return sum;
}

function textIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  for (const one of Object.values(value)) sum += textIn(one);
  return sum;
}

/** How many items there are before each turn, and in all. */
function startsOf({ turns }: Transcript): readonly number[] {
  const starts = [0];
  let sum = 0;
  for (const { items } of turns) {
    sum += items.length;
    starts.push(sum);
  }
  return starts;
}

/** Looked for from the end: what is shown is nearly always new. */
function placeOf({ turns }: Transcript, starts: readonly number[], { turnId, itemId }: Anchor): number {
  const turn = turns.findLastIndex(({ id }) => id === turnId);
  const item = turns[turn]?.items.findLastIndex(({ id }) => id === itemId) ?? -1;
  return item < 0 ? -1 : (starts[turn] ?? 0) + item;
}

function anchorAt({ turns }: Transcript, starts: readonly number[], at: number): Anchor | undefined {
  const turn = turns.findLastIndex(({ items }, one) => items.length > 0 && (starts[one] ?? 0) <= at);
  const [one, item] = [turns[turn], turns[turn]?.items[at - (starts[turn] ?? 0)]];
  return one === undefined || item === undefined ? undefined : { turnId: one.id, itemId: item.id };
}

function cut({ channelId, streams, session, turns, carry }: CarriedTranscript, starts: readonly number[], span: Span) {
  const total = starts.at(-1) ?? 0;
  if (span.from === 0 && span.to >= total) return { channelId, streams, session, turns };
  const opening = turns.findIndex(({ source }) => source !== 'none');
  const end = { from: Math.max(0, total - TAIL_ITEMS), to: total };
  const tail = fitting({ turns }, starts, end, TAIL_ITEMS * UNITS_PER_ITEM, 'end');
  const shown: Turn[] = [];
  /** The place after the last item that is shown. */
  let next = 0;
  for (const [at, turn] of turns.entries()) {
    const [start, end] = [starts[at] ?? 0, starts[at + 1] ?? 0];
    const places = [...neededOf(turn, at === opening, carry).map((item) => start + item)];
    for (const { from, to } of [span, tail])
      for (let place = Math.max(from, start); place < Math.min(to, end); place++) places.push(place);
    // A turn of which nothing is there yet is under way, or says only how it ended.
    if (places.length === 0 && (turn.items.length > 0 || start < span.from)) continue;
    const items: Item[] = [];
    const away: AwayItems[] = [];
    const { away: letGo = [], ...head } = turn;
    for (const place of [...new Set(places)].sort((a, b) => a - b)) {
      if (place > next) away.push({ before: items.length, items: place - next });
      items.push(turn.items[place - start] as Item);
      next = place + 1;
      for (const one of letGo) if (one.before === next - start) away.push({ ...one, before: items.length });
    }
    const isWhole = items.length === turn.items.length && away.length === letGo.length;
    shown.push(isWhole ? turn : { ...head, items, ...(away.length === 0 ? {} : { away }) });
  }
  return { channelId, streams, session, turns: shown };
}

/** Places of what must be there whatever is read: the first prompt, and what waits. */
function neededOf(turn: Turn, isOpening: boolean, carry: CarriedTranscript['carry']): readonly number[] {
  const places = isOpening ? [turn.items.findIndex(({ kind }) => kind === 'user')] : [];
  for (const { open, turnId, itemId } of carry?.questions ?? [])
    if (open && turnId === turn.id) places.push(turn.items.findIndex(({ id }) => id === itemId));
  return places.filter((place) => place >= 0);
}
