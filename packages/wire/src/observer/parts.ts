import { sha256 } from '@noble/hashes/sha2.js';
import { hexEncode, utf8Encode } from '../nostr/bytes.ts';
import { err, ok, type Result } from '../result.ts';
import { type ObserverEvent, payloadOf } from './event.ts';

/** Payload of `acp_part`: one piece of a payload too large (or too odd) to travel whole. `first` is the seq of part 0. */
export interface PartPayload {
  readonly of: string;
  readonly first: number;
  readonly index: number;
  readonly count: number;
  /** Hex, over the UTF-8 bytes of the joined text. */
  readonly sha256: string;
  readonly text: string;
}

export const MAX_PARTS = 4_096;
export const MAX_JOINED_BYTES = 64 * 1_024 * 1_024;

/** `not-parts`: some event is no acp_part. `incomplete`: pieces missing. `too-large`, `mismatch`: limits or SHA-256. */
export interface PartError {
  readonly code: 'not-parts' | 'incomplete' | 'too-large' | 'mismatch';
  readonly message: string;
}

/**
 * The payloads of the `acp_part` events that carry `text`, to stand at seqs `first`, `first + 1`, …; each payload's JSON
 * is at most `maxPayloadBytes`. `hash` is SHA-256, by a faster engine than noble where there is one. `undefined` when it would take more than MAX_PARTS: such a payload is elided instead.
 */
export function splitPayload(
  of: string,
  text: string,
  first: number,
  maxPayloadBytes: number,
  hash: (bytes: Uint8Array) => Uint8Array = sha256,
): string[] | undefined {
  const digest = hexEncode(hash(utf8Encode(text)));
  const head = (index: number, count: number) =>
    `{"of":${JSON.stringify(of)},"first":${first},"index":${index},"count":${count},"sha256":"${digest}","text":`;
  const room = maxPayloadBytes - head(MAX_PARTS, MAX_PARTS).length - 3;
  const pieces = cutEscaped(text, room);
  if (pieces.length > MAX_PARTS) return undefined;
  return pieces.map((piece, index) => `${head(index, pieces.length)}${JSON.stringify(piece)}}`);
}

/** Cuts on code points so that each piece, JSON-escaped, takes at most `room` UTF-8 bytes (without its quotes). */
function cutEscaped(text: string, room: number): string[] {
  const pieces: string[] = [];
  let start = 0;
  let used = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    let units = 1;
    let cost: number;
    if (code < 0x20) cost = code === 8 || code === 9 || code === 10 || code === 12 || code === 13 ? 2 : 6;
    else if (code === 0x22 || code === 0x5c) cost = 2;
    else if (code < 0x80) cost = 1;
    else if (code < 0x800) cost = 2;
    else if (code >= 0xd800 && code < 0xdc00) {
      units = 2;
      cost = 4;
    } else cost = 3;
    if (used + cost > room) {
      pieces.push(text.slice(start, at));
      start = at;
      used = 0;
    }
    used += cost;
    at += units;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** The payload of an `acp_part`, checked; `undefined` for any other event or a malformed part, which is shown raw. */
export function parsePart(event: ObserverEvent): PartPayload | undefined {
  if (event.kind !== 'acp_part') return undefined;
  const part = payloadOf<PartPayload>(event);
  if (part === undefined) return undefined;
  const { of, first, index, count, sha256: digest, text } = part;
  if (typeof of !== 'string' || typeof text !== 'string' || typeof digest !== 'string') return undefined;
  if (!isCount(first) || !isCount(index) || !isCount(count)) return undefined;
  if (count < 1 || count > MAX_PARTS || index >= count || first + index !== event.seq) return undefined;
  return { of, first, index, count, sha256: digest, text };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Where a copy of a part says that something in its piece was replaced: its text is no longer the one that was hashed. */
const REPLACED = '/text';

/**
 * The event that `parts` (all of them, in seq order) carry: kind `of`, payload = the joined text, seq of the first part. Where
 * a part is a redacted copy the text joins without its hash, and the event is marked as redacted as a whole.
 */
export function joinParts(parts: readonly ObserverEvent[]): Result<ObserverEvent, PartError> {
  const pieces: string[] = [];
  let size = 0;
  let head: PartPayload | undefined;
  for (const event of parts) {
    const part = parsePart(event);
    if (part === undefined) return err({ code: 'not-parts', message: `event ${event.seq} is no acp_part` });
    head ??= part;
    const same =
      part.of === head.of && part.first === head.first && part.count === head.count && part.sha256 === head.sha256;
    if (!same || part.index !== pieces.length || event.stream !== parts[0]?.stream) {
      return err({ code: 'incomplete', message: `event ${event.seq} does not continue part ${pieces.length}` });
    }
    size += part.text.length;
    if (size > MAX_JOINED_BYTES)
      return err({ code: 'too-large', message: `parts join to over ${MAX_JOINED_BYTES} bytes` });
    pieces.push(part.text);
  }
  if (head === undefined || pieces.length !== head.count) {
    return err({ code: 'incomplete', message: `${pieces.length} of ${head?.count ?? '?'} parts` });
  }
  const payload = pieces.join('');
  const bytes = utf8Encode(payload);
  if (bytes.length > MAX_JOINED_BYTES)
    return err({ code: 'too-large', message: `parts join to ${bytes.length} bytes` });
  const joined = { ...(parts[0] as ObserverEvent), kind: head.of, payload };
  if (hexEncode(sha256(bytes)) === head.sha256) return ok(joined);
  if (parts.some(({ redacted }) => redacted?.includes(REPLACED))) return ok({ ...joined, redacted: [''] });
  return err({ code: 'mismatch', message: 'joined text has another SHA-256' });
}
