import type { Crypto } from '@heliograph/wire/nostr';

/** The part of an engine that computes on secp256k1; the rest is hashing, ciphers and base64. */
export type Curve = Pick<Crypto, 'publicKey' | 'ecdhX' | 'schnorrSign' | 'schnorrVerify'>;

/** Throws RangeError unless `bytes` has `length` bytes: native code would read past the end of anything shorter. */
export function checkLength(name: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new RangeError(`${name} must be ${length} bytes, got ${bytes.length}`);
}

/** The sentence for a 32-byte secret key outside 1…n-1, the same in every engine. */
export function badSecretKey(): RangeError {
  return new RangeError('secret key must be between 1 and n-1');
}

/** The sentence for an x-only public key that is not on the curve, the same in every engine. */
export function badPublicKey(): RangeError {
  return new RangeError('public key must be the X coordinate of a point on the curve');
}

/** The compressed form (33 bytes) of the point with this X and even Y, as BIP-340 lifts x-only keys. */
export function liftX(xOnlyPublicKey: Uint8Array): Uint8Array {
  const point = new Uint8Array(33);
  point[0] = 2;
  point.set(xOnlyPublicKey, 1);
  return point;
}
