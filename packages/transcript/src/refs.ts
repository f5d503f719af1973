import type { SeqRange } from './model.ts';

/** Ranges one turn or item keeps; over it the two oldest of one stream are joined, so a range may then cover foreign lines. */
const MAX_RANGES = 256;

/** `refs` with `first`…`last` of `stream` added at the end; the same array when they are in its last range already. */
export function addRef(refs: readonly SeqRange[], stream: string, first: number, last: number): readonly SeqRange[] {
  const newest = refs.at(-1);
  if (newest?.stream === stream && first >= newest.first && first <= newest.last + 1) {
    if (last <= newest.last) return refs;
    return [...refs.slice(0, -1), { stream, first: newest.first, last }];
  }
  const added = [...refs, { stream, first, last }];
  return added.length > MAX_RANGES ? joinOldest(added) : added;
}

function joinOldest(refs: readonly SeqRange[]): readonly SeqRange[] {
  const at = refs.findIndex((range, i) => range.stream === refs[i + 1]?.stream);
  const [left, right] = [refs[at], refs[at + 1]];
  if (left === undefined || right === undefined) return refs;
  const joined = {
    stream: left.stream,
    first: Math.min(left.first, right.first),
    last: Math.max(left.last, right.last),
  };
  return [...refs.slice(0, at), joined, ...refs.slice(at + 2)];
}
