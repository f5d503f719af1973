import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  concatBytes,
  equalBytes,
  hexDecode,
  hexEncode,
  isHex64,
  isWellFormed,
  utf8Decode,
  utf8Encode,
  utf8Length,
} from './bytes.ts';

/** Strings with lone surrogates among the rest, as JSON.parse can make them. */
const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));

describe('bytes', () => {
  test('NO1: hex is the inverse of itself and lower-case', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = hexEncode(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('hex'));
        expect(hexDecode(text)).toEqual(bytes);
        expect(hexDecode(text.toUpperCase())).toEqual(bytes);
      }),
    );
  });

  test.each(['0', '0g', 'g0', '0x', 'é0', '0 ', '00 0', '/0', ':0', '@0', 'G0', '`0'])('NO1: %j is not hex', (text) => {
    expect(() => hexDecode(text)).toThrow(RangeError);
  });

  test('NO1: isHex64 wants exactly 64 lower-case hex characters', () => {
    expect(isHex64('0f'.repeat(32))).toBe(true);
    for (const wrong of [
      '0F'.repeat(32),
      '0f'.repeat(31),
      `${'0f'.repeat(32)}\n`,
      '0g'.repeat(32),
      5,
      null,
      undefined,
      ['0f'.repeat(32)],
    ]) {
      expect(isHex64(wrong)).toBe(false);
    }
  });

  test('NO1: utf8Length is the length of the encoding, lone surrogates included', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), (text) => {
        expect(utf8Length(text)).toBe(utf8Encode(text).length);
      }),
    );
  });

  test('NO1: well-formed is what UTF-8 carries unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), (text) => {
        expect(isWellFormed(text)).toBe(utf8Decode(utf8Encode(text)) === text);
      }),
    );
    expect(isWellFormed('\ud800')).toBe(false);
    expect(isWellFormed('\udc00\ud800')).toBe(false);
    expect(isWellFormed('😀\ufffd\ufeff')).toBe(true);
  });

  test('NO1: well-formed means the same where the built-in is missing', () => {
    const builtIn = Object.getOwnPropertyDescriptor(String.prototype, 'isWellFormed') as PropertyDescriptor;
    Reflect.deleteProperty(String.prototype, 'isWellFormed');
    try {
      expect(['\ud800', 'a\udc00', '\udc00\ud800'].map(isWellFormed)).toEqual([false, false, false]);
      expect(['', 'é', '😀\ufffd'].map(isWellFormed)).toEqual([true, true, true]);
    } finally {
      Object.defineProperty(String.prototype, 'isWellFormed', builtIn);
    }
  });

  test('NO1: decoding keeps a BOM and refuses what is not UTF-8', () => {
    expect(utf8Decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
    expect(utf8Decode(Uint8Array.of(0xff))).toBeUndefined();
    expect(utf8Decode(Uint8Array.of(0xed, 0xa0, 0x80))).toBeUndefined();
    expect(utf8Decode(Uint8Array.of(0xc3))).toBeUndefined();
  });

  test('NO1: concatenation and comparison are those of the bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), fc.uint8Array(), (parts, other) => {
        const joined = concatBytes(...parts);
        expect([...joined]).toEqual(parts.flatMap((part) => [...part]));
        expect(equalBytes(joined, joined.slice())).toBe(true);
        expect(equalBytes(joined, other)).toBe(Buffer.compare(joined, other) === 0);
      }),
    );
  });
});
