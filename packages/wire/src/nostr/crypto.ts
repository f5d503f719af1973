/**
 * The primitives that Nostr needs, handed in by the program: node:crypto and libsecp256k1 on a server, noble in a page.
 * Keys, points, hashes and signatures are raw bytes; public keys are x-only (BIP-340). Engines live in @heliograph/crypto.
 */
export interface Crypto {
  /** The engine's name, for logs and `doctor`. */
  readonly name: string;
  /** SHA-256 of `bytes`: 32 bytes. */
  sha256(bytes: Uint8Array): Uint8Array;
  /** HMAC-SHA256 over the concatenation of `parts`: 32 bytes. */
  hmacSha256(key: Uint8Array, ...parts: Uint8Array[]): Uint8Array;
  /** ChaCha20 (RFC 8439, block counter from 0) over `data`: a new array; the same call decrypts. */
  chacha20(key: Uint8Array, nonce12: Uint8Array, data: Uint8Array): Uint8Array;
  /** The x-only public key (32 bytes) of a secret key; throws RangeError when it is outside 1…n-1. */
  publicKey(secretKey: Uint8Array): Uint8Array;
  /** The unhashed X coordinate (32 bytes) of secret × point; throws RangeError on a bad point or secret key. */
  ecdhX(secretKey: Uint8Array, xOnlyPublicKey: Uint8Array): Uint8Array;
  /** A BIP-340 signature (64 bytes) over a 32-byte hash; throws RangeError on a bad secret key. */
  schnorrSign(hash32: Uint8Array, secretKey: Uint8Array, aux32: Uint8Array): Uint8Array;
  /** Whether a BIP-340 signature holds; false for anything malformed, never throws. */
  schnorrVerify(sig64: Uint8Array, hash32: Uint8Array, xOnlyPublicKey: Uint8Array): boolean;
  /** `length` bytes from the system's random source. */
  randomBytes(length: number): Uint8Array;
  /** Standard base64 with padding (RFC 4648). */
  base64Encode(bytes: Uint8Array): string;
  /** The bytes of canonical padded base64; throws RangeError on anything else, whitespace and loose trailing bits too. */
  base64Decode(text: string): Uint8Array;
}
