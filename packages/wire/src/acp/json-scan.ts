/**
 * Slices of JSON text. Every function expects text that `JSON.parse` has accepted: it finds where values stand, it does
 * not check them. That is what lets a payload be kept as the exact text it was.
 */

const MAX_DIGITS = 300;
const HUGE_EXPONENT = /^\+?\d{3}/;

/** A member of an object: its key, and where its value's text starts and ends (end is exclusive, no whitespace). */
export interface Member {
  readonly key: string;
  /** Just after the colon: with whitespace that stands before the value. */
  readonly afterColon: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The members of the object whose `{` is the first non-space character from `start` on; `end` is just after its `}`. */
export function scanMembers(text: string, start = 0): { readonly members: readonly Member[]; readonly end: number } {
  const members: Member[] = [];
  let at = skipSpace(text, start);
  if (text[at] !== '{') throw new TypeError(`expected an object at offset ${at}`);
  at = skipSpace(text, at + 1);
  while (text[at] !== '}') {
    const keyEnd = skipString(text, at);
    const key = readKey(text.slice(at, keyEnd));
    const afterColon = skipSpace(text, keyEnd) + 1;
    const valueStart = skipSpace(text, afterColon);
    const valueEnd = skipValue(text, valueStart);
    members.push({ key, afterColon, valueStart, valueEnd });
    at = skipSpace(text, valueEnd);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return { members, end: at + 1 };
}

/** Where the elements of the array starting at `start` stand. */
export function scanElements(text: string, start = 0): readonly { readonly start: number; readonly end: number }[] {
  const elements: { start: number; end: number }[] = [];
  let at = skipSpace(text, start);
  if (text[at] !== '[') throw new TypeError(`expected an array at offset ${at}`);
  at = skipSpace(text, at + 1);
  while (text[at] !== ']') {
    const end = skipValue(text, at);
    elements.push({ start: at, end });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return elements;
}

/**
 * Whether other parsers than JavaScript's read this JSON text too: nested `maxDepth` deep at most, and no number of 300
 * digits or a positive exponent of three, which may leave double range. Cost: one pass, without recursion.
 */
export function isPlain(text: string, maxDepth: number): boolean {
  let depth = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) {
      if (++digits >= MAX_DIGITS) return false;
      continue;
    }
    const inNumber = digits > 0;
    digits = 0;
    if (code === 0x22) at = skipString(text, at) - 1;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return false;
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (inNumber && (code | 0x20) === 0x65 && HUGE_EXPONENT.test(text.slice(at + 1, at + 5))) return false;
  }
  return true;
}

/** Whether this JSON text is nested deeper than `maxDepth`. Cost: one pass, without recursion. */
export function isNestedOver(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = skipString(text, at) - 1;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** A key's value; where nothing is escaped its text is its value, and most keys are read by the thousand. */
function readKey(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at++;
  }
}

/** `start` is at the opening quote; returns the offset after the closing one. */
function skipString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) throw new TypeError(`string at offset ${start} does not end`);
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === 0x22) return skipString(text, start);
  let at = start;
  if (first !== 0x7b && first !== 0x5b) {
    // A number or a literal: up to what can follow a value.
    while (at < text.length && !', ]}\n\r\t'.includes(text[at] as string)) at++;
    return at;
  }
  let depth = 0;
  for (; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = skipString(text, at) - 1;
        break;
      case 0x7b:
      case 0x5b:
        depth++;
        break;
      case 0x7d:
      case 0x5d:
        depth--;
        if (depth === 0) return at + 1;
        break;
      default:
        break;
    }
  }
  throw new TypeError(`value at offset ${start} does not end`);
}
