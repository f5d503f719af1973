/** A stretch of terminal output in one look; `look` names CSS classes, '' is plain. */
export interface TerminalSpan {
  readonly text: string;
  readonly look: string;
}

export type TerminalLine = readonly TerminalSpan[];

interface Look {
  color: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

const ESC = '\\u001b';

// CSI, OSC/DCS/PM/APC up to their terminator, two-character escapes; the C1 forms of CSI, DCS and OSC too.
const ESCAPE = new RegExp(
  [
    `(?:${ESC}\\[|\\u009b)([0-9;:?<=>]*)[ -/]*([@-~])`,
    `(?:${ESC}[\\]P^_X]|[\\u0090\\u009d])[^\\u0007\\u001b\\u009c]*(?:\\u0007|${ESC}\\\\|\\u009c|$)`,
    `${ESC}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);

// What is left of the controls once escapes are gone: bells, backspaces, lone C1s. Tabs stay.
const CONTROLS = /(?!\t)\p{Cc}/gu;

/**
 * Terminal output as lines of spans: SGR colours kept, every other escape dropped, `\r` starts the line over (a progress
 * bar is its last state). Only text comes out: nothing in it can become markup, move a cursor or set a title.
 */
export function toTerminalLines(output: string): readonly TerminalLine[] {
  const look: Look = { color: '', bold: false, dim: false, italic: false, underline: false };
  return output.split(/\r*\n/).map((line) => toLine(line, look));
}

function toLine(line: string, look: Look): TerminalLine {
  const spans: TerminalSpan[] = [];
  const write = (text: string) => {
    for (const [index, written] of text.split('\r').entries()) {
      const part = written.replace(CONTROLS, '');
      // A carriage return at the very end has nothing to overwrite the line with.
      if (index > 0 && part !== '') spans.length = 0;
      if (part !== '') spans.push({ text: part, look: classesOf(look) });
    }
  };
  let from = 0;
  for (const match of line.matchAll(ESCAPE)) {
    write(line.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[2] === 'm') applySgr(look, match[1] ?? '');
  }
  write(line.slice(from));
  return spans;
}

function applySgr(look: Look, parameters: string): void {
  const codes = parameters.split(/[;:]/).map(Number);
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 0) Object.assign(look, { color: '', bold: false, dim: false, italic: false, underline: false });
    else if (code === 1) look.bold = true;
    else if (code === 2) look.dim = true;
    else if (code === 3) look.italic = true;
    else if (code === 4) look.underline = true;
    else if (code === 22) look.bold = look.dim = false;
    else if (code === 23) look.italic = false;
    else if (code === 24) look.underline = false;
    else if (code === 39) look.color = '';
    else if (code >= 30 && code <= 37) look.color = COLORS[code - 30] ?? '';
    else if (code >= 90 && code <= 97) look.color = COLORS[code - 90] ?? '';
    else if (code === 38 || code === 48) {
      // Of 256 colours the first sixteen have names here; finer shades would fight both themes.
      if (code === 38 && codes[i + 1] === 5) look.color = COLORS[(codes[i + 2] ?? 99) % 8] ?? '';
      if (code === 38 && (codes[i + 1] !== 5 || (codes[i + 2] ?? 99) > 15)) look.color = '';
      i += codes[i + 1] === 5 ? 2 : codes[i + 1] === 2 ? 4 : 0;
    }
  }
}

function classesOf(look: Look): string {
  const classes = [look.color && `sgr-${look.color}`];
  if (look.bold) classes.push('sgr-bold');
  if (look.dim) classes.push('sgr-dim');
  if (look.italic) classes.push('sgr-italic');
  if (look.underline) classes.push('sgr-underline');
  return classes.filter(Boolean).join(' ');
}
