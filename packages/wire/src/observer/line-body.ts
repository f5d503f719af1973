import { isNestedOver, isPlain } from '../acp/json-scan.ts';
import { utf8Decode } from '../nostr/bytes.ts';

export type Direction = 'read' | 'write';

/**
 * How one line travels. `fragile`: exactly one JSON value, but other parsers choke on it, so it goes string-escaped in a
 * one-part `acp_part` (LB5).
 */
export interface LineBody {
  readonly kind: 'acp_read' | 'acp_write' | 'acp_parse_error';
  readonly payload: string;
  readonly fragile: boolean;
  /**
   * What the line says: its text without a BOM, and that parsed, null in the place of what is nested over 512 deep;
   * undefined for what is not exactly one JSON value.
   */
  readonly json: { readonly text: string; readonly value: unknown } | undefined;
}

const MAX_SPLICED_DEPTH = 64;
/** What walks a value calls itself for each level, JSON.stringify too: a few thousand end the process. */
const MAX_DEPTH = 512;
/** A surrogate escape without its other half. An escaped backslash before `ud800` may be hit too, as harmlessly. */
const LONE_SURROGATE =
  /\\u[dD][89abAB][\da-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][\da-fA-F]{2})\\u[dD][c-fC-F]/;
const SPACE_ONLY = /^[ \t\r\n]*$/;

/**
 * Decides how a line's bytes become an observer event's payload; `undefined` for a line of white space, which is
 * forwarded and not emitted. A line is spliced only after a full strict parse shows that it is exactly one JSON value:
 * anything looser would let an agent close the payload early and forge an event.
 */
export function lineBody(
  direction: Direction,
  line: Uint8Array,
  base64Encode: (bytes: Uint8Array) => string,
): LineBody | undefined {
  const kind = direction === 'read' ? 'acp_read' : 'acp_write';
  const text = utf8Decode(line);
  if (text === undefined) {
    const lossy = new TextDecoder('utf-8', { ignoreBOM: true }).decode(line);
    return parseError({ line: lossy, error: 'not UTF-8', direction, bytes: base64Encode(line) });
  }
  if (SPACE_ONLY.test(text)) return undefined;
  const bom = text.startsWith('\uFEFF');
  const json = bom ? text.slice(1) : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const error = cause instanceof Error ? cause.message : 'not JSON';
    return parseError({ line: text, error, direction });
  }
  const isOdd = !isPlain(json, MAX_SPLICED_DEPTH);
  const fragile = bom || isOdd || (text.includes('\\u') && LONE_SURROGATE.test(text));
  const isDeep = isOdd && isNestedOver(json, MAX_DEPTH);
  return { kind, payload: text, fragile, json: { text: json, value: isDeep ? cutDeep(value, MAX_DEPTH) : value } };
}

function cutDeep(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((one) => cutDeep(one, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cutDeep(one, levels - 1)]));
}

/** Payload of `acp_parse_error`: a line that is not exactly one JSON value. `bytes` is base64 where it is not UTF-8. */
export interface ParseErrorPayload {
  readonly line: string;
  readonly error: string;
  readonly direction: Direction;
  readonly bytes?: string;
}

function parseError(payload: ParseErrorPayload): LineBody {
  return { kind: 'acp_parse_error', payload: JSON.stringify(payload), fragile: false, json: undefined };
}
