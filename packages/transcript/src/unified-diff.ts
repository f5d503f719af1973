import { type DiffTexts, diffRow } from './diff-rows.ts';
import { DIFF_ROW, type LineDiff } from './line-diff.ts';

const SIGNS: readonly string[] = [' ', '-', '+'];

/** A diff as text that `patch` and `git apply` read: hunks, and the path above them where one is given. */
export function unifiedDiff(diff: LineDiff, texts: DiffTexts, path?: string): string {
  const out: string[] = [];
  if (path !== undefined) out.push(`--- a/${path.replace(/^\//, '')}`, `+++ b/${path.replace(/^\//, '')}`);
  for (let from = 0; from < diff.kinds.length; ) {
    if (diff.kinds[from] === DIFF_ROW.skipped) {
      from++;
      continue;
    }
    let to = from;
    while (to < diff.kinds.length && diff.kinds[to] !== DIFF_ROW.skipped) to++;
    const kinds = diff.kinds.subarray(from, to);
    if (kinds.some((kind) => kind !== DIFF_ROW.same)) {
      out.push(hunkHead(diff, from, kinds));
      for (let at = from; at < to; at++) pushLine(out, diff, texts, at);
    }
    from = to;
  }
  return out.join('\n');
}

function hunkHead(diff: LineDiff, from: number, kinds: Uint8Array): string {
  let [removed, added, same] = [0, 0, 0];
  for (const kind of kinds) {
    if (kind === DIFF_ROW.removed) removed++;
    else if (kind === DIFF_ROW.added) added++;
    else same++;
  }
  const side = (first: number | undefined, count: number) => `${(first ?? 0) + (count === 0 ? 0 : 1)},${count}`;
  return `@@ -${side(diff.oldLines[from], same + removed)} +${side(diff.newLines[from], same + added)} @@`;
}

function pushLine(out: string[], diff: LineDiff, texts: DiffTexts, at: number): void {
  const kind = diff.kinds[at] ?? 0;
  out.push(`${SIGNS[kind] ?? ' '}${diffRow(diff, texts, at).text}`);
  const isOld = kind === DIFF_ROW.removed;
  const [text, starts, line] = isOld
    ? [texts.oldText, diff.oldStarts, diff.oldLines[at]]
    : [texts.newText, diff.newStarts, diff.newLines[at]];
  const isLast = (line ?? 0) + 1 === starts.length - 1;
  if (isLast && !text.endsWith('\n')) out.push('\\ No newline at end of file');
}
