/** One row of a diff; line numbers count from 1 and are absent on the side that lacks the line. */
export interface DiffRow {
  readonly type: 'same' | 'added' | 'removed' | 'skipped';
  readonly text: string;
  readonly oldLine?: number;
  readonly newLine?: number;
}

export interface LineDiff {
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly removed: number;
  /** False when the texts were too far apart to compare in time: then all of the middle is removed and added. */
  readonly exact: boolean;
}

/** Rows of unchanged text kept around a change. */
const CONTEXT_LINES = 3;
/** Edit steps tried before giving up: cost grows with its square, about 20 ms at this bound. */
const MAX_EDITS = 1_000;

/** The lines that differ between two texts, by Myers' greedy O(ND) algorithm, with a little of what is around them. */
export function diffLines(oldText: string, newText: string): LineDiff {
  const before = toLines(oldText);
  const after = toLines(newText);
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;

  const middle = shortestEdit(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const rows: DiffRow[] = [];
  let [oldLine, newLine] = [0, 0];
  const push = (type: DiffRow['type'], text: string) => {
    if (type !== 'added') oldLine++;
    if (type !== 'removed') newLine++;
    rows.push({ type, text, ...(type !== 'added' ? { oldLine } : {}), ...(type !== 'removed' ? { newLine } : {}) });
  };
  for (const line of before.slice(0, head)) push('same', line);
  for (const edit of middle.edits) push(edit.type, edit.text);
  for (const line of before.slice(before.length - tail)) if (tail > 0) push('same', line);
  return {
    rows: foldContext(rows),
    added: rows.filter((row) => row.type === 'added').length,
    removed: rows.filter((row) => row.type === 'removed').length,
    exact: middle.exact,
  };
}

function toLines(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

type Edit = { readonly type: 'same' | 'added' | 'removed'; readonly text: string };

function shortestEdit(
  before: readonly string[],
  after: readonly string[],
): { readonly edits: readonly Edit[]; readonly exact: boolean } {
  const trace = searchForward(before, after);
  if (trace !== undefined) return { edits: walkBack(before, after, trace), exact: true };
  const edits: Edit[] = [
    ...before.map((text): Edit => ({ type: 'removed', text })),
    ...after.map((text): Edit => ({ type: 'added', text })),
  ];
  return { edits, exact: false };
}

/**
 * How far every diagonal (k = x − y) reached before each number of edits, up to the one that reached the end; undefined
 * beyond MAX_EDITS. Entry d covers the diagonals −d−1…d+1, k standing at index k + d + 1.
 */
function searchForward(before: readonly string[], after: readonly string[]): readonly Int32Array[] | undefined {
  const limit = Math.min(before.length + after.length, MAX_EDITS);
  const middle = limit + 1;
  const reach = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const isAdded = comesFromAdded(reach, middle + k, k, edits);
      let x = isAdded ? (reach[middle + k + 1] as number) : (reach[middle + k - 1] as number) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      reach[middle + k] = x;
      if (x >= before.length && x - k >= after.length) return trace;
    }
  }
  return undefined;
}

/** Whether diagonal k is best entered by an added line (from k + 1) rather than a removed one (from k − 1). */
function comesFromAdded(reach: Int32Array, at: number, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && (reach[at - 1] as number) < (reach[at + 1] as number));
}

function walkBack(before: readonly string[], after: readonly string[], trace: readonly Int32Array[]): readonly Edit[] {
  const edits: Edit[] = [];
  let [x, y] = [before.length, after.length];
  for (let step = trace.length - 1; step >= 0; step--) {
    const reach = trace[step] as Int32Array;
    const k = x - y;
    const at = k + step + 1;
    const isAdded = comesFromAdded(reach, at, k, step);
    const fromX = reach[isAdded ? at + 1 : at - 1] as number;
    const fromY = fromX - (isAdded ? k + 1 : k - 1);
    for (; x > fromX && y > fromY; x--, y--) edits.push({ type: 'same', text: before[x - 1] as string });
    if (step === 0) break;
    edits.push(
      isAdded ? { type: 'added', text: after[fromY] as string } : { type: 'removed', text: before[fromX] as string },
    );
    [x, y] = [fromX, fromY];
  }
  return edits.reverse();
}

function foldContext(rows: readonly DiffRow[]): readonly DiffRow[] {
  const near = new Uint8Array(rows.length);
  rows.forEach((row, at) => {
    if (row.type === 'same') return;
    near.fill(1, Math.max(0, at - CONTEXT_LINES), at + CONTEXT_LINES + 1);
  });
  const folded: DiffRow[] = [];
  for (let at = 0; at < rows.length; at++) {
    if (near[at]) {
      folded.push(rows[at] as DiffRow);
      continue;
    }
    let end = at;
    while (end < rows.length && !near[end]) end++;
    // A fold that saves no room only hides.
    if (end - at <= 2) folded.push(...rows.slice(at, end));
    else folded.push({ type: 'skipped', text: `${end - at}` });
    at = end - 1;
  }
  return folded;
}
