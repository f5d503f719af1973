/** Edits tried for one stretch before it is cut at lines that stand once on both sides; cost grows with its square. */
const MAX_EDITS = 1_000;
/** Steps of all stretches together: beyond, what is left is told to be replaced. Some 100 ms. */
const MAX_STEPS = 20_000_000;

/** Lines as numbers: equal lines have equal ones. */
export type LineIds = Int32Array;

/** Two stretches of lines, `to` excluded, that are still to be matched. */
interface Stretch {
  readonly oldFrom: number;
  readonly oldTo: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** Which new line each old line became, −1 for none; `exact` is false where a stretch was too far apart to match in time. */
export interface LineMatch {
  readonly became: Int32Array;
  readonly exact: boolean;
}

/**
 * Matches two texts line by line. Stretches with few edits by Myers' greedy O(ND), which finds a shortest script; others are
 * cut at lines that stand once on each side (patience), and matched between those.
 */
export function matchLines(before: LineIds, after: LineIds): LineMatch {
  const became = new Int32Array(before.length).fill(-1);
  const left: Stretch[] = [{ oldFrom: 0, oldTo: before.length, newFrom: 0, newTo: after.length }];
  let [exact, steps] = [true, MAX_STEPS];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const middle = trimmed(before, after, next, became);
    if (middle.oldFrom === middle.oldTo || middle.newFrom === middle.newTo) continue;
    const limit = Math.min(MAX_EDITS, Math.floor(Math.sqrt(2 * steps)));
    const found = shortestEdit(before, after, middle, limit);
    steps -= found.steps;
    if (found.trace !== undefined) walkBack(middle, found.trace, became);
    else {
      const cuts = cutAtUnique(before, after, middle);
      if (cuts.length === 0 || steps <= 0) exact = false;
      else left.push(...cuts);
    }
  }
  return { became, exact };
}

/** Matches what both sides begin and end with; what is between is left. */
function trimmed(before: LineIds, after: LineIds, stretch: Stretch, became: Int32Array): Stretch {
  let { oldFrom, oldTo, newFrom, newTo } = stretch;
  while (oldFrom < oldTo && newFrom < newTo && before[oldFrom] === after[newFrom]) became[oldFrom++] = newFrom++;
  while (oldFrom < oldTo && newFrom < newTo && before[oldTo - 1] === after[newTo - 1]) became[--oldTo] = --newTo;
  return { oldFrom, oldTo, newFrom, newTo };
}

/**
 * How far every diagonal (k = x − y) reached before each number of edits, up to the one that reached the end; no trace beyond
 * `limit`. Entry d covers the diagonals −d−1…d+1, k standing at index k + d + 1.
 */
function shortestEdit(
  before: LineIds,
  after: LineIds,
  { oldFrom, oldTo, newFrom, newTo }: Stretch,
  limit: number,
): { readonly trace: readonly Int32Array[] | undefined; readonly steps: number } {
  const [oldCount, newCount] = [oldTo - oldFrom, newTo - newFrom];
  const most = Math.min(oldCount + newCount, limit);
  const middle = most + 1;
  const reach = new Int32Array(2 * most + 3);
  const trace: Int32Array[] = [];
  let steps = 0;
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      steps++;
      const isAdded = comesFromAdded(reach, middle + k, k, edits);
      let x = isAdded ? (reach[middle + k + 1] as number) : (reach[middle + k - 1] as number) + 1;
      while (x < oldCount && x - k < newCount && before[oldFrom + x] === after[newFrom + x - k]) x++;
      reach[middle + k] = x;
      if (x >= oldCount && x - k >= newCount) return { trace, steps };
    }
  }
  return { trace: undefined, steps };
}

/** Whether diagonal k is best entered by an added line (from k + 1) rather than a removed one (from k − 1). */
function comesFromAdded(reach: Int32Array, at: number, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && (reach[at - 1] as number) < (reach[at + 1] as number));
}

function walkBack(stretch: Stretch, trace: readonly Int32Array[], became: Int32Array): void {
  let [x, y] = [stretch.oldTo - stretch.oldFrom, stretch.newTo - stretch.newFrom];
  for (let step = trace.length - 1; step >= 0; step--) {
    const reach = trace[step] as Int32Array;
    const k = x - y;
    const at = k + step + 1;
    const isAdded = comesFromAdded(reach, at, k, step);
    const fromX = reach[isAdded ? at + 1 : at - 1] as number;
    const fromY = fromX - (isAdded ? k + 1 : k - 1);
    for (; x > fromX && y > fromY; x--, y--) became[stretch.oldFrom + x - 1] = stretch.newFrom + y - 1;
    if (step === 0) return;
    [x, y] = [fromX, fromY];
  }
}

/** The stretches between lines that stand once on each side, in an order both share; none when there is no such line. */
function cutAtUnique(before: LineIds, after: LineIds, stretch: Stretch): readonly Stretch[] {
  const anchors = longestRising(uniquePairs(before, after, stretch));
  if (anchors.length === 0) return [];
  const cuts: Stretch[] = [];
  let { oldFrom, newFrom } = stretch;
  for (const [oldAt, newAt] of anchors) {
    cuts.push({ oldFrom, oldTo: oldAt + 1, newFrom, newTo: newAt + 1 });
    [oldFrom, newFrom] = [oldAt + 1, newAt + 1];
  }
  cuts.push({ oldFrom, oldTo: stretch.oldTo, newFrom, newTo: stretch.newTo });
  return cuts;
}

type Pair = readonly [oldAt: number, newAt: number];

function uniquePairs(before: LineIds, after: LineIds, stretch: Stretch): readonly Pair[] {
  const inNew = onceIn(after, stretch.newFrom, stretch.newTo);
  const pairs: Pair[] = [];
  for (const [id, oldAt] of onceIn(before, stretch.oldFrom, stretch.oldTo)) {
    const newAt = inNew.get(id) ?? -1;
    if (oldAt >= 0 && newAt >= 0) pairs.push([oldAt, newAt]);
  }
  return pairs.sort(([a], [b]) => a - b);
}

/** Where each line stands that stands once; −1 for one that stands more often. */
function onceIn(lines: LineIds, from: number, to: number): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (let at = from; at < to; at++) {
    const id = lines[at] as number;
    places.set(id, places.has(id) ? -1 : at);
  }
  return places;
}

/** A longest run of pairs that rises on both sides (patience sorting). Cost: O(n log n). */
function longestRising(pairs: readonly Pair[]): readonly Pair[] {
  const tops: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  for (const [at, [, newAt]] of pairs.entries()) {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tops[middle] as number]?.[1] ?? 0) < newAt) low = middle + 1;
      else high = middle;
    }
    previous[at] = tops[low - 1] ?? -1;
    tops[low] = at;
  }
  const run: Pair[] = [];
  for (let at = tops.at(-1) ?? -1; at >= 0; at = previous[at] as number) run.push(pairs[at] as Pair);
  return run.reverse();
}
