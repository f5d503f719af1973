import { err, ok, type Result } from '../result.ts';
import { isHex64, isWellFormed } from './bytes.ts';
import { type NostrEvent, parseEvent } from './event.ts';
import { type Filter, parseFilter } from './filter.ts';

/**
 * What is wrong with a message. `subId` or `eventId` is there whenever it could be read, so that a relay can answer
 * CLOSED or OK instead of a NOTICE that no client can match to anything.
 */
export interface MessageError {
  readonly code: 'bad-json' | 'unknown-type' | 'malformed' | 'unsupported';
  readonly message: string;
  readonly subId?: string;
  readonly eventId?: string;
}

/** What a client says to a relay (NIP-01; AUTH is NIP-42, COUNT is NIP-45). */
export type ClientMessage =
  | readonly [type: 'EVENT', event: NostrEvent]
  | readonly [type: 'REQ', subId: string, ...filters: Filter[]]
  | readonly [type: 'COUNT', subId: string, ...filters: Filter[]]
  | readonly [type: 'CLOSE', subId: string]
  | readonly [type: 'AUTH', event: NostrEvent];

/** What a relay says to a client (NIP-01; AUTH is NIP-42, COUNT is NIP-45). */
export type RelayMessage =
  | readonly [type: 'EVENT', subId: string, event: NostrEvent]
  | readonly [type: 'OK', eventId: string, accepted: boolean, message: string]
  | readonly [type: 'EOSE', subId: string]
  | readonly [type: 'CLOSED', subId: string, message: string]
  | readonly [type: 'NOTICE', message: string]
  | readonly [type: 'AUTH', challenge: string]
  | readonly [type: 'COUNT', subId: string, result: { readonly count: number; readonly approximate?: boolean }];

/** The longest subscription id in characters (NIP-01). */
export const MAX_SUB_ID_LENGTH = 64;

type Failure = { readonly ok: false; readonly error: MessageError };

/** Reads what a client sent; never throws, whatever the text is. */
export function parseClientMessage(text: string): Result<ClientMessage, MessageError> {
  const parts = parseArray(text);
  if (!parts.ok) return parts;
  const [type, first] = parts.value;
  switch (type) {
    case 'EVENT':
    case 'AUTH': {
      // JSON.parse keeps the last of duplicate members where another parser may keep the first. That difference can't
      // travel: a relay forwards VerifiedEvent.json, written once from the very fields that were verified.
      const event = parseEvent(first);
      if (event.ok) return ok([type, event.value]);
      return failure('malformed', event.error.message, { eventId: readEventId(first) });
    }
    case 'REQ':
    case 'COUNT':
      return parseRequest(type, first, parts.value.slice(2));
    case 'CLOSE':
      return isSubId(first) ? ok([type, first]) : badSubId(first);
    default:
      return unknownType(type);
  }
}

function parseRequest(
  type: 'REQ' | 'COUNT',
  subId: unknown,
  rest: readonly unknown[],
): Result<ClientMessage, MessageError> {
  if (!isSubId(subId)) return badSubId(subId);
  if (rest.length === 0) return failure('malformed', `${type} needs at least one filter`, { subId });
  const filters: Filter[] = [];
  for (const value of rest) {
    const filter = parseFilter(value);
    if (!filter.ok) return failure(filter.error.code, filter.error.message, { subId });
    filters.push(filter.value);
  }
  return ok([type, subId, ...filters]);
}

