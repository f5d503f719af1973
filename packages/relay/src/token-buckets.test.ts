import { expect, it } from 'vitest';
import { TokenBuckets } from './token-buckets.ts';

it('RL25: gives a burst, then the rate, and says when the next token is there', () => {
  const buckets = new TokenBuckets(2, 3);
  expect([0, 0, 0, 0].map(() => buckets.take('a', 0))).toEqual([0, 0, 0, 1]);
  expect(buckets.take('b', 0)).toBe(0);
  expect([500, 500].map((ms) => buckets.take('a', ms))).toEqual([0, 1]);
  expect(buckets.take('a', 1_000)).toBe(0);
  expect([0, 0, 0, 0].map(() => buckets.take('a', 1e9))).toEqual([0, 0, 0, 1]);
});

it('RL25: a clock that steps back does no harm', () => {
  const buckets = new TokenBuckets(1, 1);
  expect(buckets.take('a', 10_000)).toBe(0);
  expect(buckets.take('a', 0)).toBe(1);
  expect(buckets.take('a', 1_000)).toBe(0);
});

it('RL25: forgetting keys that are full again changes no answer', () => {
  const buckets = new TokenBuckets(1, 2);
  buckets.take('a', 0);
  buckets.take('a', 0);
  buckets.prune(1_000);
  expect(buckets.take('a', 1_000)).toBe(0);
  expect(buckets.take('a', 1_000)).toBe(1);
  buckets.prune(10_000);
  expect([buckets.take('a', 10_000), buckets.take('a', 10_000), buckets.take('a', 10_000)]).toEqual([0, 0, 1]);
});
