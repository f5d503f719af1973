import type { Crypto } from '@heliograph/wire/nostr';
import { chacha20 } from '@noble/ciphers/chacha.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { checkLength } from './curve.ts';
import { nobleCurve } from './noble-curve.ts';

/** Pure JavaScript that runs in a page and in Node alike: the browser's engine, and Node's last resort. */
export const nobleCrypto: Crypto = {
  name: 'noble',
  ...nobleCurve,
  sha256: (bytes) => sha256(bytes),
  hmacSha256(key, ...parts) {
    const mac = hmac.create(sha256, key);
    for (const part of parts) mac.update(part);
    return mac.digest();
  },
  chacha20(key, nonce12, data) {
    checkLength('key', key, 32);
    checkLength('nonce', nonce12, 12);
    return chacha20(key, nonce12, data);
  },
  randomBytes(length) {
    const bytes = new Uint8Array(length);
    // Web Crypto gives at most 65,536 bytes at once.
    for (let at = 0; at < length; at += 65_536) globalThis.crypto.getRandomValues(bytes.subarray(at, at + 65_536));
    return bytes;
  },
  base64Encode: (bytes) => btoa(binaryOf(bytes)),
  base64Decode(text) {
    const binary = decodeBinary(text);
    // Writing it again finds what atob lets pass: whitespace, missing padding, loose trailing bits.
    if (binary === undefined || btoa(binary) !== text) throw new RangeError('text must be canonical base64');
    // A plain loop: Uint8Array.from with a mapper is about 25 times slower here.
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  },
};

/** Bytes as a string of one character each; in pieces, because an argument list has a bound. */
function binaryOf(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 8_192) {
    // Not by spreading: that walks an iterator and takes eight times as long.
    binary += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + 8_192));
  }
  return binary;
}

function decodeBinary(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}
