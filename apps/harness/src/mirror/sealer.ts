import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@heliograph/client';
import {
  type Crypto,
  type EncodedEvent,
  type Envelope,
  FIRST_PREV,
  type FrameRoute,
  packEnvelope,
  payloadOf,
  type Signer,
  type StreamHead,
  sealContent,
  type TelemetryGap,
} from '@heliograph/wire';
import { Fifo } from '../fifo.ts';
import type { Lane, SealedEnvelope, SeqSpan } from './sealed-envelope.ts';

export interface SealerOptions {
  readonly budgetBytes: number;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly route: FrameRoute;
  /** Whether everything that was sent is answered: then a line goes out at once instead of waiting for company. */
  readonly isQuiet: () => boolean;
  /** Resolves once there is room for another envelope: until then events wait. */
  readonly room: () => Promise<void>;
  readonly onSealed: (envelope: SealedEnvelope, lane: Lane) => void;
  /** Events that will never be sealed, and the hash of the envelope before them. */
  readonly onLost: (span: SeqSpan, reason: 'sealing_failed', lastHash: string | undefined) => void;
}

/** How long lines gather while a frame is unacknowledged: what is left of 50 ms (HA112) is for sealing and the disk. */
const GATHER_MS = 40;
/** No envelope holds more events than this. */
const MAX_EVENTS = 1_024;
/** Envelopes sealed before the event loop gets its turn: reading the agent's pipe comes first. */
const SEALED_PER_TURN = 2;

interface Waiting {
  readonly events: Fifo<{ readonly encoded: EncodedEvent; readonly sinceMs: number }>;
  bytes: number;
  prev: string;
  head: StreamHead | undefined;
  /** Seqs that get an envelope of their own. */
  readonly alone: Set<number>;
  /** Everything up to this seq is due at once. */
  dueSeq: number;
  /** Envelopes that carry these seqs go out before all others. */
  urgent: { from: number; to: number };
}

/** Turns each stream's events into a chain of sealed envelopes: in seq order, each once. */
export class Sealer {
  readonly #options: SealerOptions;
  readonly #streams = new Map<string, Waiting>();
  #waitingBytes = 0;
  #running: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /** Bytes of plaintext that wait to be sealed. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** `sinceMs`: when it was read or happened. */
  accept(encoded: EncodedEvent, sinceMs: number): void {
    const waiting = this.#waiting(encoded.event.stream);
    waiting.events.push({ encoded, sinceMs });
    waiting.bytes += encoded.bytes;
    this.#waitingBytes += encoded.bytes;
    this.wake();
  }

  /**
   * Seals everything up to `seq` at once, `seq` in an envelope of its own; that one and those that reach `fromSeq` are
   * sent before all others.
   */
  hurry(stream: string, seq: number, fromSeq = seq): void {
    const waiting = this.#waiting(stream);
    waiting.alone.add(seq);
    waiting.dueSeq = Math.max(waiting.dueSeq, seq);
    const { from, to } = waiting.urgent;
    // What the last one hurried is sealed already, unless the two fell together.
    waiting.urgent = { from: to > (waiting.head?.seq ?? 0) ? Math.min(from, fromSeq) : fromSeq, to: seq };
    this.wake();
  }

  /** The newest envelope of a stream. */
  head(stream: string): StreamHead | undefined {
    return this.#streams.get(stream)?.head;
  }

  /** A stream has ended, with everything in it sealed. */
  forget(stream: string): void {
    this.#streams.delete(stream);
  }

