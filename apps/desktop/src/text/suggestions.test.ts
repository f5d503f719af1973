import { expect, test } from 'vitest';
import { suggest } from './suggestions.ts';

const commands = [
  { name: 'compact', description: 'Shorten' },
  { name: 'recompile', description: 'Build', hint: 'target' },
];
const paths = ['src/main.ts', 'docs/domain.md'];
const labels = (text: string, caret = text.length) => suggest(text, caret, commands, paths).map(({ label }) => label);

test('DT80: commands at the start only, paths after an @; what begins so comes first', () => {
  expect(labels('/comp')).toEqual(['/compact', '/recompile']);
  expect(labels('say /comp')).toEqual([]);
  expect(labels('/compact now')).toEqual([]);
  expect(labels('look at @ma')).toEqual(['main.ts', 'domain.md']);
  expect(labels('a@ma')).toEqual([]);
  expect(suggest('see @ma please', 7, commands, paths)[0]).toMatchObject({ from: 4, to: 7, insert: '@src/main.ts ' });
});

test('DT80: of a very long list few are shown', () => {
  const many = Array.from({ length: 5_000 }, (_, at) => ({ name: `c${at}`, description: '' }));
  expect(suggest('/', 1, many, [])).toHaveLength(8);
});

test('DT95: no completion puts text into the prompt that nobody sees', () => {
  const hidden = ['go\nrm -rf /', 'go\u202eog', 'go\u200b', `go${'x'.repeat(2_000)}`];
  const named = hidden.map((name) => ({ name, description: '' }));
  expect(suggest('/go', 3, named, [])).toEqual([]);
  expect(suggest('@go', 3, [], hidden)).toEqual([]);
  expect(suggest('@go', 3, [], ['go now.txt'])).toHaveLength(1);
});
