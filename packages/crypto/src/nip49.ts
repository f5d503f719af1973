import type { Result } from '@heliograph/wire';
import { type Crypto, isSecretKey, type KeyError } from '@heliograph/wire/nostr';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { scrypt } from '@noble/hashes/scrypt.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { bech32 } from '@scure/base';

/** Why a ncryptsec can't be opened with this passphrase (NIP-49). */
export interface PassphraseError {
  readonly code: 'wrong-passphrase' | 'unknown-version' | 'too-costly';
  readonly message: string;
}

const PREFIX = 'ncryptsec';
const VERSION = 2;
/** NIP-49's "the client does not track how the key was handled before". */
const KEY_SECURITY_UNTRACKED = 2;
const PAYLOAD_BYTES = 1 + 1 + 16 + 24 + 1 + 48;
const TEXT_LENGTH = 162;
/** scrypt with log2(N) of 20 takes 1 GiB: a text that asks for more could stop the machine. */
const MAX_LOG_N = 20;

/**
 * `ncryptsec1…` of a secret key under a passphrase (NIP-49: scrypt, XChaCha20-Poly1305). Takes 64 MiB and some tenths of a
 * second at the default `logN` of 16, doubling with each step; throws RangeError on a bad key or a `logN` outside 1…20.
 */
export function encryptSecretKey(secretKey: Uint8Array, passphrase: string, crypto: Crypto, logN = 16): string {
  if (!isSecretKey(secretKey)) throw new RangeError('secret key must be 32 bytes between 1 and n-1');
  if (!Number.isInteger(logN) || logN < 1 || logN > MAX_LOG_N) {
    throw new RangeError(`logN must be an integer from 1 to ${MAX_LOG_N}, got ${logN}`);
  }
  const salt = crypto.randomBytes(16);
  const nonce = crypto.randomBytes(24);
  const keySecurity = Uint8Array.of(KEY_SECURITY_UNTRACKED);
  const sealed = xchacha20poly1305(symmetricKey(passphrase, salt, logN), nonce, keySecurity).encrypt(secretKey);
  const payload = concatBytes(Uint8Array.of(VERSION, logN), salt, nonce, keySecurity, sealed);
  return bech32.encode(PREFIX, bech32.toWords(payload), TEXT_LENGTH);
}

/** The secret key in a `ncryptsec1…` (NIP-49); same cost as making it. Messages repeat neither text nor passphrase. */
export function decryptSecretKey(text: string, passphrase: string): Result<Uint8Array, KeyError | PassphraseError> {
  const trimmed = text.trim();
  if (!/^ncryptsec1/i.test(trimmed)) return failure('wrong-prefix', 'expected a key that starts with ncryptsec1');
  const decoded = bech32.decodeUnsafe(trimmed, TEXT_LENGTH);
  const payload = decoded && bech32.fromWordsUnsafe(decoded.words);
  if (!payload) return failure('bad-checksum', 'ncryptsec1… is cut off or mistyped: its checksum is wrong');
  if (payload[0] !== VERSION)
    return failure('unknown-version', `ncryptsec is of NIP-49 version ${payload[0]}, not ${VERSION}`);
  if (payload.length !== PAYLOAD_BYTES)
    return failure('bad-length', `ncryptsec must hold ${PAYLOAD_BYTES} bytes, got ${payload.length}`);
  const logN = payload[1] as number;
  if (logN < 1 || logN > MAX_LOG_N)
    return failure('too-costly', `ncryptsec asks for log2(N) = ${logN}, outside 1 to ${MAX_LOG_N}`);
  const key = symmetricKey(passphrase, payload.subarray(2, 18), logN);
  const secretKey = open(key, payload);
  if (secretKey === undefined) return failure('wrong-passphrase', 'the passphrase does not open this key');
  if (!isSecretKey(secretKey)) return failure('out-of-range', 'the number inside is outside the range of secret keys');
  return { ok: true, value: secretKey };
}

function open(key: Uint8Array, payload: Uint8Array): Uint8Array | undefined {
  try {
    return xchacha20poly1305(key, payload.subarray(18, 42), payload.subarray(42, 43)).decrypt(payload.subarray(43));
  } catch {
    return undefined;
  }
}

function symmetricKey(passphrase: string, salt: Uint8Array, logN: number): Uint8Array {
  // NIP-49: the same passphrase typed on another keyboard must give the same bytes.
  return scrypt(utf8ToBytes(passphrase.normalize('NFKC')), salt, { N: 2 ** logN, r: 8, p: 1, dkLen: 32 });
}

function failure<E extends KeyError | PassphraseError>(code: E['code'], message: string): Result<never, E> {
  return { ok: false, error: { code, message } as E };
}
