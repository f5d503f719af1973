import type { CarriedTranscript } from './carry.ts';
import { Draft } from './draft.ts';
import { msBetween } from './export/time-of.ts';
import type { EventOrder } from './fold.ts';
import { reduceTail } from './gap.ts';
import { FOREIGN_STREAM, type LogEvent } from './log-event.ts';
import type { Cursor } from './merge.ts';
import { emptyTranscript, reduceInto } from './reduce.ts';

/** Events between two keyframes: the most that a seek folds, however long the session is. */
const KEYFRAME_EVENTS = 256;
/** Turns and items of open turns that keyframes hold references to; beyond, every other keyframe goes. */
const MAX_REFERENCES = 4_000_000;
/** Events between two chances to do something else. */
const SLICE_EVENTS = 64;

/** A place in a session's past: the line that was the newest then. */
export interface ReplayLine {
  readonly stream: string;
  readonly seq: number;
  readonly timestamp: string;
}

interface Step {
  readonly event: LogEvent;
  readonly left: { readonly stream: string; readonly end: number } | undefined;
}

/**
 * A channel's transcript as it was after each of its events: position n is after the first n of them, in the order they are
 * folded in. Keyframes make a seek cost the same wherever it goes; they are laid by `prepare`, once.
 */
export class Replay {
  readonly #order: EventOrder;
  readonly #channelId: string | null;
  #steps: Step[] = [];
  #cursor: Cursor | undefined;
  #rewrites = -1;
  /** Transcripts after each `#interval` events, from 0 on. */
  #keyframes: CarriedTranscript[] = [];
  #interval = KEYFRAME_EVENTS;
  #references = 0;
  #last: { readonly position: number; readonly transcript: CarriedTranscript } | undefined;
  /** Of each stream, the seqs that were passed and the positions after them. */
  #places = new Map<string, { readonly seqs: number[]; readonly positions: number[] }>();

  constructor(order: EventOrder, channelId: string | null) {
    this.#order = order;
    this.#channelId = channelId;
  }

  /** How many positions there are, after taking what came since. */
  sync(): number {
    // Folding first: what comes behind the fold from now on is counted as a rewrite.
    this.#order.transcript();
    if (this.#order.rewrites() !== this.#rewrites) this.#begin();
    for (;;) {
      const next = this.#order.nextAfter(this.#cursor);
      if (next === undefined) return this.#steps.length;
      this.#cursor = next.cursor;
      this.#steps.push({ event: next.event, left: next.left });
      this.#notePlace(next.event);
    }
  }

  #begin(): void {
    this.#rewrites = this.#order.rewrites();
    this.#steps = [];
    this.#cursor = undefined;
    this.#keyframes = [emptyTranscript(this.#channelId)];
    this.#interval = KEYFRAME_EVENTS;
    this.#references = 0;
    this.#last = undefined;
    this.#places = new Map();
  }

  #notePlace(event: LogEvent): void {
    const stream = event.stream ?? FOREIGN_STREAM;
    let places = this.#places.get(stream);
    if (places === undefined) {
      places = { seqs: [], positions: [] };
      this.#places.set(stream, places);
    }
    places.seqs.push(event.lastSeq ?? event.seq);
    places.positions.push(this.#steps.length);
  }

  /** Positions that a seek reaches at the cost of one interval. */
  get prepared(): number {
    return Math.min(this.#steps.length, this.#keyframes.length * this.#interval);
  }

  /** Lays the keyframes that are missing, yielding often. */
  *prepare(): Generator<undefined, void> {
    let [draft, rewrites] = [this.#newest(), this.#rewrites];
    for (;;) {
      const from = (this.#keyframes.length - 1) * this.#interval;
      const to = from + this.#interval;
      if (to > this.#steps.length) return;
      for (let at = from; at < to && this.#rewrites === rewrites; at++) {
        this.#reduce(draft, at);
        if (at % SLICE_EVENTS === 0) yield;
      }
      if (this.#rewrites === rewrites) this.#keep(draft.finish());
      else [draft, rewrites] = [this.#newest(), this.#rewrites];
    }
  }

  #newest(): Draft {
    return new Draft(this.#keyframes.at(-1) ?? emptyTranscript(this.#channelId));
  }

  #keep(transcript: CarriedTranscript): void {
    this.#keyframes.push(transcript);
    this.#references += transcript.turns.length + (transcript.turns.at(-1)?.items.length ?? 0);
    // The newest one stays: whoever lays them goes on from there.
    if (this.#references <= MAX_REFERENCES || this.#keyframes.length % 2 === 0) return;
    this.#keyframes = this.#keyframes.filter((_, at) => at % 2 === 0);
    this.#interval *= 2;
    this.#references /= 2;
  }

  /** The transcript after the first `position` events. Cost: at most one interval of events, where keyframes are laid. */
  at(position: number): CarriedTranscript {
    const wanted = Math.max(0, Math.min(this.#steps.length, Math.trunc(position)));
    if (wanted === this.#steps.length) return this.#order.transcript();
    const frame = Math.min(this.#keyframes.length - 1, Math.floor(wanted / this.#interval));
    const last = this.#last;
    const isNearer = last !== undefined && last.position <= wanted && last.position >= frame * this.#interval;
    const base = isNearer ? last.transcript : (this.#keyframes[frame] ?? emptyTranscript(this.#channelId));
    const draft = new Draft(base);
    for (let at = isNearer ? last.position : frame * this.#interval; at < wanted; at++) this.#reduce(draft, at);
    const transcript = draft.finish();
    this.#last = { position: wanted, transcript };
    return transcript;
  }

  #reduce(draft: Draft, at: number): void {
    const step = this.#steps[at];
    if (step === undefined) return;
    if (step.left !== undefined) reduceTail(draft, step.left.stream, step.left.end);
    reduceInto(draft, step.event);
  }

  /** The line that is the newest at a position; undefined at 0. */
  line(position: number): ReplayLine | undefined {
    const event = this.#steps[position - 1]?.event;
    if (event === undefined) return undefined;
    return { stream: event.stream ?? FOREIGN_STREAM, seq: event.seq, timestamp: event.timestamp };
  }

  /** The position just after an event, 0 when it is not among them: that of a line before it where it is none of the channel's. */
  positionOf(stream: string, seq: number): number {
    const places = this.#places.get(stream);
    if (places === undefined) return 0;
    let [low, high] = [0, places.seqs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places.seqs[middle] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return places.positions[low] ?? places.positions.at(-1) ?? 0;
  }

  /** ms between the events before and after a position, 0 where one is missing or a clock went back. */
  gapMs(position: number): number {
    const [before, after] = [this.line(position), this.line(position + 1)];
    return before === undefined || after === undefined ? 0 : Math.max(0, msBetween(before.timestamp, after.timestamp));
  }
}