/** Reads what a relay sent; never throws. An OK or CLOSED without its text, as some relays send, reads as ''. */
export function parseRelayMessage(text: string): Result<RelayMessage, MessageError> {
  const parts = parseArray(text);
  if (!parts.ok) return parts;
  const [type, first, second, third] = parts.value;
  switch (type) {
    case 'EVENT': {
      if (!isSubId(first)) return badSubId(first);
      const event = parseEvent(second);
      if (event.ok) return ok([type, first, event.value]);
      return failure('malformed', event.error.message, { subId: first, eventId: readEventId(second) });
    }
    case 'OK': {
      const eventId = readEventId({ id: first });
      if (!isHex64(first)) return failure('malformed', 'OK needs an event id', { eventId });
      if (typeof second !== 'boolean') return failure('malformed', 'OK needs true or false', { eventId });
      if (!isOptionalText(third)) return failure('malformed', 'the reason of OK must be a string', { eventId });
      return ok([type, first, second, third ?? '']);
    }
    case 'EOSE':
      return isSubId(first) ? ok([type, first]) : badSubId(first);
    case 'CLOSED':
      if (!isSubId(first)) return badSubId(first);
      if (!isOptionalText(second))
        return failure('malformed', 'the reason of CLOSED must be a string', { subId: first });
      return ok([type, first, second ?? '']);
    case 'NOTICE':
    case 'AUTH':
      return isText(first) ? ok([type, first]) : failure('malformed', `${type} needs a string`);
    case 'COUNT':
      if (!isSubId(first)) return badSubId(first);
      return parseCount(first, second);
    default:
      return unknownType(type);
  }
}

function parseCount(subId: string, value: unknown): Result<RelayMessage, MessageError> {
  const { count, approximate } = (value ?? {}) as { count?: unknown; approximate?: unknown };
  if (!Number.isSafeInteger(count) || (count as number) < 0) {
    return failure('malformed', 'COUNT needs a non-negative integer', { subId });
  }
  const result = { count: count as number, ...(approximate === true ? { approximate } : {}) };
  return ok(['COUNT', subId, result]);
}

function parseArray(text: string): Result<readonly unknown[], MessageError> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return failure('bad-json', 'a message must be JSON');
  }
  return Array.isArray(value) ? ok(value) : failure('malformed', 'a message must be a JSON array');
}

function isSubId(x: unknown): x is string {
  return isText(x) && x.length > 0 && x.length <= MAX_SUB_ID_LENGTH;
}

function badSubId(x: unknown): Failure {
  const message = `a subscription id must be a string of 1 to ${MAX_SUB_ID_LENGTH} characters`;
  return failure('malformed', message, { subId: typeof x === 'string' ? x : undefined });
}

function isText(x: unknown): x is string {
  return typeof x === 'string' && isWellFormed(x);
}

function isOptionalText(x: unknown): x is string | undefined {
  return x === undefined || isText(x);
}

function readEventId(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id } = value as { id?: unknown };
  return isHex64(id) ? id : undefined;
}

function unknownType(type: unknown): Failure {
  const name = typeof type === 'string' ? JSON.stringify(type.slice(0, 40)) : 'without a name';
  return failure('unknown-type', `message type ${name} is not known`);
}

function failure(
  code: MessageError['code'],
  message: string,
  about: { subId?: string | undefined; eventId?: string | undefined } = {},
): Failure {
  const { subId, eventId } = about;
  return err({
    code,
    message,
    ...(subId === undefined ? {} : { subId }),
    ...(eventId === undefined ? {} : { eventId }),
  });
}

/** The JSON text of a message in either direction. */
export function encodeMessage(message: ClientMessage | RelayMessage): string {
  return JSON.stringify(message);
}

/** `["EVENT",subId,event]` around an event's own JSON text, which is spliced in and not written again. */
export function encodeEventMessage(subId: string, eventJson: string): string {
  return `["EVENT",${JSON.stringify(subId)},${eventJson}]`;
}

const OK_PREFIXES = [
  'duplicate',
  'pow',
  'blocked',
  'rate-limited',
  'invalid',
  'restricted',
  'auth-required',
  'mute',
  'error',
] as const;

/** The machine-readable prefixes of OK and CLOSED (NIP-01, NIP-42). */
export type OkPrefix = (typeof OK_PREFIXES)[number];

/** The prefix of an OK or CLOSED reason, before its colon; undefined when there is none that NIP-01 knows. */
export function parseOkPrefix(message: string): OkPrefix | undefined {
  return OK_PREFIXES.find((prefix) => message.startsWith(`${prefix}:`));
}
