import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, decodeUtf8 } from './bytes.ts';

describe('terminal bytes', () => {
  it('TR41: base64 decodes as the platform does, and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect([...decodeBase64(Buffer.from(bytes).toString('base64'))]).toEqual([...bytes]);
        expect([...decodeBase64(Buffer.from(bytes).toString('base64url'))]).toEqual([...bytes]);
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void decodeBase64(text)));
  });

  it('TR41: text cut at any bytes reads as it would in one piece', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat()), (text, cuts) => {
        const bytes = new TextEncoder().encode(text);
        const places = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        let [read, from] = ['', 0];
        let tail: readonly number[] = [];
        for (const place of places) {
          const decoded = decodeUtf8(bytes.subarray(from, place), tail);
          read += decoded.text;
          tail = decoded.tail;
          from = place;
        }
        expect(read).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
        expect(tail).toEqual([]);
      }),
    );
  });
});
