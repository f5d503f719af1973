/** The version of this wire: what `harness_started`, snapshots and hellos carry as `wire`. A newer one may hold more than is understood here. */
export const WIRE_VERSION = 1;

/** What one end says of itself; an end that says nothing is of before versions were said. */
export interface Versions {
  readonly wire: number;
  /** Of the program, like 0.1.0. */
  readonly version?: string | undefined;
}

/** Which end is to be updated, and why; undefined where both fit, or where that can't be told. Wire goes before program. */
export function versionGap(
  ours: Versions,
  theirs: Versions,
): { readonly older: 'ours' | 'theirs'; readonly what: 'wire' | 'program' } | undefined {
  if (ours.wire !== theirs.wire) return { older: ours.wire < theirs.wire ? 'ours' : 'theirs', what: 'wire' };
  const [mine, other] = [numbers(ours.version), numbers(theirs.version)];
  if (mine === undefined || other === undefined) return undefined;
  const at = mine.findIndex((number, index) => number !== other[index]);
  if (at === -1) return undefined;
  return { older: (mine[at] as number) < (other[at] as number) ? 'ours' : 'theirs', what: 'program' };
}

/** Major, minor and patch; what follows them does not count. */
function numbers(version: string | undefined): readonly number[] | undefined {
  const read = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+].*)?$/.exec(version ?? '');
  return read === null ? undefined : read.slice(1).map(Number);
}
