import type { Needle } from '@heliograph/transcript';

/** Places marked at once, and text looked at for them: what is drawn beyond is found, and not marked. */
const MAX_RANGES = 2_000;
const MAX_CHARACTERS = 1_000_000;

interface Piece {
  readonly node: Text;
  readonly start: number;
}

/** Where the needle stands in what is drawn, row by row; `here`: in the row that was jumped to. */
export function findRanges(root: HTMLElement, needle: Needle): { readonly all: Range[]; readonly here: Range[] } {
  const [all, here]: [Range[], Range[]] = [[], []];
  let characters = 0;
  for (const row of root.querySelectorAll<HTMLElement>('[data-index]')) {
    // Rows inside a row (a long diff) are looked at with it.
    if (row.parentElement?.closest('[data-index]') != null) continue;
    const isHere = row.dataset.found !== undefined;
    const { text, pieces } = textOf(row);
    characters += text.length;
    for (const { start, end } of needle.places(text, MAX_RANGES - all.length)) {
      const range = toRange(pieces, start, end);
      if (range === undefined) continue;
      all.push(range);
      if (isHere) here.push(range);
    }
    if (all.length >= MAX_RANGES || characters > MAX_CHARACTERS) break;
  }
  return { all, here };
}

/** All text of a row as one: a word may be drawn in pieces, each in its own colour. */
function textOf(row: HTMLElement): { readonly text: string; readonly pieces: readonly Piece[] } {
  const pieces: Piece[] = [];
  let text = '';
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    pieces.push({ node: node as Text, start: text.length });
    text += (node as Text).data;
  }
  return { text, pieces };
}

function toRange(pieces: readonly Piece[], start: number, end: number): Range | undefined {
  const first = pieces.findLast((piece) => piece.start <= start);
  const last = pieces.findLast((piece) => piece.start < end);
  if (first === undefined || last === undefined) return undefined;
  const range = document.createRange();
  range.setStart(first.node, start - first.start);
  range.setEnd(last.node, end - last.start);
  return range;
}
