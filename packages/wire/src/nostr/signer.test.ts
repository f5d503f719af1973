import { selectNodeCrypto } from '@heliograph/crypto/node';
import { describe, expect, test } from 'vitest';
import { hexEncode } from './bytes.ts';
import type { Crypto } from './crypto.ts';
import { localSigner, MAX_CONVERSATION_KEYS } from './signer.ts';

const { crypto } = selectNodeCrypto();
const alice = localSigner(new Uint8Array(32).fill(1), crypto);
const bob = localSigner(new Uint8Array(32).fill(2), crypto);
const template = { kind: 1, created_at: 5, tags: [], content: 'x' };

function keyNumber(n: number): Uint8Array {
  const key = new Uint8Array(32);
  new DataView(key.buffer).setUint32(28, n);
  return key;
}

describe('localSigner', () => {
  test('NO28: signs and encrypts at once, for its own key', () => {
    expect(alice.publicKey).toBe(hexEncode(crypto.publicKey(new Uint8Array(32).fill(1))));
    expect(alice.sign(template).pubkey).toBe(alice.publicKey);
    const payload = alice.encrypt(bob.publicKey, 'hello');
    expect(bob.decrypt(alice.publicKey, payload)).toEqual({ ok: true, value: 'hello' });
    expect(alice.decrypt(bob.publicKey, payload)).toEqual({ ok: true, value: 'hello' });
    expect(bob.decrypt(bob.publicKey, payload)).toMatchObject({ ok: false, error: { code: 'bad-mac' } });
  });

  test('NO28: a peer that is no key is an error when opening and throws when sealing', () => {
    for (const peer of ['', 'x', 'ff'.repeat(32), alice.publicKey.toUpperCase()]) {
      expect(alice.decrypt(peer, 'A'.repeat(132))).toMatchObject({ ok: false, error: { code: 'bad-peer' } });
      expect(() => alice.encrypt(peer, 'x')).toThrow(RangeError);
    }
  });

  test('NO28: keeps its key when the caller wipes or reuses the array', () => {
    for (const secret of [new Uint8Array(32).fill(3), Buffer.alloc(32, 3)]) {
      const signer = localSigner(secret, crypto);
      const payload = bob.encrypt(signer.publicKey, 'still mine');
      secret.fill(0);
      expect(signer.decrypt(bob.publicKey, payload)).toEqual({ ok: true, value: 'still mine' });
      expect(signer.sign(template).pubkey).toBe(signer.publicKey);
    }
    expect(() => localSigner(new Uint8Array(32), crypto)).toThrow(RangeError);
  });

  test('NO29: derives a peer’s key once, and forgets the least recently used beyond the bound', () => {
    let derivations = 0;
    const counting: Crypto = {
      ...crypto,
      ecdhX(...args) {
        derivations += 1;
        return crypto.ecdhX(...args);
      },
    };
    const signer = localSigner(new Uint8Array(32).fill(4), counting);
    const peers = Array.from({ length: MAX_CONVERSATION_KEYS + 1 }, (_, i) =>
      hexEncode(crypto.publicKey(keyNumber(i + 1))),
    );
    const [first, second] = peers as [string, string];
    for (const peer of peers.slice(0, MAX_CONVERSATION_KEYS)) signer.encrypt(peer, 'x');
    for (let i = 0; i < 3; i++) signer.encrypt(first, 'x');
    expect(derivations).toBe(MAX_CONVERSATION_KEYS);
    signer.encrypt(peers[MAX_CONVERSATION_KEYS] as string, 'x');
    signer.encrypt(first, 'x');
    expect(derivations).toBe(MAX_CONVERSATION_KEYS + 1);
    signer.encrypt(second, 'x');
    expect(derivations).toBe(MAX_CONVERSATION_KEYS + 2);
  });
});
