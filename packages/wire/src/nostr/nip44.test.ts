import { selectNodeCrypto } from '@heliograph/crypto/node';
import * as tools from 'nostr-tools/nip44';
import { describe, expect, test } from 'vitest';
import { concatBytes, hexEncode } from './bytes.ts';
import {
  conversationKey,
  decrypt,
  decryptWithOpening,
  encrypt,
  MAX_EMIT_BYTES,
  MAX_PAYLOAD_LENGTH,
  MAX_PLAINTEXT_BYTES,
  MIN_PAYLOAD_LENGTH,
  messageKeys,
  messageOpening,
  paddedLength,
} from './nip44.ts';

const { crypto } = selectNodeCrypto();
const key = new Uint8Array(32).fill(5);

/** A payload that is right in everything but the padded plaintext, which the caller decides. */
function sealPadded(padded: Uint8Array, nonce = new Uint8Array(32).fill(1)): string {
  const { chachaKey, chachaNonce, hmacKey } = messageKeys(key, nonce, crypto);
  const ciphertext = crypto.chacha20(chachaKey, chachaNonce, padded);
  return crypto.base64Encode(
    concatBytes(Uint8Array.of(2), nonce, ciphertext, crypto.hmacSha256(hmacKey, nonce, ciphertext)),
  );
}

function codeOf(payload: string): string {
  const result = decrypt(payload, key, crypto);
  return result.ok ? 'ok' : result.error.code;
}