  /** Looks again at what is due: something was acknowledged, or a relay came. */
  wake(): void {
    if (this.#running !== undefined) return;
    if (this.#nextDue() === undefined) {
      this.#wakeLater();
      return;
    }
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.wake();
    });
  }

  /** Resolves when everything accepted until now is sealed. */
  async flush(): Promise<void> {
    const targets: (readonly [Waiting, number])[] = [];
    for (const waiting of this.#streams.values()) {
      const last = waiting.events.last()?.encoded.event.seq;
      if (last === undefined) continue;
      targets.push([waiting, last]);
      waiting.dueSeq = last;
    }
    this.wake();
    const isOpen = ([{ events }, last]: readonly [Waiting, number]) =>
      (events.at(0)?.encoded.event.seq ?? Number.POSITIVE_INFINITY) <= last;
    while (targets.some(isOpen)) await this.#running;
    // The last one may have left the queue and still be at the signer.
    await this.#running;
  }

  #waiting(stream: string): Waiting {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    const waiting: Waiting = {
      events: new Fifo(),
      bytes: 0,
      prev: FIRST_PREV,
      head: undefined,
      alone: new Set(),
      dueSeq: 0,
      urgent: { from: 0, to: 0 },
    };
    this.#streams.set(stream, waiting);
    return waiting;
  }

  async #run(): Promise<void> {
    for (let sealed = 0; ; sealed++) {
      // Also before the first: what came in the same read belongs into the same envelope.
      if (sealed % SEALED_PER_TURN === 0) await setImmediate();
      await this.#options.room();
      const due = this.#nextDue();
      if (due === undefined) return;
      await this.#sealFront(due);
    }
  }

  #wakeLater(): void {
    if (this.#cancelTimer !== undefined || this.#waitingBytes === 0) return;
    let sinceMs = Number.POSITIVE_INFINITY;
    for (const { events } of this.#streams.values()) sinceMs = Math.min(sinceMs, events.at(0)?.sinceMs ?? sinceMs);
    const leftMs = Math.max(0, sinceMs + GATHER_MS - this.#options.clock.nowMs());
    this.#cancelTimer = this.#options.clock.setTimer(leftMs, () => {
      this.#cancelTimer = undefined;
      this.wake();
    });
  }

  /** Hurried streams first, then the one that has waited longest. */
  #nextDue(): Waiting | undefined {
    const { clock, budgetBytes, isQuiet } = this.#options;
    const quiet = this.#waitingBytes > 0 && isQuiet();
    const nowMs = clock.nowMs();
    let next: Waiting | undefined;
    let nextSinceMs = 0;
    for (const waiting of this.#streams.values()) {
      const first = waiting.events.at(0);
      if (first === undefined) continue;
      if (first.encoded.event.seq <= waiting.dueSeq) return waiting;
      const waitedMs = nowMs - first.sinceMs;
      // A negative wait is a clock that was set back.
      const due = quiet || waiting.bytes >= budgetBytes || waitedMs >= GATHER_MS || waitedMs < 0;
      if (!due || (next !== undefined && nextSinceMs <= first.sinceMs)) continue;
      next = waiting;
      nextSinceMs = first.sinceMs;
    }
    return next;
  }

  async #sealFront(waiting: Waiting): Promise<void> {
    const { route, signer, onSealed, onLost } = this.#options;
    const envelope = this.#pack(waiting);
    if (envelope === undefined) return;
    const sinceMs = waiting.events.at(0)?.sinceMs ?? 0;
    const packed = this.#take(waiting, envelope.lastSeq - envelope.firstSeq + 1);
    const { stream, firstSeq, lastSeq, hash, text } = envelope;
    const lane = lastSeq >= waiting.urgent.from && firstSeq <= waiting.urgent.to ? 'urgent' : 'live';
    let content: string;
    try {
      content = await sealContent(text, route, signer);
    } catch {
      // Only a remote signer can fail here. The chain goes on without these seqs, and the gap says so.
      onLost({ stream, firstSeq, lastSeq }, 'sealing_failed', waiting.head?.hash);
      return;
    }
    waiting.prev = hash;
    waiting.head = { stream, seq: lastSeq, hash };
    try {
      onSealed({ stream, firstSeq, lastSeq, hash, sinceMs, content, gaps: gapsIn(packed) }, lane);
    } catch {
      onLost({ stream, firstSeq, lastSeq }, 'sealing_failed', hash);
    }
  }

  /** Undefined when the first event fits no frame: it is given up and counted, and what follows goes on. */
  #pack(waiting: Waiting): Envelope | undefined {
    const { budgetBytes, crypto, onLost } = this.#options;
    try {
      return packEnvelope(frontRun(waiting), budgetBytes, waiting.prev, crypto).envelope;
    } catch {
      const [event] = this.#take(waiting, 1) as [EncodedEvent['event']];
      onLost({ stream: event.stream, firstSeq: event.seq, lastSeq: event.seq }, 'sealing_failed', waiting.head?.hash);
      return undefined;
    }
  }

  #take(waiting: Waiting, count: number): EncodedEvent['event'][] {
    return waiting.events.take(count).map(({ encoded: { bytes, event } }) => {
      waiting.bytes -= bytes;
      this.#waitingBytes -= bytes;
      waiting.alone.delete(event.seq);
      return event;
    });
  }
}

/** The events that may share the next envelope: without a hole, and none that goes alone. */
function frontRun({ events, alone }: Waiting): EncodedEvent[] {
  const run: EncodedEvent[] = [];
  for (const { encoded } of events.front(MAX_EVENTS)) {
    const before = run.at(-1)?.event.seq;
    const { seq } = encoded.event;
    if (before !== undefined && (seq !== before + 1 || alone.has(seq) || alone.has(before))) break;
    run.push(encoded);
  }
  return run;
}

function gapsIn(events: readonly EncodedEvent['event'][]): SeqSpan[] {
  const gaps: SeqSpan[] = [];
  for (const event of events) {
    if (event.kind !== 'observer_telemetry_gap') continue;
    const { firstSeq, lastSeq } = payloadOf<TelemetryGap>(event) ?? {};
    if (firstSeq !== undefined && lastSeq !== undefined) gaps.push({ stream: event.stream, firstSeq, lastSeq });
  }
  return gaps;
}
