/** Where a line begins with anything else it may be a list, a heading, a rule, code. */
const PLAIN_LINE = /^(?!\d+[.)])[\p{L}\p{N}"“„‘'(][\p{L}\p{M}\p{N} .,;:?!'"“”„‘’()…–—+/%=-]*$/u;
/** What Markdown makes a link of without any sign, and the two spaces that make it end a line. */
const NOT_PLAIN = /:\/\/|www\.| {2}\n/i;

/**
 * The paragraphs of a Markdown text that has nothing but words in it, without the space around them; undefined where any
 * sign in it could mean something. Such a text need not be parsed.
 */
export function plainParagraphs(text: string): readonly string[] | undefined {
  if (NOT_PLAIN.test(text)) return undefined;
  const paragraphs = text.split('\n').map(withoutEndSpaces).join('\n').trimEnd().split(/\n\n+/);
  const isPlain = paragraphs.every((paragraph) => paragraph.split('\n').every((line) => PLAIN_LINE.test(line)));
  return isPlain ? paragraphs : undefined;
}

/** Not by `/ +$/`, which takes the square of the spaces within a line: an agent could hold the page up for minutes. */
function withoutEndSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end--;
  return line.slice(0, end);
}
