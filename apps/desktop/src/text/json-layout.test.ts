import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layOutJson } from './json-layout.ts';

test('DT4: laid out JSON keeps every token as written', () => {
  expect(layOutJson('{"a":1.0,"a":[90071992547409931,"\\u0041"],"e":{},"l":[]}')).toBe(
    '{\n  "a": 1.0,\n  "a": [\n    90071992547409931,\n    "\\u0041"\n  ],\n  "e": {},\n  "l": []\n}',
  );
});

test('DT4: layout changes nothing but space between tokens', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(JSON.parse(layOutJson(json))).toEqual(JSON.parse(json));
    }),
  );
});

test('DT4: broken, deep and huge text comes out whole and in time', () => {
  const squeeze = (text: string) => text.replace(/\s/g, '');
  for (const text of ['{"a', '}}]', 'nonsense "x', '['.repeat(50_000)])
    expect(squeeze(layOutJson(text))).toBe(squeeze(text));
  const huge = `["${'x'.repeat(300_000)}"]`;
  expect(layOutJson(huge)).toBe(huge);
});
