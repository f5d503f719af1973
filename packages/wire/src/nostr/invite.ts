import { bech32m } from '@scure/base';
import { err, ok, type Result } from '../result.ts';
import { concatBytes, hexDecode, hexEncode, isHex64, utf8Decode, utf8Encode } from './bytes.ts';
import type { Crypto } from './crypto.ts';
import { type AuthTag, parseAuthTag, verifyAuthTag } from './nip-oa.ts';
import { isSecretKey } from './nip19.ts';
import { normalizeRelayUrl } from './relay-url.ts';

/** Why a text is no usable invite. Messages never repeat any of it: the token is a secret. */
export interface InviteError {
  readonly code: 'not-an-invite' | 'checksum' | 'version' | 'malformed' | 'relay' | 'secret-key' | 'auth-tag';
  readonly message: string;
}

/** Everything an agent needs to reach its owner: keys are raw bytes or hex, relays ws or wss URLs, best first. */
export interface Invite {
  readonly relays: readonly string[];
  readonly secretKey: Uint8Array;
  readonly owner: string;
  readonly name?: string;
  readonly authTag: AuthTag;
}

const PREFIX = 'helio';
const VERSION = 1;
/** The longest name in characters. */
export const MAX_INVITE_NAME_LENGTH = 64;
/** The most relays an invite names. */
export const MAX_INVITE_RELAYS = 16;
/** The longest token in characters: what is longer is not looked at. */
export const MAX_INVITE_LENGTH = 32_768;
const FIXED_BYTES = 1 + 32 + 32 + 64;

/**
 * One pasteable `helio1…` token; throws RangeError when a part is not acceptable. Bytes under bech32m, whose checksum finds
 * a cut or mistyped paste: version 1, secret key 32, owner 32, signature 64; then conditions, name and relay URLs up to the
 * end, each as UTF-8 after its length in two bytes.
 */
export function encodeInvite(invite: Invite): string {
  const { relays, secretKey, owner, name = '', authTag } = invite;
  const [, attestedBy, conditions, sig] = authTag;
  if (!isSecretKey(secretKey)) throw new RangeError('secretKey must be 32 bytes between 1 and n-1');
  if (!isHex64(owner)) throw new RangeError('owner must be 64 lower-case hex characters');
  if (attestedBy !== owner) throw new RangeError('authTag must be signed by owner');
  if (!parseAuthTag(authTag).ok) throw new RangeError('authTag must be a NIP-OA tag');
  if (!isName(name))
    throw new RangeError(`name must be at most ${MAX_INVITE_NAME_LENGTH} characters without control characters`);
  const badRelay = findBadRelay(relays);
  if (badRelay !== undefined) throw new RangeError(badRelay);
  const bytes = concatBytes(
    Uint8Array.of(VERSION),
    secretKey,
    hexDecode(owner),
    hexDecode(sig),
    ...[conditions, name, ...relays].map(encodeField),
  );
  const token = bech32m.encode(PREFIX, bech32m.toWords(bytes), false);
  if (token.length > MAX_INVITE_LENGTH)
    throw new RangeError(`an invite has at most ${MAX_INVITE_LENGTH} characters, got ${token.length}`);
  return token;
}

/** The invite in what a user pasted; whitespace, as terminals put into long lines, is ignored. The auth tag is verified. */
export function parseInvite(text: string, crypto: Crypto): Result<Invite, InviteError> {
  const token = text.replace(/\s+/g, '');
  if (!/^helio1/i.test(token)) return failure('not-an-invite', 'an invite starts with helio1');
  const decoded = bech32m.decodeUnsafe(token, MAX_INVITE_LENGTH);
  const bytes = decoded && bech32m.fromWordsUnsafe(decoded.words);
  if (!bytes || decoded.prefix !== PREFIX) {
    return failure('checksum', 'the invite is cut off or mistyped: copy all of it, from helio1 to the end');
  }
  if (bytes[0] !== VERSION)
    return failure('version', 'the invite is from another version of Heliograph: update this one');
  const fields = decodeFields(bytes.subarray(FIXED_BYTES));
  if (fields === undefined) return failure('malformed', 'the invite is damaged: make a new one');
  const [conditions = '', name = '', ...relays] = fields;
  const secretKey = bytes.slice(1, 33);
  const owner = hexEncode(bytes.subarray(33, 65));
  const authTag: AuthTag = ['auth', owner, conditions, hexEncode(bytes.subarray(65, FIXED_BYTES))];
  if (!isName(name)) return failure('malformed', 'the name in the invite is not acceptable: make a new one');
  const badRelay = findBadRelay(relays);
  if (badRelay !== undefined) return failure('relay', `${badRelay}: make a new invite`);
  if (!isSecretKey(secretKey))
    return failure('secret-key', 'the key in the invite is not a secret key: make a new one');
  const attested = verifyAuthTag(authTag, hexEncode(crypto.publicKey(secretKey)), crypto);
  if (!attested.ok)
    return failure('auth-tag', `the owner's attestation in the invite does not hold: ${attested.error.message}`);
  return ok({ relays, secretKey, owner, ...(name === '' ? {} : { name }), authTag });
}

function encodeField(text: string): Uint8Array {
  const bytes = utf8Encode(text);
  return concatBytes(Uint8Array.of(bytes.length >> 8, bytes.length & 0xff), bytes);
}

function decodeFields(bytes: Uint8Array): string[] | undefined {
  const fields: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = at + 2 + (((bytes[at] as number) << 8) | (bytes[at + 1] ?? 0));
    if (at + 2 > bytes.length || end > bytes.length) return undefined;
    const text = utf8Decode(bytes.subarray(at + 2, end));
    if (text === undefined) return undefined;
    fields.push(text);
    at = end;
  }
  return fields.length >= 2 ? fields : undefined;
}

function isName(name: string): boolean {
  // A name is shown in lists and in terminals, where control characters could do more than that.
  return [...name].length <= MAX_INVITE_NAME_LENGTH && !/[\p{Cc}\p{Surrogate}]/u.test(name);
}

function findBadRelay(relays: readonly string[]): string | undefined {
  if (relays.length === 0) return 'an invite needs at least one relay URL';
  if (relays.length > MAX_INVITE_RELAYS) return `an invite has at most ${MAX_INVITE_RELAYS} relay URLs`;
  return relays.every((url) => url.length <= 1_024 && normalizeRelayUrl(url) !== undefined)
    ? undefined
    : 'a relay URL must start with ws:// or wss:// and be at most 1024 characters';
}

function failure(code: InviteError['code'], message: string): { readonly ok: false; readonly error: InviteError } {
  return err({ code, message });
}