describe('NIP-44 limits', () => {
  test('NO18: emits 1 to 65,408 bytes and nothing else', () => {
    for (const length of [1, 32, 33, MAX_EMIT_BYTES - 1, MAX_EMIT_BYTES]) {
      const payload = encrypt('x'.repeat(length), key, crypto);
      expect(payload.length).toBe(4 * Math.ceil((67 + paddedLength(length)) / 3));
      expect(decrypt(payload, key, crypto)).toEqual({ ok: true, value: 'x'.repeat(length) });
    }
    for (const text of [
      '',
      'x'.repeat(MAX_EMIT_BYTES + 1),
      'x'.repeat(65_535),
      'x'.repeat(65_536),
      'é'.repeat(MAX_EMIT_BYTES / 2 + 1),
    ]) {
      expect(() => encrypt(text, key, crypto)).toThrow(RangeError);
    }
    expect(MAX_EMIT_BYTES).toBe(65_408);
  });

  test('NO18: 40,960 bytes fit a 64 KiB event, and one more pads over it', () => {
    expect(encrypt('x'.repeat(40_960), key, crypto).length).toBeLessThan(65_536 - 1_024);
    expect(encrypt('x'.repeat(40_961), key, crypto).length).toBeGreaterThan(60_000);
  });

  test('NO18: reads up to 65,535 bytes, which others emit', () => {
    for (const length of [MAX_EMIT_BYTES + 1, MAX_PLAINTEXT_BYTES]) {
      const payload = tools.encrypt('x'.repeat(length), key);
      expect(decrypt(payload, key, crypto)).toEqual({ ok: true, value: 'x'.repeat(length) });
    }
    expect(tools.encrypt('x'.repeat(MAX_PLAINTEXT_BYTES), key).length).toBe(MAX_PAYLOAD_LENGTH);
  });

  test('NO18: the long form is answered by its own code', () => {
    const long = (length: number): Uint8Array => {
      const padded = new Uint8Array(6 + paddedLength(length));
      new DataView(padded.buffer).setUint32(2, length);
      return padded.fill(0x78, 6, 6 + length);
    };
    expect(codeOf(sealPadded(long(60)))).toBe('long-form');
    expect(codeOf(sealPadded(long(40_000)))).toBe('long-form');
    expect(codeOf(sealPadded(long(65_536)))).toBe('too-long');
    expect(codeOf(sealPadded(new Uint8Array(34)))).toBe('long-form');
  });

  test('NO18: the length gate is 132 to 87,472 characters, before anything is decoded', () => {
    expect(codeOf('A'.repeat(MIN_PAYLOAD_LENGTH - 1))).toBe('too-short');
    expect(codeOf('')).toBe('too-short');
    expect(codeOf('A'.repeat(MAX_PAYLOAD_LENGTH + 1))).toBe('too-long');
    expect(codeOf('A'.repeat(MIN_PAYLOAD_LENGTH))).toBe('unknown-version');
    expect(encrypt('x', key, crypto).length).toBe(MIN_PAYLOAD_LENGTH);
  });

  test('NO19: every way to be broken has its code', () => {
    const good = encrypt('hello', key, crypto);
    const flip = (at: number): string => good.slice(0, at) + (good[at] === 'A' ? 'B' : 'A') + good.slice(at + 1);
    expect(codeOf(`#${good.slice(1)}`)).toBe('unknown-version');
    expect(codeOf(`#`)).toBe('unknown-version');
    expect(codeOf(`AQ${good.slice(2)}`)).toBe('unknown-version');
    expect(codeOf(` ${good.slice(1)}`)).toBe('bad-base64');
    expect(codeOf(`${good.slice(0, -3)}===`)).toBe('bad-base64');
    expect(codeOf(`${good}\n`)).toBe('bad-base64');
    expect(codeOf(good.replaceAll(/./g, 'é'))).toBe('bad-base64');
    for (const at of [4, 50, 131]) expect(codeOf(flip(at))).toBe('bad-mac');
    expect(decrypt(good, new Uint8Array(32).fill(6), crypto)).toMatchObject({ ok: false, error: { code: 'bad-mac' } });
    const padded = (length: number, size: number): Uint8Array => {
      const bytes = new Uint8Array(2 + size).fill(0x78);
      return bytes.fill(length >> 8, 0, 1).fill(length & 0xff, 1, 2);
    };
    expect(codeOf(sealPadded(padded(32, 32)))).toBe('ok');
    for (const [length, size] of [
      [33, 32],
      [32, 64],
      [65_535, 32],
      [5, 31],
      [5, 33],
    ] as const) {
      expect(codeOf(sealPadded(padded(length, size)))).toBe('bad-padding');
    }
    expect(codeOf(sealPadded(padded(2, 32).fill(0xff, 2, 4)))).toBe('bad-utf8');
  });

  test('NO19: a programmer’s mistakes throw', () => {
    expect(() => encrypt('x', new Uint8Array(31), crypto)).toThrow(RangeError);
    expect(() => encrypt('x', key, crypto, new Uint8Array(31))).toThrow(RangeError);
    expect(() => encrypt('a\ud800', key, crypto)).toThrow(RangeError);
    expect(() => decrypt('x', new Uint8Array(0), crypto)).toThrow(RangeError);
    expect(() => paddedLength(0)).toThrow(RangeError);
    expect(() => paddedLength(1.5)).toThrow(RangeError);
    expect(() => conversationKey(key, 'AB'.repeat(32), crypto)).toThrow(RangeError);
    expect(() => conversationKey(key, 'ff'.repeat(32), crypto)).toThrow(RangeError);
    expect(() => conversationKey(new Uint8Array(32), hexEncode(crypto.publicKey(key)), crypto)).toThrow(RangeError);
  });
});

describe('openings', () => {
  test('AR17: an opening opens its own payload without either key, and no other', () => {
    const [payload, other] = [encrypt('what was said', key, crypto), encrypt('what was said', key, crypto)];
    const opening = messageOpening(payload, key, crypto) ?? new Uint8Array();
    expect(decryptWithOpening(payload, opening, crypto)).toEqual({ ok: true, value: 'what was said' });
    expect(decryptWithOpening(other, opening, crypto)).toMatchObject({ ok: false, error: { code: 'bad-mac' } });
    for (const at of [44, 75]) {
      const bent = opening.slice();
      bent[at] = (bent[at] ?? 0) ^ 1;
      expect(decryptWithOpening(payload, bent, crypto)).toMatchObject({ ok: false, error: { code: 'bad-mac' } });
    }
    for (const wrong of ['', 'AAAA', '#', payload.slice(0, 88), payload.replace(/^./, 'B')]) {
      expect(decryptWithOpening(wrong, opening, crypto).ok).toBe(false);
    }
    expect(decryptWithOpening(payload, opening.slice(1), crypto).ok).toBe(false);
    expect(messageOpening('AAAA', key, crypto)).toBeUndefined();
  });
});
