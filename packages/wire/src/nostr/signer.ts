import { type Awaitable, err, type Result } from '../result.ts';
import type { Crypto } from './crypto.ts';
import { type EventTemplate, eventSigner, type VerifiedEvent } from './event.ts';
import { conversationKey, decrypt, encrypt } from './nip44.ts';

/** Signs and encrypts for one key without showing it: a local key, a NIP-07 extension or a NIP-46 bunker. */
export interface Signer {
  /** The public key, 64 hex characters. */
  readonly publicKey: string;
  sign(template: EventTemplate): Awaitable<VerifiedEvent>;
  /** NIP-44 to `peer` (hex public key); throws or rejects with RangeError when text or peer is not acceptable. */
  encrypt(peer: string, text: string): Awaitable<string>;
  /** NIP-44 from `peer` (hex public key); codes are those of `decrypt`, and 'bad-peer'. */
  decrypt(peer: string, text: string): Awaitable<Result<string, { readonly code: string; readonly message: string }>>;
}

/** A Signer that answers at once, without promises. */
export interface LocalSigner extends Signer {
  sign(template: EventTemplate): VerifiedEvent;
  encrypt(peer: string, text: string): string;
  decrypt(peer: string, text: string): Result<string, { readonly code: string; readonly message: string }>;
}

/** Requests to and answers of remote signers (NIP-46): ephemeral, encrypted between the two keys. */
export const KIND_NOSTR_CONNECT = 24_133;

/** How many conversation keys a local signer keeps; the least recently used goes first. */
export const MAX_CONVERSATION_KEYS = 1_000;

/** A signer over a secret key in memory (32 bytes, copied); throws RangeError on a bad key. */
export function localSigner(secretKey: Uint8Array, crypto: Crypto): LocalSigner {
  // Not slice(): on a Buffer that would be a view of the caller's memory.
  const secret = new Uint8Array(secretKey);
  const events = eventSigner(secret, crypto);
  const keys = new Map<string, Uint8Array>();

  const keyFor = (peer: string): Uint8Array => {
    const key = keys.get(peer) ?? conversationKey(secret, peer, crypto);
    // A Map iterates in insertion order: taking a key out and putting it back makes it the newest.
    keys.delete(peer);
    keys.set(peer, key);
    if (keys.size > MAX_CONVERSATION_KEYS) keys.delete(keys.keys().next().value as string);
    return key;
  };

  return {
    publicKey: events.publicKey,
    sign: (template) => events.sign(template),
    encrypt: (peer, text) => encrypt(text, keyFor(peer), crypto),
    decrypt(peer, text) {
      let key: Uint8Array;
      try {
        key = keyFor(peer);
      } catch {
        return err({ code: 'bad-peer', message: 'peer is not a public key' });
      }
      return decrypt(text, key, crypto);
    },
  };
}
