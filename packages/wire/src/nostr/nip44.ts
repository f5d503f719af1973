import { err, ok, type Result } from '../result.ts';
import { concatBytes, equalBytes, hexDecode, isHex64, isWellFormed, utf8Decode, utf8Encode } from './bytes.ts';
import type { Crypto } from './crypto.ts';

/** Why a payload can't be opened (NIP-44); 'long-form' is the extended length prefix, which we neither emit nor read. */
export interface Nip44Error {
  readonly code:
    | 'too-short'
    | 'too-long'
    | 'unknown-version'
    | 'long-form'
    | 'bad-mac'
    | 'bad-padding'
    | 'bad-base64'
    | 'bad-utf8';
  readonly message: string;
}

/** The largest plaintext of NIP-44's short form in UTF-8 bytes; everything up to it is read. */
export const MAX_PLAINTEXT_BYTES = 65_535;

/** The largest plaintext we write in UTF-8 bytes: the Rust nostr crate encrypts no more. */
export const MAX_EMIT_BYTES = 65_408;

/** The shortest and longest payload of the short form, in base64 characters. */
export const MIN_PAYLOAD_LENGTH = 132;
export const MAX_PAYLOAD_LENGTH = 87_472;

const VERSION = 2;
const NONCE_END = 1 + 32;
const MAC_BYTES = 32;
const SALT = utf8Encode('nip44-v2');

/** The 32-byte key that two parties share; throws RangeError when `peerHex` is no public key or the secret key is bad. */
export function conversationKey(secretKey: Uint8Array, peerHex: string, crypto: Crypto): Uint8Array {
  if (!isHex64(peerHex)) throw new RangeError('peer must be a public key of 64 lower-case hex characters');
  return crypto.hmacSha256(SALT, crypto.ecdhX(secretKey, hexDecode(peerHex)));
}

/** The size that a plaintext of `length` bytes is padded to, without the length prefix (NIP-44 calc_padded_len). */
export function paddedLength(length: number): number {
  if (!Number.isSafeInteger(length) || length < 1)
    throw new RangeError(`length must be a positive integer, got ${length}`);
  if (length <= 32) return 32;
  const nextPower = 2 ** (32 - Math.clz32(length - 1));
  const chunk = nextPower <= 256 ? 32 : nextPower / 8;
  return chunk * Math.ceil(length / chunk);
}

interface MessageKeys {
  readonly chachaKey: Uint8Array;
  readonly chachaNonce: Uint8Array;
  readonly hmacKey: Uint8Array;
}

/** HKDF-expand (RFC 5869) of the conversation key with the nonce as info, cut into the three keys of one message (NIP-44). */
export function messageKeys(key: Uint8Array, nonce32: Uint8Array, crypto: Crypto): MessageKeys {
  const t1 = crypto.hmacSha256(key, nonce32, Uint8Array.of(1));
  const t2 = crypto.hmacSha256(key, t1, nonce32, Uint8Array.of(2));
  const t3 = crypto.hmacSha256(key, t2, nonce32, Uint8Array.of(3));
  const okm = concatBytes(t1, t2, t3);
  return { chachaKey: okm.subarray(0, 32), chachaNonce: okm.subarray(32, 44), hmacKey: okm.subarray(44, 76) };
}

/**
 * Encrypts 1…65,408 UTF-8 bytes of text to a base64 payload; throws RangeError outside that or on lone surrogates.
 * `nonce32` is for test vectors: left out, it is random, and it must never repeat.
 */
export function encrypt(plaintext: string, key: Uint8Array, crypto: Crypto, nonce32 = crypto.randomBytes(32)): string {
  if (key.length !== 32) throw new RangeError(`conversation key must be 32 bytes, got ${key.length}`);
  if (nonce32.length !== 32) throw new RangeError(`nonce must be 32 bytes, got ${nonce32.length}`);
  if (!isWellFormed(plaintext)) throw new RangeError('plaintext must not hold lone surrogates');
  const text = utf8Encode(plaintext);
  if (text.length < 1 || text.length > MAX_EMIT_BYTES) {
    throw new RangeError(`plaintext must be 1 to ${MAX_EMIT_BYTES} bytes of UTF-8, got ${text.length}`);
  }
  const padded = new Uint8Array(2 + paddedLength(text.length));
  padded[0] = text.length >> 8;
  padded[1] = text.length & 0xff;
  padded.set(text, 2);
  const { chachaKey, chachaNonce, hmacKey } = messageKeys(key, nonce32, crypto);
  const ciphertext = crypto.chacha20(chachaKey, chachaNonce, padded);
  const mac = crypto.hmacSha256(hmacKey, nonce32, ciphertext);
  return crypto.base64Encode(concatBytes(Uint8Array.of(VERSION), nonce32, ciphertext, mac));
}

