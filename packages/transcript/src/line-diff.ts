/** Lines added and removed; `exact` is false when the texts were too far apart to compare line by line. */
export interface DiffStats {
  readonly added: number;
  readonly removed: number;
  readonly exact: boolean;
}

/** Products of line counts beyond this are not compared: the cost of the comparison is bounded by it. */
const MAX_CELLS = 1_000_000;

/** What changed from one text to the other, counted in lines. Cost: linear, and at most MAX_CELLS steps for the middle. */
export function diffStats(oldText: string, newText: string): DiffStats {
  const [before, after] = [toLines(oldText), toLines(newText)];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let [oldEnd, newEnd] = [before.length, after.length];
  while (oldEnd > start && newEnd > start && before[oldEnd - 1] === after[newEnd - 1]) {
    oldEnd--;
    newEnd--;
  }
  const [removed, added] = [oldEnd - start, newEnd - start];
  if (removed === 0 || added === 0) return { added, removed, exact: true };
  if (removed * added > MAX_CELLS) return { added, removed, exact: false };
  const kept = longestCommon(before.slice(start, oldEnd), after.slice(start, newEnd));
  return { added: added - kept, removed: removed - kept, exact: true };
}

function toLines(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Length of the longest common subsequence, one row of the table at a time. */
function longestCommon(before: readonly string[], after: readonly string[]): number {
  let row = new Uint32Array(after.length + 1);
  for (const line of before) {
    const next = new Uint32Array(after.length + 1);
    for (let at = 0; at < after.length; at++) {
      next[at + 1] = line === after[at] ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0);
    }
    row = next;
  }
  return row[after.length] ?? 0;
}
