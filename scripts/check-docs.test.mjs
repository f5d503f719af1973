import { expect, test } from 'vitest';
import { namedPaths, ruleIds, ruleProblems, titleIds } from './check-docs.mjs';

test('IN7: rules and the titles that carry them are found', () => {
  // Escaped quotes: this file's own text is searched for titles too.
  expect(ruleIds('- **XA1** one.\n* **XA22** two\ntext **XA3** no')).toEqual(['XA1', 'XA22']);
  expect(titleIds('test(\u0027XA1: a\u0027)\ntest.each(x)(\u0027XA2, XB3: b\u0027)\nconst s = "XA4 none"')).toEqual([
    'XA1',
    'XA2',
    'XB3',
  ]);
});

test('IN7: a rule without a test, a test without a rule and an id used twice are named', () => {
  const problems = ruleProblems(
    ['XA1', 'XA2', 'XA2'],
    new Map([
      ['XA2', 'a.test.ts'],
      ['XA9', 'b.test.ts'],
    ]),
  );
  expect(problems).toEqual([
    'docs/SPEC.md: the id XA2 is used twice',
    'docs/SPEC.md: no test title begins with XA1',
    'b.test.ts: docs/SPEC.md has no rule XA9',
  ]);
});

test('IN7: relative links and named files of a document are found, web addresses and code blocks are not', () => {
  const text =
    '[a](./A.md#x) [b](https://x.org/y) [c](../C.md) `apps/relay` `npm test` `packages/wire/src/a.ts`\n```\n[d](D.md)\n```\n';
  expect(namedPaths('docs/x.md', text)).toEqual(['docs/A.md', 'C.md', 'apps/relay', 'packages/wire/src/a.ts']);
});
