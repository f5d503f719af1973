/** Longer texts are shown as they are: laying them out would freeze the page before anyone read them. */
const MAX_LAYOUT_CHARACTERS = 200_000;
const MAX_INDENT = 24;

/**
 * JSON text with line breaks and indentation between its tokens, every token as it was written: no parsing, so numbers,
 * duplicate keys and escapes stay exact. Text that is no JSON comes out whole as well.
 */
export function layOutJson(json: string): string {
  if (json.length > MAX_LAYOUT_CHARACTERS) return json;
  let out = '';
  let depth = 0;
  const breakLine = () => `\n${'  '.repeat(Math.min(depth, MAX_INDENT))}`;
  for (const [token] of json.matchAll(TOKEN)) {
    if (/^\s/.test(token)) continue;
    if (token === '{' || token === '[') {
      depth++;
      out += token + breakLine();
    } else if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      out = /[{[]\s*$/.test(out.slice(-2 - 2 * MAX_INDENT)) ? out.trimEnd() + token : out + breakLine() + token;
    } else if (token === ',') out += token + breakLine();
    else out += token === ':' ? ': ' : token;
  }
  return out;
}

const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|\s+|[^\s"{}[\],:]+/gs;