/** Opens a payload; never throws for any payload. */
export function decrypt(payload: string, key: Uint8Array, crypto: Crypto): Result<string, Nip44Error> {
  if (key.length !== 32) throw new RangeError(`conversation key must be 32 bytes, got ${key.length}`);
  // NIP-44 keeps '#' as the first character for future encodings that are not base64.
  if (payload.startsWith('#')) return failure('unknown-version', 'payload is of a NIP-44 version that is not base64');
  if (payload.length < MIN_PAYLOAD_LENGTH) {
    return failure('too-short', `payload has ${payload.length} characters, fewer than ${MIN_PAYLOAD_LENGTH}`);
  }
  if (payload.length > MAX_PAYLOAD_LENGTH) {
    return failure('too-long', `payload has ${payload.length} characters, more than ${MAX_PAYLOAD_LENGTH}`);
  }
  const bytes = decodeBase64(payload, crypto);
  if (bytes === undefined) return failure('bad-base64', 'payload is not canonical base64');
  if (bytes[0] !== VERSION)
    return failure('unknown-version', `payload is of NIP-44 version ${bytes[0]}, not ${VERSION}`);
  const nonce = bytes.subarray(1, NONCE_END);
  const ciphertext = bytes.subarray(NONCE_END, bytes.length - MAC_BYTES);
  const { chachaKey, chachaNonce, hmacKey } = messageKeys(key, nonce, crypto);
  const mac = crypto.hmacSha256(hmacKey, nonce, ciphertext);
  if (!equalBytes(mac, bytes.subarray(bytes.length - MAC_BYTES))) {
    return failure('bad-mac', 'payload was made with another key or was changed on the way');
  }
  return unpad(crypto.chacha20(chachaKey, chachaNonce, ciphertext));
}

/** Bytes of an opening: the cipher's key (32) and nonce (12), and the MAC's key (32), of one message. */
export const OPENING_BYTES = 76;

/**
 * The keys of one message, OPENING_BYTES long: they open this payload and no other, and say nothing of the conversation's
 * key. Undefined when the payload is not of the right shape. Whether it opens is `decryptWithOpening`'s to say.
 */
export function messageOpening(payload: string, key: Uint8Array, crypto: Crypto): Uint8Array | undefined {
  if (payload.length < MIN_PAYLOAD_LENGTH) return undefined;
  // 44 characters are 33 bytes: the version and the nonce, and nothing else is asked of the payload here.
  const bytes = decodeBase64(payload.slice(0, (NONCE_END / 3) * 4), crypto);
  if (bytes?.[0] !== VERSION) return undefined;
  const { chachaKey, chachaNonce, hmacKey } = messageKeys(key, bytes.subarray(1, NONCE_END), crypto);
  return concatBytes(chachaKey, chachaNonce, hmacKey);
}

/** Opens the one payload that `opening` is of, without either party's key; never throws for any payload or opening. */
export function decryptWithOpening(payload: string, opening: Uint8Array, crypto: Crypto): Result<string, Nip44Error> {
  const bytes = decodeBase64(payload, crypto);
  if (bytes === undefined) return failure('bad-base64', 'payload is not canonical base64');
  if (bytes.length < NONCE_END + MAC_BYTES + 2) return failure('too-short', 'payload is cut short');
  if (bytes[0] !== VERSION) return failure('unknown-version', `payload is of NIP-44 version ${bytes[0]}`);
  if (opening.length !== OPENING_BYTES) return failure('bad-mac', `an opening has ${OPENING_BYTES} bytes`);
  const nonce = bytes.subarray(1, NONCE_END);
  const ciphertext = bytes.subarray(NONCE_END, bytes.length - MAC_BYTES);
  const mac = crypto.hmacSha256(opening.subarray(44, 76), nonce, ciphertext);
  if (!equalBytes(mac, bytes.subarray(bytes.length - MAC_BYTES))) {
    return failure('bad-mac', 'payload was changed, or the opening is of another message');
  }
  return unpad(crypto.chacha20(opening.subarray(0, 32), opening.subarray(32, 44), ciphertext));
}

function decodeBase64(payload: string, crypto: Crypto): Uint8Array | undefined {
  try {
    return crypto.base64Decode(payload);
  } catch {
    return undefined;
  }
}

function unpad(padded: Uint8Array): Result<string, Nip44Error> {
  const length = ((padded[0] as number) << 8) | (padded[1] as number);
  if (length === 0) return failure('long-form', 'payload has the extended length form, which is not supported');
  if (padded.length !== 2 + paddedLength(length)) return failure('bad-padding', 'payload is padded to a wrong size');
  const text = utf8Decode(padded.subarray(2, 2 + length));
  return text === undefined ? failure('bad-utf8', 'plaintext is not UTF-8') : ok(text);
}

function failure(code: Nip44Error['code'], message: string): { readonly ok: false; readonly error: Nip44Error } {
  return err({ code, message });
}
