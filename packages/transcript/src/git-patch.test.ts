import { describe, expect, it } from 'vitest';
import { readPatch } from './git-patch.ts';

const patch = (...lines: readonly string[]) => `${lines.join('\n')}\n`;
const modify = { path: '/a', operation: 'modify' };

describe('git patches of ACP v2 diffs', () => {
  it('TR38: read as the old and new text of the changed stretches', () => {
    const text = patch(
      'diff --git /a /a',
      '--- /a',
      '+++ /a',
      '@@ -1,2 +1,2 @@',
      '-hello world',
      '+hello ACP',
      ' second',
      'diff --git /n /n',
      'new file mode 100644',
      '--- /dev/null',
      '+++ /n',
      '@@ -0,0 +1,2 @@',
      '+one',
      '+diff --git not a head',
    );
    expect(readPatch(text, [modify, { path: '/n', operation: 'add' }])).toEqual([
      { type: 'diff', path: '/a', oldText: 'hello world\nsecond\n', newText: 'hello ACP\nsecond\n' },
      { type: 'diff', path: '/n', oldText: null, newText: 'one\ndiff --git not a head\n' },
    ]);
  });

  it('TR38: a missing line end at the end of a file is kept missing', () => {
    const text = patch(
      'diff --git /a /a',
      '@@ -1 +1 @@',
      '-old',
      '\\ No newline at end of file',
      '+new',
      '\\ No newline at end of file',
    );
    expect(readPatch(text, [modify])).toEqual([{ type: 'diff', path: '/a', oldText: 'old', newText: 'new' }]);
  });

  it('TR38: text and list that do not fit, moves, and broken hunks are left to be shown as they are', () => {
    const good = patch('diff --git /a /a', '@@ -1 +1 @@', '-a', '+b');
    expect(readPatch(good, [])).toBeUndefined();
    expect(readPatch(good, [modify, modify])).toBeUndefined();
    expect(readPatch('', [])).toBeUndefined();
    expect(readPatch(good, [{ path: '/b', operation: 'move' }])).toBeUndefined();
    expect(readPatch(patch('diff --git /a /a', '@@ -1,9 +1 @@', '-a', '+b'), [modify])).toBeUndefined();
    expect(readPatch(patch('diff --git /a /a', '@@ -1 +1 @@', '*a'), [modify])).toBeUndefined();
  });
});
