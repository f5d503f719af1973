import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DiffRow, diffRow, rowOfLine, splitDiff, unfoldDiff } from './diff-rows.ts';
import { diffLines, diffStats } from './line-diff.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 })
  .map((lines) => lines.map((l) => `${l}\n`).join(''));

function diffOf(oldText: string, newText: string) {
  const diff = diffLines(oldText, newText);
  const texts = { oldText, newText };
  const rows = Array.from(diff.kinds, (_, at): DiffRow => diffRow(diff, texts, at));
  return { diff, texts, rows };
}

const linesOf = (all: string) => all.split('\n').slice(0, -1);

/** Length of a longest common subsequence, the obvious way. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  const row = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    let corner = 0;
    for (const [j, right] of b.entries()) {
      const above = row[j + 1] as number;
      row[j + 1] = left === right ? corner + 1 : Math.max(above, row[j] as number);
      corner = above;
    }
  }
  return row[b.length] as number;
}

/** Every line of both texts once and in order, whatever is folded. */
function expectWhole(rows: readonly DiffRow[], before: string, after: string): void {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const [told, made]: [string[], string[]] = [[], []];
  const misnumbered: DiffRow[] = [];
  for (const row of rows) {
    if (row.type === 'skipped') {
      const hidden = Number(row.text);
      told.push(...old.slice(told.length, told.length + hidden));
      made.push(...fresh.slice(made.length, made.length + hidden));
      continue;
    }
    if (row.oldLine !== undefined && told.push(row.text) !== row.oldLine) misnumbered.push(row);
    if (row.newLine !== undefined && made.push(row.text) !== row.newLine) misnumbered.push(row);
  }
  expect(told).toEqual(old);
  expect(made).toEqual(fresh);
  expect(misnumbered).toEqual([]);
}

test('TR129: a diff names every line of both texts in order, and no shorter one exists', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { diff, rows } = diffOf(before, after);
      expect(diff.exact).toBe(true);
      expectWhole(rows, before, after);
      const common = commonLength(linesOf(before), linesOf(after));
      expect([diff.removed, diff.added]).toEqual([linesOf(before).length - common, linesOf(after).length - common]);
      expect(diffStats(before, after)).toEqual({ added: diff.added, removed: diff.removed, exact: true });
    }),
  );
});

test('TR129: the last line is a line with or without its end, and an empty text has none', () => {
  expect(diffOf('', 'a\nb').rows).toEqual([
    { type: 'added', text: 'a', newLine: 1 },
    { type: 'added', text: 'b', newLine: 2 },
  ]);
  expect(diffOf('a\n', 'a').rows).toEqual([{ type: 'same', text: 'a', oldLine: 1, newLine: 1 }]);
  expect(diffOf('\n\n', '\n').rows.map((row) => row.type)).toEqual(['same', 'removed']);
  expect(diffOf('', '').rows).toEqual([]);
});

test('TR129: texts too far apart are told to be, quickly, with nothing left out', () => {
  const lines = (seed: number) => Array.from({ length: 20_000 }, (_, i) => `${(i * seed) % 7919}\n`).join('');
  const { diff, rows } = diffOf(lines(3), lines(5));
  expect(diff).toMatchObject({ exact: false, added: 19_999, removed: 19_999 });
  expectWhole(rows, lines(3), lines(5));
});

test('TR129: thousands of edits in a long text are aligned at the lines that stand once', () => {
  const before = Array.from({ length: 50_000 }, (_, i) => `line ${i}\n`);
  const after = before.flatMap((line, i) => (i % 10 === 3 ? [] : i % 10 === 6 ? [line, `new ${i}\n`] : [line]));
  const { diff, rows } = diffOf(before.join(''), after.join(''));
  expect(diff).toMatchObject({ exact: true, added: 5_000, removed: 5_000 });
  expectWhole(rows, before.join(''), after.join(''));
});

test('TR129: unchanged stretches fold to three lines around a change, and unfold again', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i}\n`);
  const { diff, texts, rows } = diffOf(lines.join(''), lines.with(15, 'changed\n').join(''));
  const types = ['skipped', 'same', 'same', 'same', 'removed', 'added', 'same', 'same', 'same', 'skipped'];
  expect(rows.map((row) => row.type)).toEqual(types);
  expect([rows[0]?.text, rows.at(-1)?.text]).toEqual(['12', '11']);
  const open = unfoldDiff(unfoldDiff(diff, 9), 0);
  const all = Array.from(open.kinds, (_, at) => diffRow(open, texts, at));
  expect(all.map((row) => row.type)).not.toContain('skipped');
  expectWhole(all, texts.oldText, texts.newText);
  expect(unfoldDiff(diff, 4)).toBe(diff);
  expect([rowOfLine(diff, 'new', 2), rowOfLine(diff, 'new', 15), rowOfLine(diff, 'old', 15)]).toEqual([0, 5, 4]);
  expect(rowOfLine(diff, 'new', 30)).toBe(-1);
});

test('TR130: beside each other, every row stands once, what was removed beside what was added in its place', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { diff, rows } = diffOf(before, after);
      const { left, right } = splitDiff(diff);
      const once = (side: Int32Array) => [...side].filter((at) => at >= 0);
      expect(once(left)).toEqual([...rows.keys()].filter((at) => rows[at]?.type !== 'added'));
      expect(once(right)).toEqual([...rows.keys()].filter((at) => rows[at]?.type !== 'removed'));
      for (const at of left.keys())
        if (left[at] === right[at]) expect(rows[left[at] ?? 0]?.type).toMatch(/same|skipped/);
    }),
  );
});
