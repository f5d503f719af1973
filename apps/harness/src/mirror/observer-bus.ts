import type { Clock } from '@heliograph/client';
import {
  type Crypto,
  type Elided,
  type EncodedEvent,
  encodeForEnvelope,
  encodeHead,
  hexEncode,
  maxEventBytes,
  type StreamOpened,
  splitPayload,
  utf8Encode,
  utf8Length,
  type Via,
} from '@heliograph/wire';
import { MAX_SESSION_ID_LENGTH } from '../agent/router.ts';
import { Timestamps } from './timestamps.ts';

/** Where an event belongs. `stream` was opened before; `startedAt` is the turn's. */
export interface Place {
  readonly stream: string;
  readonly sessionId: string | null;
  readonly turnId: string | null;
  readonly startedAt?: string;
}

/** What happened. `payload` is exactly one JSON value, for lines the line itself. */
export interface EventBody {
  readonly kind: string;
  readonly payload: string;
  readonly via?: Via;
  readonly unterminated?: true;
  readonly replayed?: true;
  readonly redacted?: readonly string[];
  /** One JSON value that other parsers choke on: travels escaped, as parts. */
  readonly fragile?: boolean;
  /** When its last byte was read, by the clock; an event without it happens as it is emitted. */
  readonly readMs?: number;
}

/** Where an emitted event stands. `whole` is false when only its ends and hash were recorded. */
export interface Emitted {
  readonly stream: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly timestamp: string;
  readonly whole: boolean;
}

export interface ObserverBusOptions {
  /** The harness stream, where clock steps are told. */
  readonly run: string;
  /** The frame budget: no event is larger. */
  readonly budgetBytes: number;
  readonly clock: Clock;
  readonly crypto: Crypto;
  /** `sinceMs`: when it was read or happened. */
  readonly sink: (event: EncodedEvent, sinceMs: number) => void;
}

/** Bytes that seq and the like may grow by between measuring a head and using it. */
const HEAD_MARGIN_BYTES = 32;
/** What is kept of each end of an elided payload, at most. */
const EDGE_BYTES = 512;
/** Bounds of what an agent can put into a head, so that beside any head there is room for a payload. */
const MAX_REDACTED = 64;
const MAX_REDACTED_BYTES = 1_024;
/** Stands for the pointers that are left out. */
const MORE_REDACTED = '/…';

/** Numbers events per stream, stamps them, cuts them to the frame budget, and hands them on in order. */
export class ObserverBus {
  readonly #options: ObserverBusOptions;
  readonly #streams = new Map<string, { readonly channelId: string | null; lastSeq: number }>();
  readonly #timestamps: Timestamps;

  constructor(options: ObserverBusOptions) {
    this.#options = options;
    this.#timestamps = new Timestamps(options.clock);
  }

