import type { HiddenSecret } from './hidden-secrets.ts';

/** A longer text is looked through in stretches of this length: one of 10 MB at once would hold its thread up for seconds. */
const STRETCH = 65_536;
/** What stands before a stretch is read with it: a word, a code of a terminal or an escape may begin there … */
const BEFORE = 4_096;
/** … and what stands behind it, where a secret that begins in it goes on; further where one goes over the end of that. */
const BEHIND = 16_384;

/**
 * What `find` finds in a text, each by where it begins, in order. Yields after each stretch, so that whoever runs it can do
 * something else. Cost: that of one look at all of it and a third more.
 */
export function* inStretches(
  text: string,
  find: (text: string) => readonly HiddenSecret[],
): Generator<undefined, readonly HiddenSecret[]> {
  if (text.length <= STRETCH) return find(text);
  const found: HiddenSecret[] = [];
  for (let start = 0; start < text.length; ) {
    const from = beforeEscape(text, Math.max(0, start - BEFORE));
    const next = start + STRETCH;
    let furthest = next;
    for (let behind = BEHIND; ; behind *= 4) {
      const end = Math.min(text.length, next + behind);
      const here = find(text.slice(from, end))
        .map((one) => ({ ...one, start: from + one.start, end: from + one.end }))
        .filter((one) => start <= one.start && one.start < next);
      yield undefined;
      for (const one of here) furthest = Math.max(furthest, one.end);
      if (furthest >= end && end < text.length) continue;
      for (const one of here) found.push(one);
      break;
    }
    // What begins in one that was found is none of its own.
    start = furthest;
  }
  return found;
}

/** The place before the backslashes that end here: half of an escape reads as another one. */
function beforeEscape(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < BEFORE && text[start - 1] === '\\') start--;
  return start;
}
