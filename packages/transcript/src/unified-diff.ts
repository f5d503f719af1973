import { type DiffTexts, diffRow } from './diff-rows.ts';
import { DIFF_ROW, type LineDiff, lineOf } from './line-diff.ts';

const SIGNS: readonly string[] = [' ', '-', '+'];
const NO_END = '\\ No newline at end of file';

/** A diff as text that `patch` and `git apply` read: hunks, and the path above them where one is given. Empty where nothing differs. */
export function unifiedDiff(diff: LineDiff, texts: DiffTexts, path?: string): string {
  const out: string[] = [];
  const { kinds } = diff;
  for (let from = 0; from < kinds.length; ) {
    if (kinds[from] === DIFF_ROW.skipped) {
      from++;
      continue;
    }
    let to = from;
    while (to < kinds.length && kinds[to] !== DIFF_ROW.skipped) to++;
    if (isChanged(diff, texts, from, to)) {
      out.push(hunkHead(diff, from, kinds.subarray(from, to)));
      for (let at = from; at < to; at++) pushLine(out, diff, texts, at);
    }
    from = to;
  }
  if (kinds.at(-1) === DIFF_ROW.skipped || kinds.length === 0) pushHiddenEnd(out, diff, texts);
  if (out.length === 0) return '';
  if (path !== undefined) out.unshift(`--- ${quoted('a', path)}`, `+++ ${quoted('b', path)}`);
  return `${out.join('\n')}\n`;
}

function isChanged(diff: LineDiff, texts: DiffTexts, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (diff.kinds[at] !== DIFF_ROW.same || isEndChanged(diff, texts, at)) return true;
  return false;
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
  const { text } = diffRow(diff, texts, at);
  const [oldLine = 0, newLine = 0] = [diff.oldLines[at], diff.newLines[at]];
  if (isEndChanged(diff, texts, at)) {
    pushEnds(out, diff, texts, oldLine, newLine);
    return;
  }
  out.push(`${SIGNS[kind] ?? ' '}${text}`);
  const isEnded =
    kind === DIFF_ROW.removed
      ? hasEnd(texts.oldText, diff.oldStarts, oldLine)
      : hasEnd(texts.newText, diff.newStarts, newLine);
  if (!isEnded) out.push(NO_END);
}

/** A line that is the same but for its end. */
function isEndChanged(diff: LineDiff, texts: DiffTexts, at: number): boolean {
  if (diff.kinds[at] !== DIFF_ROW.same) return false;
  const [oldLine = 0, newLine = 0] = [diff.oldLines[at], diff.newLines[at]];
  return hasEnd(texts.oldText, diff.oldStarts, oldLine) !== hasEnd(texts.newText, diff.newStarts, newLine);
}

function pushEnds(out: string[], diff: LineDiff, { oldText, newText }: DiffTexts, oldLine: number, newLine: number) {
  out.push(`-${lineOf(oldText, diff.oldStarts, oldLine)}`);
  if (!hasEnd(oldText, diff.oldStarts, oldLine)) out.push(NO_END);
  out.push(`+${lineOf(newText, diff.newStarts, newLine)}`);
  if (!hasEnd(newText, diff.newStarts, newLine)) out.push(NO_END);
}

/** The last lines are hidden, and only one of them ends. */
function pushHiddenEnd(out: string[], diff: LineDiff, texts: DiffTexts): void {
  const [oldLine, newLine] = [diff.oldStarts.length - 2, diff.newStarts.length - 2];
  if (oldLine < 0 || newLine < 0) return;
  if (hasEnd(texts.oldText, diff.oldStarts, oldLine) === hasEnd(texts.newText, diff.newStarts, newLine)) return;
  out.push(`@@ -${oldLine + 1},1 +${newLine + 1},1 @@`);
  pushEnds(out, diff, texts, oldLine, newLine);
}

function hasEnd(text: string, starts: Uint32Array, line: number): boolean {
  return text.charCodeAt((starts[line + 1] ?? 0) - 1) === 10;
}

/** The path below `side`; one that could be taken for more than a path as git quotes it. */
function quoted(side: 'a' | 'b', path: string): string {
  const name = `${side}/${path.replace(/^\/+/, '')}`;
  if (!/[\p{Cc}"\\]/u.test(name)) return name;
  const escaped = name.replace(/[\p{Cc}"\\]/gu, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    return [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  });
  return `"${escaped}"`;
}
