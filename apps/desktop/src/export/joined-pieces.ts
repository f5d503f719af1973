import { type HiddenSecret, hiddenSecrets, outermost } from './hidden-secrets.ts';
import { inStretches } from './in-stretches.ts';

/** A part of a text that was told in pieces: in the text `source`, from `start` on. */
export interface Piece<Source> {
  readonly source: Source;
  readonly text: string;
  readonly start: number;
  /** Where it stands in another form (base64), and no character of it by itself: then it goes as a whole, up to here. */
  readonly wholeTo?: number;
}

/** A secret, or what of it stands in one piece; the first of them is where its mark goes. */
export interface PieceSecret extends HiddenSecret {
  readonly isFirst: boolean;
  /** It goes with all that its piece holds, other secrets too. */
  readonly isWhole?: boolean;
}

/** Looked through at once, and again from this far before its end: a secret longer than that is found in part. */
const WINDOW = 131_072;
const OVERLAP = 16_384;

/**
 * The secrets that go from one of these pieces into the next, as places in the sources. Yields after each stretch, so that whoever
 * runs it can do something else.
 */
export function* acrossPieces<Source>(
  pieces: readonly Piece<Source>[],
): Generator<undefined, readonly (readonly [Source, PieceSecret])[]> {
  const found = new Map<string, readonly (readonly [Source, PieceSecret])[]>();
  for (let first = 0; first < pieces.length; ) {
    let length = 0;
    let last = first;
    while (last < pieces.length && (length === 0 || length < WINDOW)) length += pieces[last++]?.text.length ?? 0;
    const window = pieces.slice(first, last);
    const secrets = outermost(yield* inStretches(window.map(({ text }) => text).join(''), hiddenSecrets));
    for (const [place, parts] of inWindow(window, first, secrets)) found.set(place, parts);
    yield undefined;
    if (last === pieces.length) break;
    // Goes back, but on by a piece at least.
    let back = last;
    for (let kept = 0; back > first + 1 && kept < OVERLAP; ) kept += pieces[--back]?.text.length ?? 0;
    first = back;
  }
  return [...found.values()].flat();
}

function* inWindow<Source>(
  window: readonly Piece<Source>[],
  first: number,
  secrets: readonly HiddenSecret[],
): Generator<readonly [string, readonly (readonly [Source, PieceSecret])[]]> {
  const begins: number[] = [];
  let length = 0;
  for (const { text } of window) {
    begins.push(length);
    length += text.length;
  }
  for (const { kind, secret, start, end } of secrets) {
    const parts: (readonly [Source, PieceSecret])[] = [];
    let hasWhole = false;
    for (const [at, { source, text, start: offset, wholeTo }] of window.entries()) {
      const begin = begins[at] ?? 0;
      if (begin >= end) break;
      if (begin + text.length <= start) continue;
      const from = wholeTo === undefined ? offset + Math.max(0, start - begin) : offset;
      const to = wholeTo ?? offset + Math.min(text.length, end - begin);
      hasWhole ||= wholeTo !== undefined;
      const isFirst = parts.length === 0;
      parts.push([source, { kind, secret, start: from, end: to, isFirst, isWhole: wholeTo !== undefined }]);
    }
    const at = first + begins.findLastIndex((begin) => begin <= start);
    // One that stands in one piece was found there, if it could be read there.
    if (parts.length > 1 || hasWhole) yield [`${at} ${start - (begins[at - first] ?? 0)} ${secret}`, parts];
  }
}
