/** Longer messages are cut, so that one paragraph more doesn't parse all before it again. */
const PIECE_CHARACTERS = 30_000;

/**
 * A long message as pieces of about 30,000 characters that mean the same on their own: cut only at blank lines outside
 * code fences. A stretch without one stays whole.
 */
export function splitMarkdown(text: string): readonly string[] {
  if (text.length <= PIECE_CHARACTERS) return [text];
  const pieces: string[] = [];
  let from = 0;
  let fence: string | undefined;
  let at = 0;
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    const end = at + line.length + 1;
    if (fence === undefined && line.trim() === '' && end - from >= PIECE_CHARACTERS) {
      pieces.push(text.slice(from, end));
      from = end;
    }
    at = end;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}
