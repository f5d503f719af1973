import { expect, test } from 'vitest';
import { diffLines } from './line-diff.ts';
import { unifiedDiff } from './unified-diff.ts';

const patch = (oldText: string, newText: string, path?: string) =>
  unifiedDiff(diffLines(oldText, newText), { oldText, newText }, path);

test('TR131: a change as text is what patch and git apply read: hunks with their counts, no line that is none', () => {
  const lines = Array.from({ length: 20 }, (_, i) => `${i}\n`);
  expect(patch(lines.join(''), lines.with(2, 'two\n').with(17, 'x\ny\n').join(''), '/srv/a.txt').split('\n')).toEqual([
    '--- a/srv/a.txt',
    '+++ b/srv/a.txt',
    '@@ -1,6 +1,6 @@',
    ' 0',
    ' 1',
    '-2',
    '+two',
    ' 3',
    ' 4',
    ' 5',
    '@@ -15,6 +15,7 @@',
    ' 14',
    ' 15',
    ' 16',
    '-17',
    '+x',
    '+y',
    ' 18',
    ' 19',
    '',
  ]);
  expect(patch('', 'a\nb\n')).toBe('@@ -0,0 +1,2 @@\n+a\n+b\n');
  expect(patch('a\n', '')).toBe('@@ -1,1 +0,0 @@\n-a\n');
  expect(patch('a\n', 'b')).toBe('@@ -1,1 +1,1 @@\n-a\n+b\n\\ No newline at end of file\n');
  expect(patch('same\n', 'same\n')).toBe('');
});
