import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HoleRepair } from './hole-repair.ts';
import type { SeqSpan } from './stream-chain.ts';

const span = (first: number, last = first): SeqSpan => ({ first, last });
const every = (step: number, count: number) => Array.from({ length: count }, (_, index) => span((index + 1) * step));

describe('repairing holes', () => {
  it('VI21: asks for many small holes that are near each other as one, and for far ones alone, newest first', () => {
    expect(new HoleRepair().next(every(3, 300))).toEqual(span(3, 900));
    expect(new HoleRepair().next(every(3, 1_000))).toEqual(span(2_001, 3_000));
    expect(new HoleRepair().next(every(100, 5))).toEqual(span(500));
    expect(new HoleRepair().next([span(1, 50_000), span(60_000)])).toEqual(span(60_000));
    expect(new HoleRepair().next([])).toBeUndefined();
  });

  it('VI21: never asks twice at once for the same, and gives a hole up after three answers that brought nothing', () => {
    const repair = new HoleRepair();
    const holes = [span(1, 5), span(100, 110), span(10_000)];
    const asked = [1, 2, 3].map(() => {
      const next = repair.next(holes);
      if (next !== undefined) repair.ask(next, holes);
      return next as SeqSpan;
    });
    expect(asked).toEqual([...holes].reverse());
    expect(repair.next(holes)).toBeUndefined();
    for (const answered of asked) repair.settle(answered, holes);
    for (let tries = 2; tries <= 3; tries++) {
      const again = repair.next(holes) as SeqSpan;
      expect(again).toEqual(span(10_000));
      repair.ask(again, holes);
      repair.settle(again, holes);
    }
    expect(repair.next(holes)).toEqual(span(100, 110));
    repair.reset();
    expect(repair.next(holes)).toEqual(span(10_000));
  });

  it('VI21: what was not tried is asked again as often as it takes', () => {
    const repair = new HoleRepair();
    const holes = [span(1, 5)];
    for (let tries = 0; tries < 10; tries++) {
      const next = repair.next(holes) as SeqSpan;
      expect(next).toEqual(span(1, 5));
      repair.ask(next, holes);
      expect(repair.next(holes)).toBeUndefined();
      repair.putOff(next);
    }
  });

  it('VI21: with an answerer that loses a third of what it sends all holes are filled in the end, in few rounds', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 2_000 }), { minLength: 1, maxLength: 700 }), (seqs) => {
        const repair = new HoleRepair();
        const missing = new Set(seqs);
        let sent = 0;
        let rounds = 0;
        for (; missing.size > 0; rounds++) {
          const holes = [...missing].sort((a, b) => a - b).map((seq) => span(seq));
          const next = repair.next(holes) as SeqSpan;
          repair.ask(next, holes);
          for (let seq = next.first; seq <= next.last; seq++) if (++sent % 3 !== 0) missing.delete(seq);
          repair.settle(
            next,
            [...missing].map((seq) => span(seq)),
          );
        }
        expect(rounds).toBeLessThan(2 * seqs.length + 2);
        expect(sent).toBeLessThan(12 * seqs.length + 3);
      }),
      { numRuns: 40 },
    );
  });
});
