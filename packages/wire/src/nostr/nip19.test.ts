import fc from 'fast-check';
import * as nip19 from 'nostr-tools/nip19';
import { describe, expect, test } from 'vitest';
import { hexDecode, hexEncode } from './bytes.ts';
import { encodeNpub, encodeNsec, isSecretKey, parsePublicKey, parseSecretKey } from './nip19.ts';

// NIP-19's own examples.
const npub = 'npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg';
const publicKey = '7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e';
const nsec = 'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5';
const secretKey = '67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa';
const curveOrder = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

describe('keys as users write them', () => {
  test('NO15: NIP-19’s examples in both directions, and hex in either case', () => {
    expect(encodeNpub(publicKey)).toBe(npub);
    expect(encodeNsec(hexDecode(secretKey))).toBe(nsec);
    for (const text of [npub, npub.toUpperCase(), ` ${npub}\n`, publicKey, publicKey.toUpperCase()]) {
      expect(parsePublicKey(text)).toEqual({ ok: true, value: publicKey });
    }
    for (const text of [nsec, `${nsec}\r\n`, secretKey]) {
      expect(parseSecretKey(text)).toEqual({ ok: true, value: hexDecode(secretKey) });
    }
  });

  test('NO15: the same as nostr-tools', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        expect(encodeNpub(hexEncode(bytes))).toBe(nip19.npubEncode(hexEncode(bytes)));
        expect(parsePublicKey(nip19.npubEncode(hexEncode(bytes)))).toEqual({ ok: true, value: hexEncode(bytes) });
        if (isSecretKey(bytes)) expect(encodeNsec(bytes)).toBe(nip19.nsecEncode(bytes));
      }),
    );
  });

  test.each([
    ['', 'not-a-key'],
    ['hello', 'not-a-key'],
    [publicKey.slice(1), 'not-a-key'],
    [nsec, 'wrong-prefix'],
    [nip19.noteEncode(publicKey), 'wrong-prefix'],
    [nip19.nprofileEncode({ pubkey: publicKey, relays: [] }), 'wrong-prefix'],
    [npub.slice(0, -1), 'bad-length'],
    [`${npub}q`, 'bad-length'],
    [npub.replace('q', 'p'), 'bad-checksum'],
    [`N${npub.slice(1)}`, 'bad-checksum'],
  ])('NO15: as a public key %j is %s', (text, code) => {
    expect(parsePublicKey(text)).toMatchObject({ ok: false, error: { code } });
  });

  test.each([
    [npub, 'wrong-prefix'],
    [
      'ncryptsec1qgg9947rlpvqu76pj5ecreduf9jxhselq2nae2kghhvd5g7dgjtcxfqtd67p9m0w57lspw8gsq6yphnm8623nsl8xn9j4jdzz84zm3frztj3z7s35vpzmqf6ksu8r89qk5z2zxfmu5gv8th8wclt0h4p',
      'wrong-prefix',
    ],
    [nsec.slice(0, 40), 'bad-length'],
    [nsec.replace('v', 'w'), 'bad-checksum'],
    ['0'.repeat(64), 'out-of-range'],
    [curveOrder, 'out-of-range'],
    ['f'.repeat(64), 'out-of-range'],
  ])('NO15: as a secret key %j is %s', (text, code) => {
    expect(parseSecretKey(text)).toMatchObject({ ok: false, error: { code } });
  });

  test('NO15: messages never repeat what was pasted', () => {
    for (const parse of [parsePublicKey, parseSecretKey]) {
      for (const text of [nsec.slice(0, -1), nsec.replace('v', 'w'), secretKey.slice(2), `nsec1${secretKey}`, nsec]) {
        const result = parse(text);
        if (result.ok) continue;
        for (let at = 5; at + 8 <= text.length; at++)
          expect(result.error.message).not.toContain(text.slice(at, at + 8));
      }
    }
  });

  test('NO15: a secret key is 1…n-1', () => {
    const n = BigInt(`0x${curveOrder}`);
    const bytesOf = (x: bigint) => hexDecode(x.toString(16).padStart(64, '0'));
    expect([1n, n - 1n, n >> 1n].map((x) => isSecretKey(bytesOf(x)))).toEqual([true, true, true]);
    expect([0n, n, n + 1n, 2n ** 256n - 1n].map((x) => isSecretKey(bytesOf(x)))).toEqual([false, false, false, false]);
    expect([31, 33, 0].map((length) => isSecretKey(new Uint8Array(length).fill(1)))).toEqual([false, false, false]);
  });

  test('NO15: encoding refuses what is no key', () => {
    for (const wrong of ['', npub, publicKey.toUpperCase(), publicKey.slice(1)])
      expect(() => encodeNpub(wrong)).toThrow(RangeError);
    for (const wrong of [new Uint8Array(32), new Uint8Array(31).fill(1)])
      expect(() => encodeNsec(wrong)).toThrow(RangeError);
  });
});
