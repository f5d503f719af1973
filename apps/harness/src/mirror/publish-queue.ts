import type { PublishError } from '@heliograph/client';
import type { Lane, SeqSpan } from './sealed-envelope.ts';

/** What became of a frame: taken, or the relay client's error; `gone`: its envelope left the spool before it was sent. */
export type Answer = 'taken' | 'gone' | PublishError;

/** `retired`: done with at this relay. `again`: it waits for its next try. */
export type Fate = 'retired' | 'again';

/** Why nothing is sent for now. `paused`: a person has to act; it is tried every five minutes all the same. */
export interface Hindrance {
  readonly paused: boolean;
  readonly reason: string;
}

/** Frames without an answer, at most, and how many of them may be replay. */
export const CREDIT = 8;
const REPLAY_CREDIT = CREDIT / 2;
/** Where live never ends, one frame in so many is replay: who comes late gets the rest in the end. */
const REPLAY_EVERY = 8;
/** A relay that said `rate-limited` gets a frame every 50 ms at most, and up to one a second while it repeats it. */
const MIN_INTERVAL_MS = 50;
const MAX_INTERVAL_MS = 1_000;
const RECOVERY = 0.9;
const MAX_RATE_WAIT_MS = 300_000;
const FIRST_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 30_000;
/** How long a refused key is tried again before the relay pauses, and how often it is tried from then on. */
const PATIENCE_MS = 300_000;
const PAUSE_MS = 300_000;

/**
 * Which frame goes to one relay next, and what its answers mean (HA11, HA13, HA14). Pure: no clock, no sockets. An envelope is in it
 * once at most, waiting or in flight, and leaves it only by being taken, passing unheard (`mute`) or leaving the spool.
 */
export class PublishQueue<E extends SeqSpan> {
  readonly #urgent: E[] = [];
  /** Per stream, in seq order; the Map's order is whose turn it is. */
  readonly #live = new Map<string, E[]>();
  readonly #replay: E[] = [];
  readonly #waiting = new Map<E, Lane>();
  readonly #inFlight = new Map<E, { readonly lane: Lane; readonly sentMs: number }>();
  /** Live frames sent since the last replay. */
  #liveInRow = 0;
  #intervalMs = 0;
  #backOffMs = 0;
  #refusedSinceMs: number | undefined;
  #nextMs = 0;
  /** Frames sent before this were sent at the old pace: their refusals say nothing new. */
  #slowedMs = Number.NEGATIVE_INFINITY;
  #hindrance: Hindrance | undefined;

  get inFlight(): number {
    return this.#inFlight.size;
  }

  get size(): number {
    return this.#waiting.size + this.#inFlight.size;
  }

  get hindrance(): Hindrance | undefined {
    return this.#hindrance;
  }

