import { err, ok, type Result } from '../result.ts';
import { hexDecode, hexEncode, isHex64, isHex128, isWellFormed, utf8Encode } from './bytes.ts';
import type { Crypto } from './crypto.ts';

/** What is wrong with an event: its shape, its id (not the hash of its content), or its signature (NIP-01). */
export interface EventError {
  readonly code: 'malformed' | 'bad-id' | 'bad-signature';
  readonly message: string;
}

/** What an author decides of an event: NIP-01's members before signing; `created_at` in Unix seconds. */
export interface EventTemplate {
  readonly kind: number;
  readonly created_at: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
}

/** A NIP-01 event of the right shape; says nothing about its id or signature. */
export interface NostrEvent extends EventTemplate {
  readonly id: string;
  readonly pubkey: string;
  readonly sig: string;
}

const MINT = Symbol('only this file makes parsed and verified events');

/** What `parseEvent` made and nobody can have changed since; a copy or a literal is none. */
class ParsedEvent implements NostrEvent {
  readonly id: string;
  readonly pubkey: string;
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
  readonly sig: string;
  readonly #isParsed = true;

  constructor(mint: typeof MINT, id: string, pubkey: string, template: EventTemplate, sig: string) {
    if (mint !== MINT) throw new TypeError('a parsed event comes from parseEvent only');
    this.id = id;
    this.pubkey = pubkey;
    this.created_at = template.created_at;
    this.kind = template.kind;
    this.tags = template.tags;
    this.content = template.content;
    this.sig = sig;
    Object.freeze(this);
  }

  static is(value: unknown): value is ParsedEvent {
    return typeof value === 'object' && value !== null && #isParsed in value && value.#isParsed;
  }
}

/**
 * An event whose id and signature hold. Made only by `verifyEvent` and `signEvent`: the private field keeps literals and
 * spread copies from type-checking, and `json` throws TypeError on an object that only pretends.
 */
export class VerifiedEvent implements NostrEvent {
  readonly id: string;
  readonly pubkey: string;
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
  readonly sig: string;
  // The content's JSON text was made for hashing already: joined here it costs no second pass over a 64 KB content.
  readonly #json: string;

  /** Private to event.ts; throws TypeError for anyone else. */
  constructor(mint: typeof MINT, event: NostrEvent, json: string) {
    if (mint !== MINT) throw new TypeError('a VerifiedEvent comes from verifyEvent or signEvent only');
    this.id = event.id;
    this.pubkey = event.pubkey;
    this.created_at = event.created_at;
    this.kind = event.kind;
    this.tags = event.tags;
    this.content = event.content;
    this.sig = event.sig;
    this.#json = json;
    Object.freeze(this);
  }

  /** The canonical JSON text, members in the order id, pubkey, created_at, kind, tags, content, sig. */
  get json(): string {
    return this.#json;
  }

  /** Whether `value` really is one, whatever its prototype says. */
  static is(value: unknown): value is VerifiedEvent {
    return typeof value === 'object' && value !== null && #json in value;
  }
}

/** The event in an untrusted JSON value: NIP-01's seven members checked and copied, other members dropped. */
export function parseEvent(value: unknown): Result<NostrEvent, EventError> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return malformed('an event must be an object');
  const { id, pubkey, created_at, kind, tags, content, sig } = value as { [member in keyof NostrEvent]?: unknown };
  if (!isHex64(id)) return malformed('id must be 64 lower-case hex characters');
  if (!isHex64(pubkey)) return malformed('pubkey must be 64 lower-case hex characters');
  if (!isHex128(sig)) return malformed('sig must be 128 lower-case hex characters');
  const template = parseTemplate(created_at, kind, tags, content);
  if (!template.ok) return template;
  return ok(new ParsedEvent(MINT, id, pubkey, template.value, sig));
}

/** A template of the right shape that shares nothing with where it came from and can't be changed. */
function parseTemplate(
  createdAt: unknown,
  kind: unknown,
  tags: unknown,
  content: unknown,
): Result<EventTemplate, EventError> {
  if (!isCount(createdAt, Number.MAX_SAFE_INTEGER)) return malformed('created_at must be an integer from 0 to 2^53-1');
  if (!isCount(kind, 65_535)) return malformed('kind must be an integer from 0 to 65535');
  if (typeof content !== 'string' || !isWellFormed(content))
    return malformed('content must be a string without lone surrogates');
  if (!Array.isArray(tags)) return malformed('tags must be an array');
  const copies: (readonly string[])[] = [];
  for (const tag of tags as unknown[]) {
    if (!Array.isArray(tag) || tag.length === 0) return malformed('each tag must be an array of at least one string');
    for (const item of tag as unknown[]) {
      if (typeof item !== 'string' || !isWellFormed(item))
        return malformed('each tag item must be a string without lone surrogates');
    }
    copies.push(Object.freeze([...(tag as string[])]));
  }
  // + 0 turns the -0 that JSON can carry into 0.
  return ok({ created_at: createdAt + 0, kind: kind + 0, tags: Object.freeze(copies), content });
}

function isCount(x: unknown, max: number): x is number {
  return Number.isInteger(x) && (x as number) >= 0 && (x as number) <= max;
}

function malformed(message: string): { readonly ok: false; readonly error: EventError } {
  return err({ code: 'malformed', message });
}

/** The parts of an event's JSON text that its id and its `json` share. */
interface EncodedParts {
  readonly tags: string;
  readonly content: string;
}