  /** Opens a stream: its first event tells of it. */
  open(stream: string, channelId: string | null, continues?: StreamOpened['continues']): Emitted {
    if (this.#streams.has(stream)) throw new RangeError(`stream ${stream} is open already`);
    this.#streams.set(stream, { channelId, lastSeq: 0 });
    return this.emit(
      { stream, sessionId: null, turnId: null },
      { kind: 'stream_opened', payload: JSON.stringify({ channelId, continues }) },
    );
  }

  isOpen(stream: string): boolean {
    return this.#streams.has(stream);
  }

  /** A stream has ended: nothing more is emitted into it. */
  forget(stream: string): void {
    this.#streams.delete(stream);
  }

  /** A time that every event emitted from now on is later than. */
  now(): string {
    return this.#timestamps.next();
  }

  /** The newest seq given out in a stream, 0 before the first. */
  lastSeq(stream: string): number {
    return this.#streams.get(stream)?.lastSeq ?? 0;
  }

  emit(place: Place, body: EventBody): Emitted {
    const steppedMs = this.#timestamps.takeStep();
    if (steppedMs !== undefined) {
      const payload = JSON.stringify({ offsetMs: steppedMs });
      this.#put({ stream: this.#options.run, sessionId: null, turnId: null }, { kind: 'clock_stepped', payload });
    }
    return this.#put(place, body);
  }

  #put(place: Place, body: EventBody): Emitted {
    const room = maxEventBytes(this.#options.budgetBytes);
    const firstSeq = this.lastSeq(place.stream) + 1;
    if (!body.fragile && body.payload.length <= room) {
      const event = this.#encode(place, body, firstSeq);
      if (event.bytes <= room) return this.#hand([event], body, true);
    }
    const part = { ...body, kind: 'acp_part' };
    const headBytes = utf8Length(encodeHead(this.#event(place, part, firstSeq), 'acp_part'));
    const { sha256 } = this.#options.crypto;
    const payloads = splitPayload(body.kind, body.payload, firstSeq, room - headBytes - HEAD_MARGIN_BYTES, sha256);
    if (payloads === undefined) return this.#hand([this.#elide(place, body, firstSeq, room)], body, false);
    const events = payloads.map((payload, index) => this.#encode(place, { ...part, payload }, firstSeq + index));
    return this.#hand(events, body, true);
  }

  /** As much of both ends as fits beside the head. */
  #elide(place: Place, body: EventBody, seq: number, room: number): EncodedEvent {
    const bytes = utf8Encode(body.payload);
    const sha256 = hexEncode(this.#options.crypto.sha256(bytes));
    for (let edge = EDGE_BYTES; ; edge = Math.floor(edge / 2)) {
      const ends = elidedBody(body.kind, bytes.length, sha256, bytes, bytes, edge);
      const event = this.#encode(place, { ...body, ...ends }, seq);
      if (event.bytes <= room || edge === 0) return event;
    }
  }

  /** Hands events on, and with that uses up their seqs. */
  #hand(events: readonly EncodedEvent[], body: EventBody, whole: boolean): Emitted {
    const first = (events[0] as EncodedEvent).event;
    const last = (events.at(-1) as EncodedEvent).event;
    (this.#streams.get(first.stream) as { lastSeq: number }).lastSeq = last.seq;
    const sinceMs = body.readMs ?? this.#options.clock.nowMs();
    for (const event of events) this.#options.sink(event, sinceMs);
    return { stream: first.stream, firstSeq: first.seq, lastSeq: last.seq, timestamp: first.timestamp, whole };
  }

  #encode(place: Place, body: EventBody, seq: number): EncodedEvent {
    return encodeForEnvelope(this.#event(place, body, seq));
  }

  #event(place: Place, body: EventBody, seq: number) {
    const opened = this.#streams.get(place.stream);
    if (opened === undefined) throw new RangeError(`stream ${place.stream} was never opened`);
    const { kind, payload, via, unterminated, replayed, redacted } = body;
    return {
      seq,
      timestamp: this.#timestamps.next(body.readMs),
      kind,
      agentIndex: 0,
      channelId: opened.channelId,
      sessionId: (place.sessionId?.length ?? 0) > MAX_SESSION_ID_LENGTH ? null : place.sessionId,
      turnId: place.turnId,
      ...(place.startedAt !== undefined ? { startedAt: place.startedAt } : {}),
      stream: place.stream,
      ...(via !== undefined ? { via } : {}),
      ...(unterminated !== undefined ? { unterminated } : {}),
      ...(replayed !== undefined ? { replayed } : {}),
      ...(redacted !== undefined && redacted.length > 0 ? { redacted: fewPointers(redacted) } : {}),
      payload,
    };
  }
}

/** The event that stands for a payload recorded by its ends and hash only; `head` and `tail` may be longer than what is kept. */
export function elidedBody(
  of: string,
  bytes: number,
  sha256: string,
  head: Uint8Array,
  tail: Uint8Array,
  edge = EDGE_BYTES,
): EventBody {
  const elided: Elided = {
    of,
    bytes,
    sha256,
    head: readableText(head.subarray(0, edge)),
    tail: readableText(tail.subarray(Math.max(0, tail.length - edge))),
  };
  return { kind: 'acp_elided', payload: JSON.stringify(elided) };
}

/** The first pointers, as many as a head may hold, and a mark for the others. */
function fewPointers(redacted: readonly string[]): readonly string[] {
  let bytes = 0;
  const fits = (pointer: string, index: number) => {
    bytes += utf8Length(JSON.stringify(pointer));
    return index < MAX_REDACTED && bytes <= MAX_REDACTED_BYTES;
  };
  const tooMany = redacted.findIndex((pointer, index) => !fits(pointer, index));
  return tooMany < 0 ? redacted : [...redacted.slice(0, tooMany), MORE_REDACTED];
}

/** Text of bytes that may not be UTF-8, for showing. */
function readableText(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