  /** Takes an envelope in. One that waits already moves only to a faster lane: overlapping replays merge. */
  offer(envelope: E, lane: Lane): void {
    if (this.#inFlight.has(envelope)) return;
    const present = this.#waiting.get(envelope);
    if (present !== undefined) {
      if (lane !== 'urgent' || present === 'urgent') return;
      this.#remove(envelope, present);
    }
    this.#insert(envelope, lane);
  }

  /** An envelope left the spool: false when it does not wait here. One in flight is settled like any other. */
  drop(envelope: E): boolean {
    const lane = this.#waiting.get(envelope);
    if (lane === undefined) return false;
    this.#waiting.delete(envelope);
    this.#remove(envelope, lane);
    return true;
  }

  /** The next frame to send now; the caller settles it. */
  next(nowMs: number): E | undefined {
    // Nothing waits longer than a pause: the clock was set back.
    if (this.#nextMs - nowMs > PAUSE_MS && this.#nextMs !== Number.POSITIVE_INFINITY) this.#nextMs = nowMs;
    if (nowMs < this.#nextMs || this.#inFlight.size >= CREDIT) return undefined;
    const lane = this.#nextLane();
    if (lane === undefined) return undefined;
    if (lane === 'live') this.#liveInRow++;
    else if (lane === 'replay') this.#liveInRow = 0;
    const envelope = this.#shift(lane);
    this.#waiting.delete(envelope);
    this.#inFlight.set(envelope, { lane, sentMs: nowMs });
    // Where frames are paced by time, replay takes half the pace.
    if (this.#intervalMs > 0) this.#nextMs = nowMs + this.#intervalMs * (lane === 'replay' ? 2 : 1);
    // While refused, one frame at a time asks whether things changed.
    if (this.#hindrance !== undefined) this.#nextMs = Number.POSITIVE_INFINITY;
    return envelope;
  }

  /** When to call `next` again although nothing happens; undefined: only after an answer or an offer. */
  wakeAtMs(nowMs: number): number | undefined {
    if (this.#inFlight.size >= CREDIT || this.#nextMs === Number.POSITIVE_INFINITY) return undefined;
    return this.#nextLane() === undefined ? undefined : Math.max(nowMs, this.#nextMs);
  }

  settle(envelope: E, answer: Answer, nowMs: number): Fate {
    const sent = this.#inFlight.get(envelope);
    if (sent === undefined) throw new RangeError('only a frame in flight can be settled');
    this.#inFlight.delete(envelope);
    if (answer === 'gone') {
      if (this.#nextMs === Number.POSITIVE_INFINITY) this.#nextMs = nowMs;
      return 'retired';
    }
    // `mute`: the relay is well, only nobody listens.
    if (answer === 'taken' || answer.code === 'mute' || answer.code === 'duplicate') {
      this.#recover(nowMs);
      return 'retired';
    }
    this.#insert(envelope, sent.lane);
    if (answer.code === 'offline') {
      // The relay client reconnects by itself and says so; a question that went down with the connection may be asked anew.
      if (this.#nextMs === Number.POSITIVE_INFINITY) this.#nextMs = nowMs;
      return 'again';
    }
    if (sent.sentMs > this.#slowedMs) this.#slowDown(answer.code, answer.message, nowMs);
    return 'again';
  }

  /** A new connection: what held the old one back may be over. */
  reconnected(): void {
    this.#nextMs = 0;
    this.#backOffMs = 0;
    this.#intervalMs = 0;
    this.#refusedSinceMs = undefined;
    this.#hindrance = undefined;
  }

  #recover(nowMs: number): void {
    this.#backOffMs = 0;
    this.#refusedSinceMs = undefined;
    if (this.#hindrance !== undefined) this.#nextMs = nowMs;
    this.#hindrance = undefined;
    if (this.#intervalMs > 0) this.#intervalMs = Math.max(MIN_INTERVAL_MS, this.#intervalMs * RECOVERY);
  }

  #slowDown(code: PublishError['code'], reason: string, nowMs: number): void {
    this.#slowedMs = nowMs;
    switch (code) {
      case 'rate-limited':
        this.#intervalMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, this.#intervalMs * 2));
        this.#nextMs = nowMs + Math.max(retryInMs(reason), this.#intervalMs);
        return;
      case 'invalid':
        // Time or size: the next frame would fare no better.
        this.#hindrance = { paused: true, reason };
        this.#nextMs = nowMs + PAUSE_MS;
        return;
      case 'auth-required':
      case 'restricted':
      case 'blocked':
      case 'pow': {
        this.#refusedSinceMs ??= nowMs;
        const paused = nowMs - this.#refusedSinceMs >= PATIENCE_MS;
        this.#hindrance = { paused, reason };
        this.#nextMs = nowMs + (paused ? PAUSE_MS : this.#backOff());
        return;
      }
      default:
        this.#hindrance = { paused: false, reason };
        this.#nextMs = nowMs + this.#backOff();
    }
  }

  #backOff(): number {
    this.#backOffMs = Math.min(MAX_BACK_OFF_MS, Math.max(FIRST_BACK_OFF_MS, this.#backOffMs * 2));
    return this.#backOffMs;
  }

  #nextLane(): Lane | undefined {
    if (this.#urgent.length > 0) return 'urgent';
    const canReplay = this.#replay.length > 0 && this.#replayInFlight() < REPLAY_CREDIT;
    if (this.#live.size > 0) return canReplay && this.#liveInRow >= REPLAY_EVERY - 1 ? 'replay' : 'live';
    return canReplay ? 'replay' : undefined;
  }

  #replayInFlight(): number {
    let count = 0;
    for (const { lane } of this.#inFlight.values()) if (lane === 'replay') count++;
    return count;
  }

  #shift(lane: Lane): E {
    if (lane === 'urgent') return this.#urgent.shift() as E;
    if (lane === 'replay') return this.#replay.shift() as E;
    const [stream, queue] = this.#live.entries().next().value as [string, E[]];
    const envelope = queue.shift() as E;
    this.#live.delete(stream);
    if (queue.length > 0) this.#live.set(stream, queue); // To the end of the line.
    return envelope;
  }

  #insert(envelope: E, lane: Lane): void {
    this.#waiting.set(envelope, lane);
    if (lane === 'live') {
      const queue = this.#live.get(envelope.stream) ?? [];
      this.#live.set(envelope.stream, queue);
      insertBySeq(queue, envelope);
    } else (lane === 'urgent' ? this.#urgent : this.#replay).push(envelope);
  }

  #remove(envelope: E, lane: Lane): void {
    const lanes = { urgent: this.#urgent, live: this.#live.get(envelope.stream), replay: this.#replay };
    const queue = lanes[lane];
    if (queue === undefined) return;
    queue.splice(queue.indexOf(envelope), 1);
    if (lane === 'live' && queue.length === 0) this.#live.delete(envelope.stream);
  }
}

/** New ones belong at the end, returned ones near the front. */
function insertBySeq<E extends SeqSpan>(queue: E[], envelope: E): void {
  if ((queue.at(-1)?.firstSeq ?? 0) < envelope.firstSeq) {
    queue.push(envelope);
    return;
  }
  const at = queue.findIndex(({ firstSeq }) => firstSeq > envelope.firstSeq);
  queue.splice(at, 0, envelope);
}

/** "retry in 3 s", "retry in 3s": what relays say with `rate-limited:`. */
function retryInMs(message: string): number {
  const seconds = /retry in (\d+(?:\.\d+)?) ?s/i.exec(message)?.[1];
  return seconds === undefined ? 0 : Math.min(MAX_RATE_WAIT_MS, Number(seconds) * 1_000);
}
