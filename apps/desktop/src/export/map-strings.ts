/** What pictures, sound and files are kept under: no text for people, and long. */
const DATA = new Set(['data', 'blob']);

/**
 * A value of plain data with every text in it changed; parts in which nothing changes are the same objects. `path` says which
 * text it is, as `/parts/0/text`. Pure.
 */
export function mapStrings<T>(value: T, change: (text: string, path: string) => string, path = ''): T {
  if (typeof value === 'string') return change(value, path) as T;
  if (typeof value !== 'object' || value === null) return value;
  let isSame = true;
  const map = (one: unknown, key: string | number) => {
    const next = mapStrings(one, change, `${path}/${key}`);
    if (next !== one) isSame = false;
    return next;
  };
  const mapped = Array.isArray(value)
    ? value.map(map)
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, DATA.has(key) ? one : map(one, key)]));
  return isSame ? value : (mapped as T);
}
