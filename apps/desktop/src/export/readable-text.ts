/** A text read out of another: where each of its characters begins and ends there, in UTF-16 units. */
export interface ReadText {
  readonly text: string;
  readonly startOf: (at: number) => number;
  readonly endOf: (at: number) => number;
}

/** Codes that colour a terminal, choose its letters or name a link in it; none takes a quote in, so that none goes over the end of a JSON string. */
const [ESC, CSI, BEL] = ['\u001b', '\u009b', '\u0007'];
const TERMINAL_CODE = new RegExp(
  `(?:${ESC}\\[|${CSI})[0-9;:<=>?]{0,64}[ !#-/]{0,4}[@-~]|${ESC}[ !#-/]{0,4}[0-Z^-~]|${ESC}\\][^${BEL}${ESC}"\\\\]{0,2000}(?:${BEL}|${ESC}\\\\)`,
  'g',
);
const JSON_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
/** JSON in a string of JSON in a string: deeper than that nobody writes. */
const MAX_DEPTH = 3;

interface Step {
  readonly isNeeded: (text: string) => boolean;
  readonly pattern: RegExp;
  /** What a match reads as: one character at most. */
  readonly read: (match: string, code: string | undefined, character: string | undefined) => string;
}

/** How a text comes to be read: without codes of terminals, then without escapes of JSON, and so on. */
const STEPS: readonly Step[] = [
  { isNeeded: (text) => text.includes(ESC) || text.includes(CSI), pattern: TERMINAL_CODE, read: () => '' },
  {
    isNeeded: (text) => text.includes('\\'),
    pattern: JSON_ESCAPE,
    read: (match, code, character = '') =>
      code === undefined
        ? (ESCAPED[character] ?? (character || match))
        : String.fromCharCode(Number.parseInt(code, 16)),
  },
];

/**
 * A text as it stands, and as people come to read it: without what colours it in a terminal, with what JSON escapes, three times
 * over. Pure; cost: a pass for each of them.
 */
export function readings(text: string): Generator<string> {
  return readAs(
    text,
    (read) => read,
    (read, { pattern, read: character }) => read.replace(pattern, character),
  );
}

/** The same with where every character came from: dear, so for texts in which something was found. */
export function placedReadings(text: string): Generator<ReadText> {
  const asItStands: ReadText = { text, startOf: (at) => at, endOf: (at) => at + 1 };
  return readAs(asItStands, (read) => read.text, rewrite);
}

function* readAs<T>(first: T, textOf: (read: T) => string, apply: (read: T, step: Step) => T): Generator<T> {
  yield first;
  let read = first;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const before = textOf(read);
    // The deepest is stripped of colours, and not read on.
    for (const step of depth === MAX_DEPTH ? STEPS.slice(0, 1) : STEPS) {
      if (!step.isNeeded(textOf(read))) continue;
      read = apply(read, step);
      yield read;
    }
    if (textOf(read) === before) return;
  }
}

function rewrite(from: ReadText, { pattern, read }: Step): ReadText {
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
    const character = read(match[0], match[1], match[2]);
    text += character;
    if (character === '') continue;
    starts[count] = from.startOf(match.index);
    ends[count] = from.endOf(done - 1);
    count++;
  }
  keepUntil(from.text.length);
  return { text, startOf: (at) => starts[at] ?? 0, endOf: (at) => ends[at] ?? 0 };
}
