/** A text read out of another: where each of its characters begins and ends there, in UTF-16 units. */
export interface ReadText {
  readonly text: string;
  readonly startOf: (at: number) => number;
  readonly endOf: (at: number) => number;
}

/** Codes that colour a terminal or name a link in it; none takes a quote in, so that none goes over the end of a JSON string. */
const [ESC, CSI, BEL] = ['\u001b', '\u009b', '\u0007'];
const TERMINAL_CODE = new RegExp(
  `(?:${ESC}\\[|${CSI})[0-9;:<=>?]{0,64}[@-~]|${ESC}\\][^${BEL}${ESC}"\\\\]{0,2000}(?:${BEL}|${ESC}\\\\)`,
  'g',
);
const JSON_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** JSON in a string of JSON in a string: deeper than that nobody writes. */
const MAX_DEPTH = 3;

/**
 * A text as it stands, and as people come to read it: without what colours it in a terminal, with what JSON escapes, three times
 * over. Pure; cost: about three passes where there is anything to read.
 */
export function* readings(text: string): Generator<ReadText> {
  let read: ReadText = { text, startOf: (at) => at, endOf: (at) => at + 1 };
  yield read;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    if (read.text.includes(ESC) || read.text.includes(CSI)) {
      read = rewrite(read, TERMINAL_CODE, () => '');
      yield read;
    }
    if (depth === MAX_DEPTH || !read.text.includes('\\')) return;
    const { text: before } = read;
    read = rewrite(read, JSON_ESCAPE, ([, code, character = '']) =>
      code === undefined ? (ESCAPED[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (read.text === before) return;
    yield read;
  }
}

/** `read` says what stands for a match: at most one character. */
function rewrite(from: ReadText, pattern: RegExp, read: (match: RegExpMatchArray) => string): ReadText {
  const starts = new Uint32Array(from.text.length);
  const ends = new Uint32Array(from.text.length);
  let text = '';
  let count = 0;
  let done = 0;
  const keepUntil = (to: number) => {
    text += from.text.slice(done, to);
    for (let at = done; at < to; at++, count++) {
      starts[count] = from.startOf(at);
      ends[count] = from.endOf(at);
    }
  };
  for (const match of from.text.matchAll(pattern)) {
    keepUntil(match.index);
    done = match.index + match[0].length;
    const character = read(match);
    text += character;
    if (character === '') continue;
    starts[count] = from.startOf(match.index);
    ends[count] = from.endOf(done - 1);
    count++;
  }
  keepUntil(from.text.length);
  return { text, startOf: (at) => starts[at] ?? 0, endOf: (at) => ends[at] ?? 0 };
}
