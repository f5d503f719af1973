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
      return text
        .slice(from)
        .replace(/"sessionUpdate":"[^"]*",?/, '')
        .replace(/"sessionId":"[^"]*",?/, '')
        .slice(0, PEEK_CHARACTERS);
    }
  }
  return text.slice(0, PEEK_CHARACTERS);
}

/** Space as long as what it replaces, but for the update's own name: places after it stay what they are. */
function blank(match: string): string {
  return `${' '.repeat(match.length - '"update":'.length)}"update":`;
}
