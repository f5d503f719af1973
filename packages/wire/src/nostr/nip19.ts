import { bech32 } from '@scure/base';
import { err, ok, type Result } from '../result.ts';
import { hexDecode, hexEncode, isHex64 } from './bytes.ts';

/** Why a text is not the key that was asked for. Messages never repeat the text: it may be a secret. */
export interface KeyError {
  readonly code: 'not-a-key' | 'bad-checksum' | 'wrong-prefix' | 'bad-length' | 'out-of-range';
  readonly message: string;
}

const KEY_BYTES = 32;
const KEY_TEXT_LENGTH = 63;
const CURVE_ORDER = hexDecode('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

/** `npub1…` of a public key in hex (NIP-19); throws RangeError when it is not 64 lower-case hex characters. */
export function encodeNpub(publicKey: string): string {
  if (!isHex64(publicKey)) throw new RangeError('public key must be 64 lower-case hex characters');
  return bech32.encodeFromBytes('npub', hexDecode(publicKey));
}

/** `nsec1…` of a secret key (NIP-19); throws RangeError when it is not one. */
export function encodeNsec(secretKey: Uint8Array): string {
  if (!isSecretKey(secretKey)) throw new RangeError('secret key must be 32 bytes between 1 and n-1');
  return bech32.encodeFromBytes('nsec', secretKey);
}

/** Whether these are 32 bytes that secp256k1 takes as a secret key: 1…n-1. */
export function isSecretKey(bytes: Uint8Array): boolean {
  if (bytes.length !== KEY_BYTES || bytes.every((byte) => byte === 0)) return false;
  const firstDifference = bytes.findIndex((byte, i) => byte !== CURVE_ORDER[i]);
  return firstDifference !== -1 && (bytes[firstDifference] as number) < (CURVE_ORDER[firstDifference] as number);
}

/** The public key, in lower-case hex, that a user wrote as npub or hex; space around it is ignored. */
export function parsePublicKey(text: string): Result<string, KeyError> {
  const bytes = parseKey(text, 'npub');
  return bytes.ok ? ok(hexEncode(bytes.value)) : bytes;
}

/** The secret key that a user wrote as nsec or hex; space around it is ignored. */
export function parseSecretKey(text: string): Result<Uint8Array, KeyError> {
  const bytes = parseKey(text, 'nsec');
  if (!bytes.ok || isSecretKey(bytes.value)) return bytes;
  return failure('out-of-range', 'the number is outside the range of secret keys');
}

function parseKey(text: string, prefix: 'npub' | 'nsec'): Result<Uint8Array, KeyError> {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return ok(hexDecode(trimmed));
  const written = /^([a-z]{1,20})1/i.exec(trimmed)?.[1]?.toLowerCase();
  if (written === undefined) return failure('not-a-key', `expected ${prefix}1… or 64 hex characters`);
  if (written !== prefix)
    return failure('wrong-prefix', `expected a key that starts with ${prefix}1${prefixHint(written)}`);
  if (trimmed.length !== KEY_TEXT_LENGTH) {
    return failure('bad-length', `${prefix}1… must have ${KEY_TEXT_LENGTH} characters, got ${trimmed.length}`);
  }
  const decoded = bech32.decodeUnsafe(trimmed);
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (!bytes || bytes.length !== KEY_BYTES)
    return failure('bad-checksum', `${prefix}1… is mistyped: its checksum is wrong`);
  return ok(bytes);
}

function prefixHint(written: string): string {
  if (written === 'nsec') return '; this is a secret key: keep it to yourself';
  if (written === 'npub') return '; this is a public key';
  if (written === 'ncryptsec') return '; this secret key is encrypted with a passphrase';
  return '';
}

function failure(code: KeyError['code'], message: string): { readonly ok: false; readonly error: KeyError } {
  return err({ code, message });
}
