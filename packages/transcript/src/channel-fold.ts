import { type CarriedTranscript, type Carry, EMPTY_CARRY, turnsIn } from './carry.ts';
import { Draft } from './draft.ts';
import { reduceMissing, reduceTail } from './gap.ts';
import type { LaneKey, Segment } from './lane.ts';
import { inShort, type LetGoTurn } from './let-go.ts';
import type { LogEvent } from './log-event.ts';
import {
  type Arrival,
  type Cursor,
  type LaneName,
  placeOf,
  precedes,
  START,
  segmentStart,
  type Taken,
  take,
} from './merge.ts';
import type { SessionState, Turn } from './model.ts';
import { emptyTranscript, reduceInto } from './reduce.ts';
import { keepIdentity, same } from './same.ts';

/** A turn's start: everything that was known just before the event that made it. */
interface Cut {
  readonly cursor: Cursor;
  readonly heads: Taken['heads'];
  /** How many turns there were. */
  readonly turns: number;
  readonly streams: readonly string[];
  readonly session: SessionState;
  readonly carry: Carry;
}

/** One event in the order of the fold, and the place after it. */
export interface OrderedEvent {
  readonly event: LogEvent;
  readonly cursor: Cursor;
  /** The stream that was left just before it, and how far it is known to go. */
  readonly left: { readonly stream: string; readonly end: number } | undefined;
}

/** What the fold of one channel needs of the log. */
export interface FoldSource {
  segments(): readonly Segment[];
  /** The newest seq a stream is known to have. */
  end(stream: string): number;
  /** The oldest event of the run that came after this one. */
  runAfter(run: string): LogEvent | undefined;
}

/**
 * One channel's transcript, folded on demand. An event that comes out of order folds its turn again, not the session: the
 * fold goes back to the start of that turn and stops at the first later one where everything is as it was.
 */
export class ChannelFold {
  readonly #channelId: string | null;
  readonly #source: FoldSource;
  #draft: Draft;
  #cursor: Cursor = START;
  #cuts: Cut[] = [];
  /** For turns that changed when a newer one had begun: the place of that newer one. */
  #reach = new Map<number, number>();
  /** Where to fold again from (a place in `#cuts`, −1 for the start), and what must be met before it can stop. */
  #dirty: { readonly cut: number; readonly unmet: Set<string> } | undefined;
  #segments: readonly Segment[] = [];
  /** How often the order of what was folded already changed: by something that came late, or by other streams. */
  rewrites = 0;
  #shown:
    | {
        readonly of: CarriedTranscript;
        readonly end: number;
        readonly later: LogEvent | undefined;
        readonly as: CarriedTranscript;
      }
    | undefined;

  constructor(channelId: string | null, source: FoldSource) {
    this.#channelId = channelId;
    this.#source = source;
    this.#draft = new Draft(emptyTranscript(channelId));
  }

  /** An event came into one of the lanes. Cost: nothing when it is in order, else a search for where to fold again from. */
  arrive(lane: LaneName, stream: string, event: { readonly key: LaneKey; readonly timestamp: string }): void {
    for (const [segment, known] of this.#segments.entries()) {
      if ((lane === 'own' ? known.stream : known.run) === stream) this.#arriveAt({ ...event, lane, segment });
    }
  }

