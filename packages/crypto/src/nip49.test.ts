import { encodeNsec, hexDecode } from '@heliograph/wire/nostr';
import { bech32 } from '@scure/base';
import fc from 'fast-check';
import * as tools from 'nostr-tools/nip49';
import { describe, expect, test } from 'vitest';
import { decryptSecretKey, encryptSecretKey } from './nip49.ts';
import { selectNodeCrypto } from './node.ts';

const { crypto } = selectNodeCrypto();
const secretKey = new Uint8Array(32).fill(7);
const LOG_N = 4;
const text = encryptSecretKey(secretKey, 'pass', crypto, LOG_N);

function codeOf(given: string, passphrase = 'pass'): string {
  const result = decryptSecretKey(given, passphrase);
  return result.ok ? 'ok' : result.error.code;
}

function rewrite(change: (payload: Uint8Array) => Uint8Array): string {
  const payload = bech32.fromWords(bech32.decode(text as `${string}1${string}`, 200).words);
  return bech32.encode('ncryptsec', bech32.toWords(change(payload)), 400);
}

describe('secret keys under a passphrase (NIP-49)', () => {
  test('CR10: NIP-49’s own vector opens', () => {
    const vector =
      'ncryptsec1qgg9947rlpvqu76pj5ecreduf9jxhselq2nae2kghhvd5g7dgjtcxfqtd67p9m0w57lspw8gsq6yphnm8623nsl8xn9j4jdzz84zm3frztj3z7s35vpzmqf6ksu8r89qk5z2zxfmu5gv8th8wclt0h4p';
    const expected = hexDecode('3501454135014541350145413501453fefb02227e449e57cf4d3a3ce05378683');
    expect(decryptSecretKey(vector, 'nostr')).toEqual({ ok: true, value: expected });
  });

  test('CR10: opens what nostr-tools made and the other way round, any passphrase', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (passphrase) => {
        expect(decryptSecretKey(tools.encrypt(secretKey, passphrase, LOG_N), passphrase)).toEqual({
          ok: true,
          value: secretKey,
        });
        expect(tools.decrypt(encryptSecretKey(secretKey, passphrase, crypto, LOG_N), passphrase)).toEqual(secretKey);
      }),
      { numRuns: 20 },
    );
  });

  test('CR10: one passphrase in two Unicode forms is one passphrase (NFKC)', () => {
    expect(codeOf(encryptSecretKey(secretKey, 'ÅΩẛ̣', crypto, LOG_N), 'ÅΩẛ̣'.normalize('NFD'))).toBe('ok');
  });

  test('CR11: wrong texts have their codes and are not repeated', () => {
    expect(codeOf(text)).toBe('ok');
    expect(codeOf(` ${text}\n`)).toBe('ok');
    expect(codeOf(text, 'Pass')).toBe('wrong-passphrase');
    expect(codeOf(encodeNsec(secretKey))).toBe('wrong-prefix');
    expect(codeOf('')).toBe('wrong-prefix');
    expect(codeOf(text.slice(0, -1))).toBe('bad-checksum');
    expect(codeOf(`${text.slice(0, -1)}${text.endsWith('q') ? 'p' : 'q'}`)).toBe('bad-checksum');
    expect(codeOf(`ncryptsec1${'q'.repeat(10_000)}`)).toBe('bad-checksum');
    expect(codeOf(rewrite((payload) => payload.fill(1, 0, 1)))).toBe('unknown-version');
    expect(codeOf(rewrite((payload) => payload.subarray(0, 90)))).toBe('bad-length');
    // 30: 2^30 rounds would take a terabyte; 0 is no cost at all.
    expect(codeOf(rewrite((payload) => payload.fill(30, 1, 2)))).toBe('too-costly');
    expect(codeOf(rewrite((payload) => payload.fill(0, 1, 2)))).toBe('too-costly');
    expect(codeOf(rewrite((payload) => payload.fill(0, 42, 43)))).toBe('wrong-passphrase');
    const failed = decryptSecretKey(text, 'my secret passphrase');
    expect(!failed.ok && failed.error.message).not.toContain('secret passphrase');
  });

  test('CR11: a number that is no secret key does not come out', () => {
    expect(codeOf(tools.encrypt(new Uint8Array(32), 'pass', LOG_N))).toBe('out-of-range');
  });

  test('CR11: encrypting refuses bad arguments', () => {
    expect(() => encryptSecretKey(new Uint8Array(32), 'x', crypto, LOG_N)).toThrow(RangeError);
    for (const logN of [0, 21, 1.5, Number.NaN])
      expect(() => encryptSecretKey(secretKey, 'x', crypto, logN)).toThrow(RangeError);
  });
});
