import { scanElements, scanMembers } from '../acp/json-scan.ts';
import { hexEncode, isHex64, utf8Encode, utf8Length } from '../nostr/bytes.ts';
import type { Crypto } from '../nostr/crypto.ts';
import { err, ok, type Result } from '../result.ts';
import { encodeHead, encodeObserverEvent, type ObserverEvent } from './event.ts';

/** `prev` of a stream's first envelope. */
export const FIRST_PREV = '0'.repeat(64);

/** The plaintext of one observer frame: one observer event, or a batch of consecutive ones of one stream. */
export interface Envelope {
  readonly stream: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly text: string;
  /** UTF-8 length of `text`. */
  readonly bytes: number;
  /** Hex SHA-256 of the UTF-8 bytes: the `prev` of the next envelope in this stream. */
  readonly hash: string;
  readonly prev: string;
}

/** An observer event encoded once, with its UTF-8 length and that of what stands before its payload: what `packEnvelope` packs. */
export interface EncodedEvent {
  readonly event: ObserverEvent & { readonly stream: string };
  readonly text: string;
  readonly bytes: number;
  readonly headBytes: number;
}

/** Encodes an event for packing. Cost: one concatenation and one length count. */
export function encodeForEnvelope(event: ObserverEvent & { readonly stream: string }): EncodedEvent {
  const head = `${encodeHead(event, event.kind)},"payload":`;
  const headBytes = utf8Length(head);
  return { event, text: `${head}${event.payload}}`, bytes: headBytes + utf8Length(event.payload) + 1, headBytes };
}

/** `,"prev":"<64 hex>"`. */
const PREV_BYTES = 74;
/** `"batch"` in place of the event's own kind, and `,"payload":{"events":[]}}`. */
const BATCH_BYTES = 40;

/** The largest event (its own JSON text) that fits a frame of `budgetBytes` alone. */
export function maxEventBytes(budgetBytes: number): number {
  return budgetBytes - PREV_BYTES;
}

/**
 * Packs the front of one stream's queue, as many consecutive events as fit `budgetBytes`, into one envelope.
 * `stream_closed` always goes alone. Throws RangeError for an empty queue or an event over `maxEventBytes`.
 */
export function packEnvelope(
  queue: readonly EncodedEvent[],
  budgetBytes: number,
  prev: string,
  crypto: Crypto,
): { readonly envelope: Envelope; readonly rest: readonly EncodedEvent[] } {
  const first = queue[0];
  if (first === undefined) throw new RangeError('packEnvelope needs at least one event');
  if (first.bytes > maxEventBytes(budgetBytes)) {
    throw new RangeError(
      `event ${first.event.seq} takes ${first.bytes} bytes, a frame has ${maxEventBytes(budgetBytes)}`,
    );
  }
  let count = 1;
  let inner = first.bytes;
  if (first.event.kind !== 'stream_closed') {
    for (; count < queue.length; count++) {
      const next = queue[count] as EncodedEvent;
      if (next.event.kind === 'stream_closed') break;
      // The batch wears the last event's head.
      if (inner + 1 + next.bytes + next.headBytes + PREV_BYTES + BATCH_BYTES > budgetBytes) break;
      inner += 1 + next.bytes;
    }
  }
  const packed = queue.slice(0, count);
  const last = packed[count - 1] as EncodedEvent;
  const text =
    count === 1
      ? encodeObserverEvent(first.event, prev)
      : `${encodeHead(last.event, 'batch', prev)},"payload":{"events":[${packed.map((e) => e.text).join(',')}]}}`;
  const bytes = utf8Encode(text);
  const envelope: Envelope = {
    stream: first.event.stream,
    firstSeq: first.event.seq,
    lastSeq: last.event.seq,
    text,
    bytes: bytes.length,
    hash: hexEncode(crypto.sha256(bytes)),
    prev,
  };
  return { envelope, rest: queue.slice(count) };
}

/** What a decrypted frame held. `malformed` inner events are counted, their neighbours kept. */
export interface DecodedEnvelope {
  readonly events: readonly ObserverEvent[];
  readonly malformed: number;
  /** The outer event's stream; `undefined` for other implementations' frames. */
  readonly stream: string | undefined;
  readonly prev: string | undefined;
  readonly hash: string;
}

