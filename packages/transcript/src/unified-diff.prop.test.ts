import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diffLines } from './line-diff.ts';
import { unifiedDiff } from './unified-diff.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-diff-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 24 });
const text = fc.tuple(lines, fc.boolean()).map(([words, isEnded]) => `${words.join('\n')}${isEnded ? '\n' : ''}`);

test('TR131: git takes the text of any change and makes the new text of the old one', () => {
  fc.assert(
    fc.property(text, text, (oldText, newText) => {
      fc.pre(oldText !== newText);
      writeFileSync(join(folder, 'file'), oldText);
      const patch = unifiedDiff(diffLines(oldText, newText), { oldText, newText }, 'file');
      execFileSync('git', ['apply', '--unsafe-paths', '-'], { cwd: folder, input: patch, stdio: 'pipe' });
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(newText);
    }),
    { numRuns: 60 },
  );
});

test('TR131: a path that holds lines of a patch stays a path', () => {
  const hostile = 'x"\n+++ b/package.json\n@@ -1,1 +1,1 @@';
  const patch = unifiedDiff(diffLines('a\n', 'b\n'), { oldText: 'a\n', newText: 'b\n' }, hostile);
  expect(patch.split('\n').filter((line) => /^(\+\+\+|@@)/.test(line))).toEqual([
    String.raw`+++ "b/x\"\012+++ b/package.json\012@@ -1,1 +1,1 @@"`,
    '@@ -1,1 +1,1 @@',
  ]);
});
