import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SeqSpan } from './sealed-envelope.ts';
import { MemorySpool } from './spool.ts';

const deaf = { onLost() {}, onGone() {} };

const sealed = (stream: string, firstSeq: number, lastSeq = firstSeq, bytes = 100, gaps: SeqSpan[] = []) => ({
  stream,
  firstSeq,
  lastSeq,
  hash: `${stream}${firstSeq}`,
  sinceMs: 0,
  content: 'c'.repeat(bytes),
  gaps,
});

describe('the spool', () => {
  test('HA16: never over its bound; what is neither kept nor taken by a relay is reported lost, once', () => {
    const step = fc.record({ bytes: fc.integer({ min: 1, max: 400 }), take: fc.option(fc.nat(50)), pin: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lost: SeqSpan[] = [];
        const spool = new MemorySpool(1_000, { ...deaf, onLost: (span) => void lost.push(span) });
        const entries: ReturnType<MemorySpool['append']>[] = [];
        const taken = new Set<number>();
        let unpin = () => {};
        for (const [index, { bytes, take, pin }] of steps.entries()) {
          entries.push(spool.append(sealed('a', index + 1, index + 1, bytes)));
          if (take !== null && take < entries.length) {
            const entry = entries[take] as SeqSpan & { hash: string };
            if (spool.read(entry) !== undefined) taken.add(entry.firstSeq);
            spool.accept(entry);
          }
          if (pin) {
            unpin();
            unpin = spool.pin({ stream: 'a', firstSeq: index + 1, lastSeq: index + 1 });
          }
          expect(spool.bytes).toBeLessThanOrEqual(1_000);
        }
        const kept = new Set(spool.range('a', 1, steps.length).map(({ firstSeq }) => firstSeq));
        for (const { firstSeq } of entries) {
          const times = lost.filter((span) => span.firstSeq === firstSeq).length;
          expect(times).toBe(kept.has(firstSeq) || taken.has(firstSeq) ? 0 : 1);
        }
      }),
    );
  });

  test('HA101: an entry carries no ciphertext, and of each that is dropped the queues hear', () => {
    const gone: SeqSpan[] = [];
    const spool = new MemorySpool(250, { ...deaf, onGone: (entry) => void gone.push(entry) });
    const entries = [1, 2, 3, 4].map((seq) => {
      const entry = spool.append(sealed('a', seq));
      if (seq < 3) spool.accept(entry);
      return entry;
    });
    expect(JSON.stringify(entries)).not.toContain('cc');
    expect(gone).toEqual([entries[0], entries[1]]);
    expect(spool.read(entries[1] as (typeof entries)[number])).toBeUndefined();
    expect(spool.read(entries[3] as (typeof entries)[number])).toHaveLength(100);
  });

  test('HA16: drops what a relay took first, then the oldest, gaps last, pinned never', () => {
    const lost: number[] = [];
    const spool = new MemorySpool(400, { ...deaf, onLost: ({ firstSeq }) => void lost.push(firstSeq) });
    const first = spool.append(sealed('a', 1));
    spool.append(sealed('a', 2, 2, 100, [{ stream: 'a', firstSeq: 90, lastSeq: 95 }]));
    spool.append(sealed('a', 3));
    const taken = spool.append(sealed('a', 4));
    spool.pin({ stream: 'a', firstSeq: 1, lastSeq: 1 });
    spool.accept(taken);
    spool.append(sealed('a', 5));
    expect(spool.read(taken)).toBeUndefined();
    expect(lost).toEqual([]);
    spool.append(sealed('a', 6));
    expect(lost).toEqual([3]);
    spool.append(sealed('a', 7, 7, 300));
    // The gap goes when nothing else is left, and what it told is lost anew.
    expect(lost).toEqual([3, 5, 6, 2, 90]);
    expect(spool.read(first)).toBeDefined();
  });

  test('HA31: a range gives the envelopes that reach into it, in order', () => {
    const spool = new MemorySpool(10_000, deaf);
    for (const [firstSeq, lastSeq] of [
      [1, 3],
      [4, 4],
      [5, 9],
    ] as const)
      spool.append(sealed('a', firstSeq, lastSeq));
    spool.append(sealed('b', 1, 9));
    expect(spool.range('a', 3, 5).map(({ firstSeq }) => firstSeq)).toEqual([1, 4, 5]);
    expect(spool.range('a', 10, 20)).toEqual([]);
    expect(spool.range('c', 1, 2)).toEqual([]);
  });
});