export interface EnvelopeError {
  readonly code: 'not-json' | 'malformed';
  readonly message: string;
}

/**
 * Reads an envelope's plaintext. Payloads keep their exact text; unknown members and kinds are no error. `knownHash`: the
 * text's SHA-256 in hex, where it was made already.
 */
export function decodeEnvelope(
  text: string,
  crypto: Crypto,
  knownHash?: string,
): Result<DecodedEnvelope, EnvelopeError> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    return err({ code: 'not-json', message: cause instanceof Error ? cause.message : 'not JSON' });
  }
  if (!isObject(parsed)) return err({ code: 'malformed', message: 'an envelope is a JSON object' });
  const outer = decodeEvent(text, 0, parsed);
  if (outer === undefined) return err({ code: 'malformed', message: 'the envelope is no observer event' });
  const hash = knownHash ?? hexEncode(crypto.sha256(utf8Encode(text)));
  const { event, prev } = outer;
  const inner = event.kind === 'batch' ? batchEvents(event.payload, parsed.payload) : undefined;
  const events = inner?.filter((e) => e !== undefined) ?? [event];
  return ok({ events, malformed: (inner?.length ?? 1) - events.length, stream: event.stream, prev, hash });
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The inner events of a batch, `undefined` for each that is malformed; `undefined` as a whole when it is no batch. */
function batchEvents(payload: string, parsed: unknown): readonly (ObserverEvent | undefined)[] | undefined {
  if (!isObject(parsed) || !Array.isArray(parsed.events)) return undefined;
  // Of two lists the last is the one that was parsed.
  const member = scanMembers(payload).members.findLast(({ key }) => key === 'events');
  if (member === undefined) return undefined;
  const values = parsed.events as readonly unknown[];
  return scanElements(payload, member.valueStart).map(({ start }, at) => {
    const value = values[at];
    return isObject(value) ? decodeEvent(payload, start, value)?.event : undefined;
  });
}

/** The event whose `{` is the first non-space character from `start` on; `parsed` is what it says. */
function decodeEvent(
  text: string,
  start: number,
  parsed: JsonObject,
): { event: ObserverEvent; prev: string | undefined } | undefined {
  const { members, end } = scanMembers(text, start);
  // A member that is there twice: parsers differ on which one counts.
  if (members.length !== Object.keys(parsed).length) return undefined;
  const payload = members.find(({ key }) => key === 'payload');
  const seq = own(parsed, 'seq');
  const timestamp = own(parsed, 'timestamp');
  const kind = own(parsed, 'kind');
  if (payload === undefined || typeof timestamp !== 'string' || typeof kind !== 'string') return undefined;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 0) return undefined;
  const stream = own(parsed, 'stream');
  if (stream !== undefined && typeof stream !== 'string') return undefined;
  const agentIndex = own(parsed, 'agentIndex');
  const startedAt = own(parsed, 'startedAt');
  const via = own(parsed, 'via');
  const redacted = own(parsed, 'redacted');
  // As the last member its text reaches to the closing brace: white space at either end of a line is part of the line.
  const isLast = payload === members.at(-1);
  const event: ObserverEvent = {
    seq,
    timestamp,
    kind,
    agentIndex: typeof agentIndex === 'number' ? agentIndex : null,
    channelId: textOrNull(own(parsed, 'channelId')),
    sessionId: textOrNull(own(parsed, 'sessionId')),
    turnId: textOrNull(own(parsed, 'turnId')),
    ...(typeof startedAt === 'string' ? { startedAt } : {}),
    stream,
    ...(via === 'owner' || via === 'policy' || via === 'harness' ? { via } : {}),
    ...(own(parsed, 'forwarded') === false ? { forwarded: false as const } : {}),
    ...(own(parsed, 'replayed') === true ? { replayed: true as const } : {}),
    ...(own(parsed, 'unterminated') === true ? { unterminated: true as const } : {}),
    ...(Array.isArray(redacted) ? { redacted: redacted.filter((p) => typeof p === 'string') } : {}),
    payload: isLast ? text.slice(payload.afterColon, end - 1) : text.slice(payload.valueStart, payload.valueEnd),
  };
  const prev = own(parsed, 'prev');
  return { event, prev: isHex64(prev) ? prev : undefined };
}

function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
