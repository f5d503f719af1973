import { expect, test } from 'vitest';
import { toPlainLine, toTextRuns } from './visible-text.ts';

test('DT1: bidi, zero-width, control and look-alike space characters stand alone with their code', () => {
  expect(toTextRuns('rm \u202eexe.txt', false)).toEqual([
    { text: 'rm ' },
    { text: '\u202e', code: 'U+202E' },
    { text: 'exe.txt' },
  ]);
  for (const hidden of [
    '\u200b',
    '\u2066',
    '\ufeff',
    '\u00ad',
    '\u0007',
    '\u0085',
    '\u00a0',
    '\u3164',
    '\u2028',
    '\u{e0041}',
    '\ud800',
  ]) {
    const runs = toTextRuns(`a${hidden}b`, true);
    expect(runs.map((run) => run.code !== undefined)).toEqual([false, true, false]);
  }
});

test('DT1: ordinary text of any script and emoji passes whole', () => {
  for (const plain of ['npm test -- --grep "a b"', 'Grüße 你好 مرحبا', '→ ✓ 🚀']) {
    expect(toTextRuns(plain, false)).toEqual([{ text: plain }]);
  }
});

test('DT1: line feeds and tabs pass in blocks and are shown in lines', () => {
  expect(toTextRuns('a\n\tb', true)).toEqual([{ text: 'a\n\tb' }]);
  expect(toTextRuns('a\nb', false).map((run) => run.code)).toEqual([undefined, 'U+000A', undefined]);
  expect(toPlainLine('a\nb\u202ec')).toBe('a b⟨U+202E⟩c');
  expect(toPlainLine('x'.repeat(500))).toHaveLength(401);
});
