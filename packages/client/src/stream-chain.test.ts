import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChainLink, StreamChain } from './stream-chain.ts';

const ZERO = '0'.repeat(64);

/** Links of the given lengths, chained as a harness chains envelopes. */
function links(lengths: readonly number[]): ChainLink[] {
  let firstSeq = 1;
  let prev = ZERO;
  return lengths.map((length, index) => {
    const link = { firstSeq, lastSeq: firstSeq + length - 1, hash: index.toString(16).padStart(64, '1'), prev };
    firstSeq += length;
    prev = link.hash;
    return link;
  });
}

describe('StreamChain', () => {
  it('AR110: of a long stream only the newest 8,192 hashes are remembered; older envelopes that come again are for whoever holds them', () => {
    const all = links(Array.from({ length: 8_300 }, () => 2));
    const chain = new StreamChain();
    for (const link of all) expect(chain.add(link)).toBe('new');
    const [old, newest] = [all[3] as ChainLink, all.at(-1) as ChainLink];
    const other = { hash: 'f'.repeat(64) };
    expect(chain.add(newest)).toBe('duplicate');
    expect(chain.add({ ...newest, ...other })).toBe('conflict');
    expect(chain.add(old)).toBe('forgotten');
    expect(chain.add({ ...old, ...other })).toBe('forgotten');
    expect([chain.holes(), chain.contiguous]).toEqual([[], 16_600]);
    chain.forget([{ first: 16_601, last: 16_610 }]);
    expect(chain.add({ ...old, firstSeq: 16_603, lastSeq: 16_604 })).toBe('new');
  });

  it('CH1: names exactly what is missing, in any order of arrival', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lengths, fc.infiniteStream(fc.nat()), fc.nat(), (sizes, picks, missing) => {
        const all = links(sizes);
        const left = [...all];
        const absent = left.splice(missing % left.length, 1)[0] as ChainLink;
        const chain = new StreamChain();
        chain.noteHead(all.at(-1)?.lastSeq ?? 0);
        while (left.length > 0) {
          const [link] = left.splice((picks.next().value as number) % left.length, 1);
          expect(chain.add(link as ChainLink)).toBe('new');
        }
        expect(chain.holes()).toEqual([{ first: absent.firstSeq, last: absent.lastSeq }]);
        expect(chain.add(absent)).toBe('new');
        expect(chain.holes()).toEqual([]);
        expect(chain.contiguous).toBe(all.at(-1)?.lastSeq);
      }),
    );
  });

  it('CH2: tells the same plaintext again from other content for a seq it holds', () => {
    const [a, b] = links([2, 3]) as [ChainLink, ChainLink];
    const chain = new StreamChain();
    chain.add(a);
    chain.add(b);
    expect(chain.add(b)).toBe('duplicate');
    expect(chain.add({ ...b, hash: 'f'.repeat(64) })).toBe('conflict');
    expect(chain.add({ firstSeq: 2, lastSeq: 2, hash: 'e'.repeat(64), prev: undefined })).toBe('conflict');
  });

  it('CH3: notices an envelope that does not follow its neighbour, whichever came first', () => {
    const [a, b, c] = links([1, 1, 1]) as [ChainLink, ChainLink, ChainLink];
    const forged = { ...b, prev: 'd'.repeat(64) };
    const onward = new StreamChain();
    onward.add(a);
    expect(onward.add(forged)).toBe('broken');
    const backward = new StreamChain();
    backward.add(forged);
    expect(backward.add(a)).toBe('broken');
    const first = new StreamChain();
    expect(first.add({ ...a, prev: c.hash })).toBe('broken');
  });

  it('CH4: no longer misses what the harness said is gone, nor compares with it', () => {
    const [a, , c] = links([2, 4, 2]) as [ChainLink, ChainLink, ChainLink];
    const chain = new StreamChain();
    chain.add(a);
    chain.add(c);
    chain.forget([{ first: 3, last: 4 }]);
    expect(chain.holes()).toEqual([{ first: 5, last: 6 }]);
    chain.forget([{ first: 1, last: 6 }]);
    expect(chain.holes()).toEqual([]);
  });
});
