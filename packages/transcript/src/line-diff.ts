import { type LineIds, matchLines } from './line-match.ts';

/** Lines added and removed; `exact` is false when the texts were too far apart, or too long, to compare line by line. */
export interface DiffStats {
  readonly added: number;
  readonly removed: number;
  readonly exact: boolean;
}

/** Kinds of rows in `LineDiff.kinds`. */
export const DIFF_ROW = { same: 0, removed: 1, added: 2, skipped: 3 } as const;

/**
 * What changed from one text to another, as numbers: it is cheap to copy from thread to thread, and to hold. Rows stand in the
 * order of a unified diff; lines count from 0. Texts are not in it: `diffRow` reads a row's words from them.
 */
export interface LineDiff extends DiffStats {
  readonly kinds: Uint8Array<ArrayBuffer>;
  /** The old line a row shows or stands before; of a skipped row the first it hides. The same for the new text. */
  readonly oldLines: Uint32Array<ArrayBuffer>;
  readonly newLines: Uint32Array<ArrayBuffer>;
  /** Where each line begins in its text, and where the last one ends. */
  readonly oldStarts: Uint32Array<ArrayBuffer>;
  readonly newStarts: Uint32Array<ArrayBuffer>;
}

/** Rows of unchanged text kept around a change. */
const CONTEXT_LINES = 3;
/** A fold that saves no more rows than this only hides. */
const MIN_FOLDED = 3;
/** Characters beyond which lines are only counted roughly: a headline is drawn often. */
const MAX_COUNTED = 200_000;

/**
 * The lines that differ between two texts, with a little of what is around them. The shortest script where edits are few;
 * where they are many, aligned at lines that stand once; where nothing aligns, all of a stretch is removed and added.
 */
export function diffLines(oldText: string, newText: string): LineDiff {
  const [oldStarts, newStarts] = [lineStarts(oldText), lineStarts(newText)];
  const ids = new Map<string, number>();
  const before = lineIds(oldText, oldStarts, ids);
  const { became, exact } = matchLines(before, lineIds(newText, newStarts, ids));
  const rows = toRows(became, newStarts.length - 1);
  return { ...rows, oldStarts, newStarts, exact };
}

/** What changed, counted in lines. Cost: linear in the texts and bounded beyond; long ones are counted roughly. */
export function diffStats(oldText: string, newText: string): DiffStats {
  if (oldText.length + newText.length > MAX_COUNTED) return roughStats(oldText, newText);
  const { added, removed, exact } = diffLines(oldText, newText);
  return { added, removed, exact };
}

/** All between what both texts begin and end with. */
function roughStats(oldText: string, newText: string): DiffStats {
  const shorter = Math.min(oldText.length, newText.length);
  let head = 0;
  while (head < shorter && oldText.charCodeAt(head) === newText.charCodeAt(head)) head++;
  let tail = 0;
  while (
    tail < shorter - head &&
    oldText.charCodeAt(oldText.length - 1 - tail) === newText.charCodeAt(newText.length - 1 - tail)
  )
    tail++;
  const count = (text: string) => {
    let lines = text.length - tail > head ? 1 : 0;
    for (let at = text.indexOf('\n', head); at >= 0 && at < text.length - tail - 1; at = text.indexOf('\n', at + 1))
      lines++;
    return lines;
  };
  return { added: count(newText), removed: count(oldText), exact: false };
}

function lineStarts(text: string): Uint32Array<ArrayBuffer> {
  let count = 0;
  for (let at = 0; at < text.length; count++) at = endOfLine(text, at);
  const starts = new Uint32Array(count + 1);
  for (let at = 0, line = 0; at < text.length; ) {
    starts[line++] = at;
    at = endOfLine(text, at);
  }
  starts[count] = text.length;
  return starts;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

/** A line's own text, without its end. */
export function lineOf(text: string, starts: Uint32Array, line: number): string {
  const [start = 0, end = 0] = [starts[line], starts[line + 1]];
  return text.slice(start, end > start && text.charCodeAt(end - 1) === 10 ? end - 1 : end);
}

function lineIds(text: string, starts: Uint32Array, ids: Map<string, number>): LineIds {
  const found = new Int32Array(starts.length - 1);
  for (let line = 0; line < found.length; line++) {
    const words = lineOf(text, starts, line);
    let id = ids.get(words);
    if (id === undefined) {
      id = ids.size;
      ids.set(words, id);
    }
    found[line] = id;
  }
  return found;
}

/** Rows in order, unchanged stretches folded. */
function toRows(became: Int32Array, newCount: number) {
  const kinds: number[] = [];
  const oldLines: number[] = [];
  const newLines: number[] = [];
  let [added, removed, newLine] = [0, 0, 0];
  const push = (kind: number, oldAt: number, newAt: number) => {
    kinds.push(kind);
    oldLines.push(oldAt);
    newLines.push(newAt);
  };
  const add = (upTo: number, oldAt: number) => {
    for (; newLine < upTo; newLine++, added++) push(DIFF_ROW.added, oldAt, newLine);
  };
  for (let at = 0; at < became.length; ) {
    const to = became[at] as number;
    if (to < 0) {
      // All that is removed in a place stands before what is added there.
      push(DIFF_ROW.removed, at++, newLine);
      removed++;
      continue;
    }
    add(to, at);
    let end = at;
    while (end < became.length && became[end] === to + end - at) end++;
    pushSame(push, {
      from: at,
      to: end,
      newFrom: to,
      isStart: at === 0 && to === 0,
      isEnd: end === became.length && to + end - at === newCount,
    });
    newLine = to + end - at;
    at = end;
  }
  add(newCount, became.length);
  return {
    kinds: Uint8Array.from(kinds),
    oldLines: Uint32Array.from(oldLines),
    newLines: Uint32Array.from(newLines),
    added,
    removed,
  };
}

function pushSame(
  push: (kind: number, oldAt: number, newAt: number) => void,
  run: {
    readonly from: number;
    readonly to: number;
    readonly newFrom: number;
    readonly isStart: boolean;
    readonly isEnd: boolean;
  },
): void {
  const { from, to, newFrom } = run;
  const shift = newFrom - from;
  const foldFrom = run.isStart ? from : Math.min(to, from + CONTEXT_LINES);
  const foldTo = run.isEnd ? to : Math.max(foldFrom, to - CONTEXT_LINES);
  const isFolded = foldTo - foldFrom >= MIN_FOLDED;
  for (let at = from; at < to; at++) {
    if (isFolded && at === foldFrom) {
      push(DIFF_ROW.skipped, at, at + shift);
      at = foldTo - 1;
    } else push(DIFF_ROW.same, at, at + shift);
  }
}
