/** What pictures, sound and files are kept under: no text for people, and long. */
const DATA = new Set(['data', 'blob']);

/** A value of plain data with every text in it changed; parts in which nothing changes are the same objects. Pure. */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  let isSame = true;
  const map = (one: unknown) => {
    const next = mapStrings(one, change);
    if (next !== one) isSame = false;
    return next;
  };
  const mapped = Array.isArray(value)
    ? value.map(map)
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, DATA.has(key) ? one : map(one)]));
  return isSame ? value : (mapped as T);
}
