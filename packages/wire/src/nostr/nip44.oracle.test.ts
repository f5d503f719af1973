import { selectNodeCrypto } from '@heliograph/crypto/node';
import fc from 'fast-check';
import * as tools from 'nostr-tools/nip44';
import { describe, expect, test } from 'vitest';
import { hexEncode } from './bytes.ts';
import { conversationKey, decrypt, encrypt, MAX_PLAINTEXT_BYTES, paddedLength } from './nip44.ts';

const { crypto } = selectNodeCrypto();
const key = new Uint8Array(32).fill(5);

describe('NIP-44 against nostr-tools and any input', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 2_000 });

  test('NO20: what is encrypted opens to the same text, by us and by nostr-tools, both ways', () => {
    fc.assert(
      fc.property(
        text,
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        (plaintext, k, nonce) => {
          const ours = encrypt(plaintext, k, crypto, nonce);
          expect(ours).toBe(tools.encrypt(plaintext, k, nonce));
          expect(tools.decrypt(ours, k)).toBe(plaintext);
          expect(decrypt(ours, k, crypto)).toEqual({ ok: true, value: plaintext });
        },
      ),
    );
  });

  test('NO20: conversation keys are nostr-tools’ and the same from both sides', () => {
    const secrets = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .filter((k) => k.some((byte) => byte > 0) && (k[0] as number) < 255);
    fc.assert(
      fc.property(secrets, secrets, (a, b) => {
        const [publicA, publicB] = [a, b].map((secret) => hexEncode(crypto.publicKey(secret))) as [string, string];
        const shared = conversationKey(a, publicB, crypto);
        expect(conversationKey(b, publicA, crypto)).toEqual(shared);
        expect(tools.getConversationKey(a, publicB)).toEqual(shared);
      }),
      { numRuns: 30 },
    );
  });

  test('NO20: padding is nostr-tools’ for every length up to 65,535', () => {
    for (let length = 1; length <= MAX_PLAINTEXT_BYTES; length++) {
      if (paddedLength(length) !== tools.v2.utils.calcPaddedLen(length)) expect.fail(`differs at ${length}`);
    }
  });

  test('NO19: decrypt never throws, whatever the text, and a changed payload never opens', () => {
    const good = encrypt('a secret', key, crypto);
    const base64 = fc.uint8Array({ minLength: 99, maxLength: 400 }).map((bytes) => crypto.base64Encode(bytes));
    const versioned = base64.map((payload) => `Ag${payload.slice(2)}`);
    const units = fc.array(fc.nat(0xffff), { maxLength: 300 }).map((codes) => String.fromCharCode(...codes));
    const changed = fc
      .tuple(fc.nat(good.length - 1), fc.constantFrom(...'ABCDwxyz0189+/= \n#é'))
      .map(([at, character]) => good.slice(0, at) + character + good.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(fc.string(), units, base64, versioned, changed), (payload) => {
        const result = decrypt(payload, key, crypto);
        expect(result.ok).toBe(payload === good);
      }),
      { numRuns: 1_000 },
    );
  });
});