function encodeParts(template: EventTemplate): EncodedParts {
  return { tags: JSON.stringify(template.tags), content: JSON.stringify(template.content) };
}

function joinPreimage(pubkey: string, { created_at, kind }: EventTemplate, { tags, content }: EncodedParts): string {
  return `[0,"${pubkey}",${created_at},${kind},${tags},${content}]`;
}

function mint(event: NostrEvent, { tags, content }: EncodedParts): VerifiedEvent {
  const { id, pubkey, created_at, kind, sig } = event;
  const json =
    `{"id":"${id}","pubkey":"${pubkey}","created_at":${created_at},"kind":${kind},` +
    `"tags":${tags},"content":${content},"sig":"${sig}"}`;
  return new VerifiedEvent(MINT, event, json);
}

/** The text that is hashed to an event's id: `[0,pubkey,created_at,kind,tags,content]` without whitespace (NIP-01). */
export function serializeEvent(pubkey: string, template: EventTemplate): string {
  return joinPreimage(pubkey, template, encodeParts(template));
}

/** The id of an event by this author, 64 hex characters (NIP-01). */
export function eventId(pubkey: string, template: EventTemplate, crypto: Crypto): string {
  return hexEncode(crypto.sha256(utf8Encode(serializeEvent(pubkey, template))));
}

/** An event whose shape and id hold. What is left is to check its BIP-340 signature, here or in a worker. */
export interface PendingVerification {
  readonly sig64: Uint8Array;
  readonly hash32: Uint8Array;
  readonly xOnlyPublicKey: Uint8Array;
  /** The trusted form of the event, given what `schnorrVerify` said of these three. */
  settle(holds: boolean): Result<VerifiedEvent, EventError>;
}

/** Checks shape and id (NIP-01) and gives what is to be checked of the signature; proves nothing about the author. */
export function beginVerification(
  event: NostrEvent,
  crypto: Pick<Crypto, 'sha256'>,
): Result<PendingVerification, EventError> {
  // Anything but our own frozen copy is parsed, whatever its type says: nothing that the object carries is trusted.
  const parsed = ParsedEvent.is(event) ? ok(event) : parseEvent(event);
  if (!parsed.ok) return parsed;
  const { id, pubkey, sig } = parsed.value;
  const parts = encodeParts(parsed.value);
  const hash32 = crypto.sha256(utf8Encode(joinPreimage(pubkey, parsed.value, parts)));
  if (hexEncode(hash32) !== id) return err({ code: 'bad-id', message: 'id is not the hash of the event' });
  return ok({
    sig64: hexDecode(sig),
    hash32,
    xOnlyPublicKey: hexDecode(pubkey),
    settle(holds) {
      if (holds) return ok(mint(parsed.value, parts));
      return err({ code: 'bad-signature', message: 'signature does not verify' });
    },
  });
}

/** The trusted form of an event after its id is recomputed and its BIP-340 signature checked (NIP-01). */
export function verifyEvent(event: NostrEvent, crypto: Crypto): Result<VerifiedEvent, EventError> {
  const pending = beginVerification(event, crypto);
  if (!pending.ok) return pending;
  const { sig64, hash32, xOnlyPublicKey, settle } = pending.value;
  return settle(crypto.schnorrVerify(sig64, hash32, xOnlyPublicKey));
}

/** Signs a template; throws TypeError when it is not of NIP-01's shape, RangeError on a bad secret key. */
export function signEvent(template: EventTemplate, secretKey: Uint8Array, crypto: Crypto): VerifiedEvent {
  return eventSigner(secretKey, crypto).sign(template);
}

/** Signs for one key: its public key in hex, and `signEvent` without deriving that key each time. */
export interface EventSigner {
  readonly publicKey: string;
  sign(template: EventTemplate): VerifiedEvent;
}

/** `signEvent` for one key (32 bytes, copied) many times over; throws RangeError on a bad key. */
export function eventSigner(secretKey: Uint8Array, crypto: Crypto): EventSigner {
  // Not slice(): on a Buffer that would be a view of the caller's memory.
  const secret = new Uint8Array(secretKey);
  const publicKey = hexEncode(crypto.publicKey(secret));
  return {
    publicKey,
    sign(template) {
      const parsed = parseTemplate(template.created_at, template.kind, template.tags, template.content);
      if (!parsed.ok) throw new TypeError(`event template: ${parsed.error.message}`);
      const parts = encodeParts(parsed.value);
      const hash = crypto.sha256(utf8Encode(joinPreimage(publicKey, parsed.value, parts)));
      const sig = hexEncode(crypto.schnorrSign(hash, secret, crypto.randomBytes(32)));
      return mint({ id: hexEncode(hash), pubkey: publicKey, ...parsed.value, sig }, parts);
    },
  };
}

/** The second item of the first tag called `name`, if there is one. */
export function tagValue(event: EventTemplate, name: string): string | undefined {
  return event.tags.find((tag) => tag[0] === name)?.[1];
}

/** Whether relays keep only the newest event per author and kind (NIP-01). */
export function isReplaceable(kind: number): boolean {
  return kind === 0 || kind === 3 || (kind >= 10_000 && kind < 20_000);
}

/** Whether relays pass an event on without keeping it (NIP-01). */
export function isEphemeral(kind: number): boolean {
  return kind >= 20_000 && kind < 30_000;
}

/** Whether relays keep only the newest event per author, kind and `d` tag (NIP-01). */
export function isAddressable(kind: number): boolean {
  return kind >= 30_000 && kind < 40_000;
}
