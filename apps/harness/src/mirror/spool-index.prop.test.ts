import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Kept, SpoolIndex } from './spool-index.ts';

const record = (stream: string, firstSeq: number, length: number) => ({
  stream,
  firstSeq,
  lastSeq: firstSeq + length - 1,
  hash: `${stream}${firstSeq}`,
  gaps: [],
  atMs: 0,
  accepted: firstSeq % 3 === 0,
});

/** Envelopes of two streams: which seqs each takes, and in which order they come and go. */
const plan = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 60 }),
  order: fc.array(fc.nat(), { maxLength: 60 }),
  gone: fc.array(fc.nat(), { maxLength: 80 }),
  from: fc.nat(150),
  to: fc.nat(150),
});

test('HA218: an index knows what it holds and nothing else, whatever came in which order and went', () => {
  fc.assert(
    fc.property(plan, ({ lengths, order, gone, from, to }) => {
      const index = new SpoolIndex();
      let seq = 1;
      const records = lengths.map((length, at) => {
        const next = record(at % 5 === 0 ? 'b' : 'a', seq, length);
        seq += length;
        return next;
      });
      const inOrder = records.map((one, at) => [order[at] ?? at, one] as const).sort(([a], [b]) => a - b);
      const segment = { path: '', kept: new Set<Kept>(), bytes: 0 };
      for (const [at, [, one]] of inOrder.entries())
        if (at % 2 === 0) index.add(new Kept(one, 1, 'x'));
        else index.restore(segment, one, { offset: at, bytes: 1 });
      const held = new Map(records.map((one) => [one.firstSeq, one]));
      for (const which of gone) {
        const { firstSeq, stream } = records[which % records.length] as (typeof records)[number];
        const kept = index.find({ stream, firstSeq });
        expect(kept !== undefined).toBe(held.delete(firstSeq));
        if (kept !== undefined) index.delete(kept);
      }
      for (const stream of ['a', 'b']) {
        const left = [...held.values()].filter((one) => one.stream === stream).sort((a, b) => a.firstSeq - b.firstSeq);
        const hashes = (some: readonly { readonly hash: string }[]) => some.map(({ hash }) => hash);
        const reached = left.filter(({ firstSeq, lastSeq }) => firstSeq <= to && lastSeq >= from);
        expect(hashes(index.range(stream, from, to))).toEqual(hashes(reached));
        expect(hashes(index.range(stream, 0, seq))).toEqual(hashes(left));
        expect(index.last(stream)?.hash).toBe(left.at(-1)?.hash);
        expect([...segment.kept].filter((kept) => kept.stream === stream && !held.has(kept.firstSeq))).toEqual([]);
        const unsent = index.unsent().filter((kept) => kept.stream === stream);
        expect(hashes(unsent)).toEqual(hashes(left.filter(({ accepted }) => !accepted)));
      }
    }),
  );
});
