import { expect, test } from 'vitest';
import { type HiddenSecret, hiddenSecrets } from './hidden-secrets.ts';
import { inStretches } from './in-stretches.ts';

function lookThrough(text: string): { readonly found: readonly HiddenSecret[]; readonly steps: number } {
  const looking = inStretches(text, hiddenSecrets);
  for (let steps = 0; ; steps++) {
    const step = looking.next();
    if (step.done === true) return { found: step.value, steps };
  }
}

const FILL = 'some words, \\"quoted\\" \\n and \u001b[31mred\u001b[0m ';

test('DT184: a long text is looked through in stretches, and holds the same secrets at the same places as at once', () => {
  for (let shift = 0; shift < 40; shift++) {
    const secret = `sk-ant-${'Ab3'.repeat(8)}${shift}`;
    // About where one stretch ends: before it, over it and behind it, in escapes and colours.
    const before = FILL.repeat(3_000).slice(0, 65_536 - 30 + shift);
    const text = `${before} key \\\\n${secret} \\u0041 ${FILL.repeat(4_000)} \u001b[1m${secret}\u001b[0m`;
    const { found, steps } = lookThrough(text);
    expect(found).toEqual(hiddenSecrets(text));
    expect(found).toHaveLength(2);
    expect(steps).toBeGreaterThan(3);
  }
});

test('DT184: a secret of any length goes whole, and what stands in it is none of its own', () => {
  const pem = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkq'.repeat(40_000)}\n-----END PRIVATE KEY-----`;
  const text = `${FILL.repeat(100)}${pem} ${FILL.repeat(3_000)}`;
  expect(lookThrough(text).found.map(({ secret }) => secret)).toEqual([pem]);
  const unended = `x -----BEGIN PRIVATE KEY-----${' -----BEGIN PRIVATE KEY-----'.repeat(40_000)}`;
  const { found, steps } = lookThrough(unended);
  expect(found).toHaveLength(1);
  expect(steps).toBeLessThan(20);
});

test('DT184: a short text is looked through at once', () => {
  expect(lookThrough(`x sk-ant-${'Ab3'.repeat(8)}`)).toMatchObject({ steps: 0, found: [{ start: 2 }] });
});
