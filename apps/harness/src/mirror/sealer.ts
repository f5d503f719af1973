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
import type { Lane, SealedEnvelope, SeqSpan } from './sealed-envelope.ts';

export interface SealerOptions {
  readonly budgetBytes: number;
  /** Plaintext waiting to be sealed; above, droppable events are given up and counted. */
  readonly maxWaitingBytes: number;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly signer: Signer;
  readonly route: FrameRoute;
  /** Whether everything that was sent is answered: then a line goes out at once instead of waiting for company. */
  readonly isQuiet: () => boolean;
  readonly onSealed: (envelope: SealedEnvelope, lane: Lane) => void;
  /** Events that will never be sealed, and the hash of the envelope before them. */
  readonly onLost: (span: SeqSpan, reason: 'sealing_behind' | 'sealing_failed', lastHash: string | undefined) => void;
}

/** How long lines gather while a frame is unacknowledged (WIRE 1). */
const GATHER_MS = 50;
/** No envelope holds more events than this. */
const MAX_EVENTS = 1_024;
/** Envelopes sealed before the event loop gets its turn: reading the agent's pipe comes first. */
const SEALED_PER_TURN = 2;

interface Waiting {
  events: EncodedEvent[];
  bytes: number;
  sinceMs: number;
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

  accept(event: EncodedEvent, droppable: boolean): void {
    const { stream, seq } = event.event;
    const waiting = this.#waiting(stream);
    if (droppable && this.#waitingBytes + event.bytes > this.#options.maxWaitingBytes) {
      this.#options.onLost({ stream, firstSeq: seq, lastSeq: seq }, 'sealing_behind', waiting.head?.hash);
      return;
    }
    if (waiting.events.length === 0) waiting.sinceMs = this.#options.clock.nowMs();
    waiting.events.push(event);
    waiting.bytes += event.bytes;
    this.#waitingBytes += event.bytes;
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
      const last = waiting.events.at(-1)?.event.seq;
      if (last === undefined) continue;
      targets.push([waiting, last]);
      waiting.dueSeq = last;
    }
    this.wake();
    const isOpen = ([{ events }, last]: readonly [Waiting, number]) =>
      events[0] !== undefined && events[0].event.seq <= last;
    while (targets.some(isOpen)) await this.#running;
    // The last one may have left the queue and still be at the signer.
    await this.#running;
  }

  #waiting(stream: string): Waiting {
    const known = this.#streams.get(stream);
    if (known !== undefined) return known;
    const waiting: Waiting = {
      events: [],
      bytes: 0,
      sinceMs: 0,
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
      const due = this.#nextDue();
      if (due === undefined) return;
      await this.#sealFront(due);
    }
  }

  #wakeLater(): void {
    if (this.#cancelTimer !== undefined || this.#waitingBytes === 0) return;
    this.#cancelTimer = this.#options.clock.setTimer(GATHER_MS, () => {
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
    for (const waiting of this.#streams.values()) {
      const first = waiting.events[0]?.event.seq;
      if (first === undefined) continue;
      if (first <= waiting.dueSeq) return waiting;
      const waitedMs = nowMs - waiting.sinceMs;
      // A negative wait is a clock that was set back.
      const due = quiet || waiting.bytes >= budgetBytes || waitedMs >= GATHER_MS || waitedMs < 0;
      if (due && (next === undefined || waiting.sinceMs < next.sinceMs)) next = waiting;
    }
    return next;
  }

  async #sealFront(waiting: Waiting): Promise<void> {
    const { route, signer, onSealed, onLost, clock } = this.#options;
    const envelope = this.#pack(waiting);
    if (envelope === undefined) return;
    const count = envelope.lastSeq - envelope.firstSeq + 1;
    const packed = waiting.events.slice(0, count);
    waiting.events = waiting.events.slice(count);
    waiting.sinceMs = clock.nowMs();
    for (const { bytes, event } of packed) {
      waiting.bytes -= bytes;
      this.#waitingBytes -= bytes;
      waiting.alone.delete(event.seq);
    }
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
      onSealed({ stream, firstSeq, lastSeq, hash, content, gaps: gapsIn(packed) }, lane);
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
      const { bytes, event } = waiting.events.shift() as EncodedEvent;
      waiting.bytes -= bytes;
      this.#waitingBytes -= bytes;
      waiting.alone.delete(event.seq);
      const span = { stream: event.stream as string, firstSeq: event.seq, lastSeq: event.seq };
      onLost(span, 'sealing_failed', waiting.head?.hash);
      return undefined;
    }
  }
}

/** The events that may share the next envelope: without a hole, and none that goes alone. */
function frontRun(waiting: Waiting): EncodedEvent[] {
  const first = waiting.events[0] as EncodedEvent;
  let length = 1;
  if (!waiting.alone.has(first.event.seq)) {
    for (; length < MAX_EVENTS; length++) {
      const next = waiting.events[length];
      if (next === undefined || next.event.seq !== first.event.seq + length || waiting.alone.has(next.event.seq)) break;
    }
  }
  return waiting.events.slice(0, length);
}

function gapsIn(events: readonly EncodedEvent[]): SeqSpan[] {
  const gaps: SeqSpan[] = [];
  for (const { event } of events) {
    if (event.kind !== 'observer_telemetry_gap') continue;
    const { firstSeq, lastSeq } = payloadOf<TelemetryGap>(event) ?? {};
    if (firstSeq !== undefined && lastSeq !== undefined) gaps.push({ stream: event.stream, firstSeq, lastSeq });
  }
  return gaps;
}
