import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines } from './line-diff.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 })
  .map((lines) => lines.map((l) => `${l}\n`).join(''));

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

test('DT3: a diff names every line of both texts in order, and no shorter one exists', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { rows, added, removed, exact } = diffLines(before, after);
      const [old, fresh] = [before.split('\n').slice(0, -1), after.split('\n').slice(0, -1)];
      expect(exact).toBe(true);
      for (const row of rows) {
        if (row.oldLine !== undefined) expect(old[row.oldLine - 1]).toBe(row.text);
        if (row.newLine !== undefined) expect(fresh[row.newLine - 1]).toBe(row.text);
      }
      const skipped = rows.reduce((sum, row) => sum + (row.type === 'skipped' ? Number(row.text) : 0), 0);
      const same = rows.filter((row) => row.type === 'same').length;
      expect(skipped + same + removed).toBe(old.length);
      expect(skipped + same + added).toBe(fresh.length);
      expect(skipped + same).toBe(commonLength(old, fresh));
    }),
  );
});

test('DT3: texts too far apart are told to be, quickly, with nothing left out', () => {
  const lines = (seed: number) => Array.from({ length: 20_000 }, (_, i) => `${(i * seed) % 7919}`).join('\n');
  const { exact, added, removed } = diffLines(lines(3), lines(5));
  expect({ exact, added, removed }).toEqual({ exact: false, added: 19_999, removed: 19_999 });
});

test('DT3: unchanged stretches fold to three lines around a change', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
  const { rows } = diffLines(lines.join('\n'), lines.with(15, 'changed').join('\n'));
  expect(rows.slice(1, -1).map((row) => row.type)).toEqual([
    'same',
    'same',
    'same',
    'removed',
    'added',
    'same',
    'same',
    'same',
  ]);
  expect(rows[0]).toEqual({ type: 'skipped', text: '12' });
  expect(rows.at(-1)).toEqual({ type: 'skipped', text: '11' });
});