  #arriveAt(at: Arrival): void {
    if (precedes(this.#cursor, undefined, at)) return;
    this.rewrites++;
    let cut = this.#dirty?.cut ?? this.#cuts.length - 1;
    while (cut >= 0 && !precedes((this.#cuts[cut] as Cut).cursor, this.#cuts[cut]?.heads, at)) cut--;
    const unmet = this.#dirty?.unmet ?? new Set<string>();
    unmet.add(`${at.segment}|${at.lane}|${at.key}`);
    this.#dirty = { cut, unmet };
  }

  /** A stream is known to go further than what is here. */
  announced(stream: string): void {
    const segment = this.#segments.findIndex((known) => known.stream === stream);
    if (segment >= 0 && segment < this.#cursor.segment) this.reset();
  }

  /** Streams came, went or changed places: everything is folded again. */
  reset(): void {
    this.rewrites++;
    this.#dirty = { cut: -1, unmet: new Set(['all']) };
  }

  /**
   * Turns whose lines can be let go, oldest first, for as long as somebody takes them: ended ones that nothing outside them is made
   * with, and that nothing waits in. `take` says whether the lines went.
   */
  letGo(
    isWanted: (turn: Turn) => boolean,
    take: (stream: string, first: number, last: number, letGo: LetGoTurn) => boolean,
  ): void {
    this.transcript();
    const draft = this.#draft.finish();
    const clean = cleanCuts(this.#cuts, this.#reach);
    const needed = turnsIn(draft.carry ?? EMPTY_CARRY);
    const turns = draft.turns.slice();
    for (const [at, cut] of this.#cuts.entries()) {
      const next = this.#cuts[at + 1];
      const turn = turns[cut.turns];
      if (next === undefined || turn === undefined || next.turns !== cut.turns + 1 || !clean[at] || !clean[at + 1])
        continue;
      if (turn.away !== undefined || needed.has(turn.id) || !isWanted(turn)) continue;
      const [segment, short] = [this.#segments[cut.cursor.segment], inShort(turn)];
      const [before, last] = [cut.cursor.own, next.cursor.own];
      if (segment === undefined || short === undefined || next.cursor.segment !== cut.cursor.segment) continue;
      if (typeof before !== 'number' || typeof last !== 'number' || last <= before) continue;
      const { session, carry, cursor } = next;
      if (take(segment.stream, before + 1, last, { turn: short, session, carry, cursor, run: segment.run }))
        turns[cut.turns] = short;
    }
    if (turns.every((turn, at) => turn === draft.turns[at])) return;
    this.rewrites++;
    this.#draft = new Draft({ ...draft, turns });
  }

  /** Another short form of a turn that was let go. */
  shorten(turn: Turn): void {
    const draft = this.#draft.finish();
    const at = draft.turns.findIndex(({ id, away }) => id === turn.id && away !== undefined);
    const before = draft.turns[at];
    if (before === undefined) return;
    const { away } = turn;
    this.#draft = new Draft({
      ...draft,
      turns: draft.turns.with(at, { ...before, ...(away === undefined ? {} : { away }) }),
    });
  }

  /** The event after this place in the order they are folded in, with what is missing of a stream that ends before it. */
  nextAfter(cursor: Cursor = START): OrderedEvent | undefined {
    this.#checkSegments();
    let at = cursor;
    let left: OrderedEvent['left'];
    for (;;) {
      const segment = this.#segments[at.segment];
      const taken = segment && take(segment, at);
      if (taken !== undefined) return { event: taken.event, cursor: taken.cursor, left };
      if (segment === undefined || at.segment === this.#segments.length - 1) return undefined;
      left = { stream: segment.stream, end: this.#source.end(segment.stream) };
      at = segmentStart(at.segment + 1);
    }
  }

  /** The transcript of what is here now; the same value when nothing changed. */
  transcript(): CarriedTranscript {
    this.#checkSegments();
    if (this.#dirty !== undefined) this.#foldAgain(this.#dirty.cut);
    this.#dirty = undefined;
    this.#advance();
    return this.#withTail(this.#draft.finish());
  }

  #checkSegments(): void {
    const segments = this.#source.segments();
    const before = this.#segments;
    const goesOn = before.every((known, i) => known.stream === segments[i]?.stream && known.run === segments[i]?.run);
    if (!goesOn) this.reset();
    this.#segments = segments;
  }

  #advance(meets: (cut: Cut) => boolean = () => false): void {
    for (;;) {
      const segment = this.#segments[this.#cursor.segment];
      if (segment === undefined) return;
      const taken = take(segment, this.#cursor);
      if (taken === undefined) {
        if (this.#cursor.segment === this.#segments.length - 1) return;
        this.#leaveSegment(segment);
      } else if (this.#step(taken, meets)) return;
    }
  }

  #leaveSegment(segment: Segment): void {
    reduceTail(this.#draft, segment.stream, this.#source.end(segment.stream));
    this.#cursor = segmentStart(this.#cursor.segment + 1);
  }

  #step(taken: Taken, meets: (cut: Cut) => boolean): boolean {
    const draft = this.#draft;
    const { streams, session, carry, turnCount: turns } = draft;
    const cursor = this.#cursor;
    const unmet = this.#dirty?.unmet;
    const settled = unmet === undefined || unmet.size === 0;
    reduceInto(draft, taken.event);
    this.#cursor = taken.cursor;
    unmet?.delete(`${cursor.segment}|${taken.lane}|${taken.key}`);
    const newest = draft.turnCount - 1;
    for (const turn of draft.takeEdited()) if (turn < newest) this.#reach.set(turn, newest);
    if (draft.turnCount === turns) return false;
    const cut = { cursor, heads: taken.heads, turns, streams, session, carry };
    if (settled && meets(cut)) return true;
    this.#cuts.push(cut);
    return false;
  }

  #foldAgain(from: number): void {
    const old = this.#draft.finish();
    const [oldCuts, oldReach, oldCursor] = [this.#cuts, this.#reach, this.#cursor];
    const clean = cleanCuts(oldCuts, oldReach);
    let start = from;
    while (start >= 0 && !clean[start]) start--;
    this.#goTo(start < 0 ? undefined : oldCuts[start], start, old, oldReach);
    // What stood in short may have been looked up in full: who refers to it is folded again as well.
    const short = new Set(old.turns.filter(({ away }) => away !== undefined).map(({ id }) => id));
    const refersToShort = ({ carry }: Cut) =>
      short.size > 0 && [...turnsIn(carry)].some((id) => id !== undefined && short.has(id));
    const byPlace = new Map(oldCuts.map((cut, i) => [placeOf(cut.cursor), i]));
    let met: { readonly cut: Cut; readonly old: number } | undefined;
    this.#advance((cut) => {
      const place = byPlace.get(placeOf(cut.cursor));
      const before = place === undefined ? undefined : oldCuts[place];
      if (place === undefined || before === undefined || !clean[place] || refersToShort(cut)) return false;
      const agrees = same([cut.carry, cut.session, cut.streams], [before.carry, before.session, before.streams]);
      if (agrees) met = { cut, old: place };
      return agrees;
    });
    const folded = this.#draft.finish();
    const turns = keepIdentity(old.turns, folded.turns);
    if (met === undefined) this.#draft = new Draft({ ...folded, turns });
    else this.#splice(old, oldCuts, oldReach, oldCursor, turns, met);
  }

  #goTo(cut: Cut | undefined, at: number, old: CarriedTranscript, oldReach: ReadonlyMap<number, number>): void {
    const turns = cut?.turns ?? 0;
    this.#cursor = cut?.cursor ?? START;
    this.#cuts = this.#cuts.slice(0, Math.max(0, at));
    this.#reach = new Map([...oldReach].filter(([turn]) => turn < turns));
    this.#draft = new Draft(
      cut === undefined
        ? emptyTranscript(this.#channelId)
        : {
            channelId: old.channelId,
            streams: cut.streams,
            session: cut.session,
            carry: cut.carry,
            turns: old.turns.slice(0, turns),
          },
    );
  }

  /** From `met` on everything is as it was: the rest of the old fold goes behind what was folded again. */
  #splice(
    old: CarriedTranscript,
    oldCuts: readonly Cut[],
    oldReach: ReadonlyMap<number, number>,
    oldCursor: Cursor,
    turns: CarriedTranscript['turns'],
    met: { readonly cut: Cut; readonly old: number },
  ): void {
    const was = (oldCuts[met.old] as Cut).turns;
    const moved = met.cut.turns - was;
    this.#draft = new Draft({ ...old, turns: [...turns.slice(0, met.cut.turns), ...old.turns.slice(was)] });
    this.#cuts.push(...oldCuts.slice(met.old).map((cut) => ({ ...cut, turns: cut.turns + moved })));
    for (const [turn, newest] of oldReach) if (turn >= was) this.#reach.set(turn + moved, newest + moved);
    this.#cursor = oldCursor;
  }

  /** What is known to be after the newest event: more of the stream, which is missing, or a run that is not this channel's. */
  #withTail(of: CarriedTranscript): CarriedTranscript {
    const stream = of.carry?.stream;
    const run = this.#segments.at(-1)?.run;
    const end = stream === undefined ? 0 : this.#source.end(stream);
    const later = run === undefined ? undefined : this.#source.runAfter(run);
    const isCut = stream !== undefined && end > (of.carry?.lastSeq ?? 0);
    if (!isCut && later === undefined) return of;
    if (this.#shown?.of !== of || this.#shown.end !== end || this.#shown.later !== later) {
      const draft = new Draft(of);
      if (isCut) reduceMissing(draft, stream, end);
      if (later !== undefined) reduceInto(draft, { ...later, channelId: null });
      this.#shown = { of, end, later, as: draft.finish() };
    }
    return this.#shown.as;
  }
}

/** Which cuts no later event reached across: only there can a fold begin or stop. */
function cleanCuts(cuts: readonly Cut[], reach: ReadonlyMap<number, number>): readonly boolean[] {
  const reached = [...reach].sort(([a], [b]) => a - b);
  let [at, furthest] = [0, -1];
  return cuts.map(({ turns }) => {
    for (; at < reached.length && (reached[at]?.[0] ?? 0) < turns; at++)
      furthest = Math.max(furthest, reached[at]?.[1] ?? 0);
    return furthest < turns;
  });
}
