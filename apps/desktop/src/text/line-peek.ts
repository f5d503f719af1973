import type { RawLine } from '@heliograph/transcript';

/** How much of a line its closed row can hold. */
const PEEK_CHARACTERS = 240;
/** How far into a line its beginning is looked for. */
const LOOKED_AT = 4_096;

/**
 * The telling part of a line for a row of the rail: a stretch of its exact text without the members that every line has.
 * The whole line stands behind it when the row is opened.
 */
export function peekAt(line: RawLine): string {
  const text = line.text.slice(0, LOOKED_AT);
  if (line.direction !== 'note') {
    if (line.label.endsWith('_chunk')) {
      const said = /"text":("(?:[^"\\]|\\.)*"?)/.exec(text)?.[1];
      if (said !== undefined) return said.slice(0, PEEK_CHARACTERS);
    }
    const start = /"(?:update|params|result|error)":/.exec(
      text.replace(/"params":\{"sessionId":"[^"]*","update":/, blank),
    );
    if (start !== null) {
      const from = start.index + start[0].length;
      return valueAt(text, from)
        .replace(/"sessionUpdate":"[^"]*",?/, '')
        .replace(/"sessionId":"[^"]*",?/, '')
        .slice(0, PEEK_CHARACTERS);
    }
  }
  return text.slice(0, PEEK_CHARACTERS);
}

/** The JSON value that begins at `from`, without the brackets that close what stands around it; the rest when it has no end. */
function valueAt(text: string, from: number): string {
  let depth = 0;
  for (const token of text.slice(from).matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{},]/g)) {
    const isOpening = token[0] === '{' || token[0] === '[';
    const isClosing = token[0] === '}' || token[0] === ']';
    if (isOpening) depth++;
    if (isClosing && depth > 0) depth--;
    else if (depth === 0 && (isClosing || token[0] === ',')) return text.slice(from, from + token.index);
    if (isClosing && depth === 0) return text.slice(from, from + token.index + 1);
  }
  return text.slice(from);
}

/** Space as long as what it replaces, but for the update's own name: places after it stay what they are. */
function blank(match: string): string {
  return `${' '.repeat(match.length - '"update":'.length)}"update":`;
}
