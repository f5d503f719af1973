import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeqRanges } from './seq-ranges.ts';

describe('SeqRanges', () => {
  it('TR72: agrees with a plain sorted list whatever is added and removed', () => {
    const change = fc.record({ seq: fc.integer({ min: 1, max: 40 }), adds: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
        const ranges = new SeqRanges();
        let plain: number[] = [];
        for (const { seq, adds } of changes) {
          if (adds === plain.includes(seq)) continue;
          if (adds) ranges.add(seq);
          else ranges.remove(seq);
          plain = adds ? [...plain, seq].sort((a, b) => a - b) : plain.filter((held) => held !== seq);
        }
        expect(ranges.last).toBe(plain.at(-1) ?? 0);
        for (let seq = 0; seq <= 42; seq++) {
          expect(ranges.has(seq)).toBe(plain.includes(seq));
          expect(ranges.next(seq)).toBe(plain.find((held) => held > seq));
          expect(ranges.indexOf(seq)).toBe(plain.filter((held) => held < seq).length);
          expect(ranges.at(seq)).toBe(plain[seq]);
        }
        const missing = ranges
          .gaps(42)
          .flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, n) => first + n));
        expect(missing).toEqual(Array.from({ length: 42 }, (_, n) => n + 1).filter((seq) => !plain.includes(seq)));
      }),
      { numRuns: 200 },
    );
  });
});
