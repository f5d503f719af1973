import { parsePushSubject } from '@heliograph/app-harness';
import { normalizeRelayUrl, parsePublicKey } from '@heliograph/wire/nostr';
import { InvalidArgumentError } from 'commander';

// Parsers for the values of options. Commander puts the option's name, the value and, where it came from the
// environment, the variable in front of these messages.

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError('Expected a port from 0 (any free one) to 65535.');
  return port;
}

/** The address of a relay in one spelling. */
export function parseRelayUrl(text: string): string {
  const url = normalizeRelayUrl(text);
  if (url === undefined) {
    throw new InvalidArgumentError(
      'Expected the address of a relay, like ws://192.168.1.5:7447 or wss://relay.example.org.',
    );
  }
  return url;
}

/** A contact that push services accept. */
export function parsePushContact(text: string): string {
  const subject = parsePushSubject(text);
  if (!subject.ok) {
    throw new InvalidArgumentError('Expected mailto:you@your-domain.org or an https address, under a public name.');
  }
  return subject.value;
}

/** A public key as npub or hex, given as hex. */
export function parseKey(text: string): string {
  const key = parsePublicKey(text);
  if (!key.ok) throw new InvalidArgumentError('Expected a public key: npub1… or 64 hex characters.');
  return key.value;
}

/** Collects a repeatable option; one value may hold several, separated by commas. */
export function repeatable(
  parse: (text: string) => string,
): (text: string, sofar: readonly string[] | undefined) => readonly string[] {
  return (text, sofar = []) => [...sofar, ...text.split(',').map((part) => parse(part.trim()))];
}

/** A name to show: one line of at most 64 characters. */
export function parseName(text: string): string {
  const name = text.trim();
  const isControl = (char: string) => char < ' ' || char === '\u007f';
  if (name === '' || [...name].length > 64 || [...name].some(isControl)) {
    throw new InvalidArgumentError('Expected a name of 1 to 64 characters on one line.');
  }
  return name;
}

/** How many threads: 0 to 64. */
export function parseThreads(text: string): number {
  const count = Number(text);
  if (!/^\d{1,2}$/.test(text) || count > 64) throw new InvalidArgumentError('Expected a number of threads, 0 to 64.');
  return count;
}

/** A length of time, in ms: 45s, 15m or 2h; off is 0, which means without end. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})(s|m|h)$/.exec(text) ?? [];
  const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 }[unit ?? ''];
  if (text === 'off') return 0;
  const ms = Number(count) * (unitMs ?? Number.NaN);
  // What timers take.
  if (!(ms > 0 && ms < 2 ** 31))
    throw new InvalidArgumentError('Expected a time like 45s, 15m or 2h (at most 24 days), or off.');
  return ms;
}

/** Until when something holds, as Unix seconds: a day (its first moment, UTC) or an RFC 3339 time, in the future. */
export function parseUntil(text: string, nowMs = Date.now()): number {
  const form = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$/;
  const ms = form.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('Expected a day like 2027-12-31 or a time like 2027-12-31T18:00:00Z.');
  if (ms <= nowMs) throw new InvalidArgumentError('Expected a date in the future.');
  return Math.floor(ms / 1000);
}

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$/;

/** A day's or a time's first moment in UTC, as RFC 3339 in milliseconds; a day that no calendar has is none. */
export function parseTime(text: string): string {
  const ms = TIME.test(text) ? Date.parse(text.length > 10 && !text.endsWith('Z') ? `${text}Z` : text) : Number.NaN;
  const time = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
  // Date.parse takes 2026-11-31 for the first of December.
  if (time === '' || !time.startsWith(text.slice(0, 10))) {
    throw new InvalidArgumentError('Expected a day or a time in UTC: 2026-11-30 or 2026-11-30T09:00.');
  }
  return time;
}

/** The last moment of a day, a minute or a second in UTC, as RFC 3339 in milliseconds. */
export function parseEnd(text: string): string {
  parseTime(text);
  const bare = text.replace('Z', '');
  const rest = { 10: 'T23:59:59.999', 16: ':59.999', 19: '.999' }[bare.length] ?? '';
  return parseTime(`${bare}${rest}Z`);
}
