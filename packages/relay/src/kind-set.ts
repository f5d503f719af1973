/** Event kinds as inclusive ranges, ascending and apart. */
export type KindSet = readonly (readonly [first: number, last: number])[];

const MAX_KIND = 65_535;

/** Reads `1`, `0,1,30000-39999` or `*` (every kind); undefined for anything else. */
export function parseKindSet(text: string): KindSet | undefined {
  const ranges: [number, number][] = [];
  for (const part of text.split(',')) {
    if (part.trim() === '*') {
      ranges.push([0, MAX_KIND]);
      continue;
    }
    const [, from, to = from] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part) ?? [];
    const first = Number(from);
    const last = Number(to);
    if (from === undefined || first > last || last > MAX_KIND) return undefined;
    ranges.push([first, last]);
  }
  return joinKindSets(ranges);
}

/** Every kind in any of the ranges, ascending; ranges that overlap or touch become one. */
function joinKindSets(ranges: KindSet): KindSet {
  const joined: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const previous = joined.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

/** Whether the kind is in one of the ranges. */
export function hasKind(kinds: KindSet, kind: number): boolean {
  return kinds.some(([first, last]) => kind >= first && kind <= last);
}

/** The text `parseKindSet` reads. */
export function encodeKindSet(kinds: KindSet): string {
  return kinds.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
