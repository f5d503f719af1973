import { DIFF_ROW, type LineDiff, lineOf } from './line-diff.ts';

/** The two texts a diff was made of. */
export interface DiffTexts {
  readonly oldText: string;
  readonly newText: string;
}

/** One row of a diff in words; line numbers count from 1 and are absent on the side that lacks the line. */
export interface DiffRow {
  readonly type: keyof typeof DIFF_ROW;
  /** The line; of a skipped row, how many lines it hides. */
  readonly text: string;
  readonly oldLine?: number;
  readonly newLine?: number;
}

const TYPES = Object.keys(DIFF_ROW) as readonly (keyof typeof DIFF_ROW)[];

/** Row `at` of a diff. Cost: that of one line. */
export function diffRow(diff: LineDiff, texts: DiffTexts, at: number): DiffRow {
  const type = TYPES[diff.kinds[at] ?? 0] ?? 'same';
  const [oldAt = 0, newAt = 0] = [diff.oldLines[at], diff.newLines[at]];
  if (type === 'skipped') return { type, text: `${hiddenBy(diff, at)}` };
  if (type === 'removed') return { type, text: lineOf(texts.oldText, diff.oldStarts, oldAt), oldLine: oldAt + 1 };
  const text = lineOf(texts.newText, diff.newStarts, newAt);
  return type === 'added' ? { type, text, newLine: newAt + 1 } : { type, text, oldLine: oldAt + 1, newLine: newAt + 1 };
}

/** How many lines a skipped row hides. */
function hiddenBy(diff: LineDiff, at: number): number {
  return (diff.oldLines[at + 1] ?? diff.oldStarts.length - 1) - (diff.oldLines[at] ?? 0);
}

/** The diff with the lines a skipped row hides in its place. */
export function unfoldDiff(diff: LineDiff, at: number): LineDiff {
  if (diff.kinds[at] !== DIFF_ROW.skipped) return diff;
  const hidden = hiddenBy(diff, at);
  const [oldFrom = 0, newFrom = 0] = [diff.oldLines[at], diff.newLines[at]];
  const splice = <T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
    rows: T,
    made: T,
    fill: (index: number) => number,
  ): T => {
    made.set(rows.subarray(0, at));
    for (let index = 0; index < hidden; index++) made[at + index] = fill(index);
    made.set(rows.subarray(at + 1), at + hidden);
    return made;
  };
  const count = diff.kinds.length + hidden - 1;
  return {
    ...diff,
    kinds: splice(diff.kinds, new Uint8Array(count), () => DIFF_ROW.same),
    oldLines: splice(diff.oldLines, new Uint32Array(count), (index) => oldFrom + index),
    newLines: splice(diff.newLines, new Uint32Array(count), (index) => newFrom + index),
  };
}

/**
 * Rows of the view with both sides beside each other: pairs of rows of the unified one, −1 for none. What was removed in a
 * place stands beside what was added there.
 */
export function splitDiff(diff: LineDiff): { readonly left: Int32Array; readonly right: Int32Array } {
  const { kinds } = diff;
  const left: number[] = [];
  const right: number[] = [];
  for (let at = 0; at < kinds.length; ) {
    let removed = at;
    while (kinds[removed] === DIFF_ROW.removed) removed++;
    let added = removed;
    while (kinds[added] === DIFF_ROW.added) added++;
    if (added === at) {
      left.push(at);
      right.push(at++);
      continue;
    }
    for (let n = 0; n < Math.max(removed - at, added - removed); n++) {
      left.push(at + n < removed ? at + n : -1);
      right.push(removed + n < added ? removed + n : -1);
    }
    at = added;
  }
  return { left: Int32Array.from(left), right: Int32Array.from(right) };
}

/** The row that shows a line (from 0) of one side, or hides it; −1 when none does. Cost: one pass over the rows. */
export function rowOfLine(diff: LineDiff, side: 'old' | 'new', line: number): number {
  const lines = side === 'old' ? diff.oldLines : diff.newLines;
  const other = side === 'old' ? DIFF_ROW.added : DIFF_ROW.removed;
  for (let at = 0; at < lines.length; at++) {
    const [kind, first = 0] = [diff.kinds[at], lines[at]];
    if (kind === other || first > line) continue;
    if (first === line || (kind === DIFF_ROW.skipped && line < first + hiddenBy(diff, at))) return at;
  }
  return -1;
}
