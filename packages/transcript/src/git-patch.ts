import type { ToolContent } from './model.ts';

/** One file of an ACP v2 diff. */
export interface FileChange {
  readonly path: string;
  readonly operation: string;
}

/**
 * The changed stretches of a git patch as the diffs ACP v1 would have sent: lines of context stand in both texts, what
 * lies between hunks is left out. `undefined` when the patch and the list of changed files do not fit together.
 */
export function readPatch(patch: string, changes: readonly FileChange[]): readonly ToolContent[] | undefined {
  const files = splitFiles(patch);
  if (files.length !== changes.length || files.length === 0) return undefined;
  const diffs: ToolContent[] = [];
  for (const [i, { path, operation }] of changes.entries()) {
    const hunks = readHunks(files[i] ?? []);
    if (hunks === undefined || path === '' || !['add', 'modify', 'delete'].includes(operation)) return undefined;
    diffs.push({ type: 'diff', path, oldText: operation === 'add' ? null : hunks.oldText, newText: hunks.newText });
  }
  return diffs;
}

function splitFiles(patch: string): readonly (readonly string[])[] {
  const files: string[][] = [];
  // Not only at line starts of the text: a hunk's own lines begin with a blank, + or −.
  for (const line of patch.split('\n')) {
    if (line.startsWith('diff --git ')) files.push([]);
    else files.at(-1)?.push(line);
  }
  return files;
}

/** Reads by the line counts of the hunk heads: what stands outside them is no part of a text. */
function readHunks(lines: readonly string[]): { readonly oldText: string; readonly newText: string } | undefined {
  let oldText = '';
  let newText = '';
  let [oldLeft, newLeft] = [0, 0];
  for (const line of lines) {
    const head = oldLeft + newLeft === 0 ? /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) : null;
    if (head !== null) {
      [oldLeft, newLeft] = [Number(head[1] ?? 1), Number(head[2] ?? 1)];
    } else if (line.startsWith('\\')) {
      // "No newline at end of file" is about the line before.
      oldText = oldLeft === 0 ? oldText.replace(/\n$/, '') : oldText;
      newText = newLeft === 0 ? newText.replace(/\n$/, '') : newText;
    } else if (oldLeft + newLeft > 0) {
      const rest = `${line.slice(1)}\n`;
      const sign = line[0] ?? ' ';
      if (sign !== '+' && sign !== '-' && sign !== ' ') return undefined;
      if (sign !== '+') [oldText, oldLeft] = [oldText + rest, oldLeft - 1];
      if (sign !== '-') [newText, newLeft] = [newText + rest, newLeft - 1];
      if (oldLeft < 0 || newLeft < 0) return undefined;
    }
  }
  return oldLeft + newLeft === 0 ? { oldText, newText } : undefined;
}
