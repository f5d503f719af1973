import { expect, it } from 'vitest';
import { encodeKindSet, hasKind, parseKindSet } from './kind-set.ts';

it('RL48: kinds are written as numbers, ranges or a star, and anything else is no set', () => {
  for (const [text, same] of [
    ['1', '1'],
    ['5, 1,2-3', '1-3,5'],
    ['*,7', '0-65535'],
    ['10-20,15-30', '10-30'],
  ] as const) {
    expect(encodeKindSet(parseKindSet(text) ?? []), text).toBe(same);
  }
  for (const text of ['', 'x', '1,', '3-1', '65536', '-1', '1.5']) expect(parseKindSet(text), text).toBeUndefined();
  const kinds = parseKindSet('1,30000-39999') ?? [];
  expect([0, 1, 2, 29_999, 30_000, 39_999, 40_000].filter((kind) => hasKind(kinds, kind))).toEqual([1, 30_000, 39_999]);
});
