/** A string in JSON text that is no key: where it stands in the text, without its quotes. */
export interface JsonString {
  /** RFC 6901; '' for one that is nested too deep to be named. */
  readonly pointer: string;
  readonly start: number;
  readonly end: number;
}

const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[{}[\],:]/g;
/** What is nested deeper is not named: names of every level for every string would be the square of a hostile line. */
const MAX_NAMED_DEPTH = 32;

/** The strings of a JSON text that are no keys, in their order; of what is no JSON whatever looks like one. Pure, no recursion. */
export function* jsonStrings(json: string): Generator<JsonString> {
  const stack: { readonly path: string; key: string | number; isValue: boolean }[] = [];
  const pointer = () => {
    const top = stack.at(-1);
    if (top === undefined || stack.length > MAX_NAMED_DEPTH) return '';
    return `${top.path}/${typeof top.key === 'number' ? top.key : escapeKey(top.key)}`;
  };
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    const top = stack.at(-1);
    if (token === '{') stack.push({ path: pointer(), key: '', isValue: false });
    else if (token === '[') stack.push({ path: pointer(), key: 0, isValue: true });
    else if (token === '}' || token === ']') stack.pop();
    else if (token === ':') {
      if (top !== undefined) top.isValue = true;
    } else if (token === ',') {
      if (typeof top?.key === 'number') top.key++;
      else if (top !== undefined) top.isValue = false;
    } else if (top !== undefined && !top.isValue) top.key = token.slice(1, -1);
    else yield { pointer: pointer(), start: index + 1, end: index + token.length - 1 };
  }
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
