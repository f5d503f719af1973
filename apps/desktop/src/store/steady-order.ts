import type { FleetEntry, FleetGroup } from './fleet.ts';
import { sessionKey } from './session-ref.ts';

/** The list as it is drawn while somebody reads it. */
export interface SteadyList {
  readonly groups: readonly FleetGroup[];
  /** Sessions that would stand elsewhere, came or went. */
  readonly moved: number;
}

/**
 * The groups as they are now, in the places they had: nothing moves, each entry tells what it does now. What came since is
 * not there yet; what went leaves its place. Pure.
 */
export function keepPlaces(before: readonly FleetGroup[], now: readonly FleetGroup[]): SteadyList {
  const current = new Map<string, { readonly entry: FleetEntry; readonly place: string }>();
  for (const { name, entries } of now)
    for (const [at, entry] of entries.entries()) current.set(sessionKey(entry.ref), { entry, place: `${name} ${at}` });
  let moved = 0;
  const groups = before.flatMap(({ name, entries }) => {
    const kept = entries.flatMap((old, at) => {
      const found = current.get(sessionKey(old.ref));
      current.delete(sessionKey(old.ref));
      if (found?.place !== `${name} ${at}`) moved++;
      return found === undefined ? [] : [found.entry];
    });
    return kept.length === 0 ? [] : [{ name, entries: kept }];
  });
  return { groups, moved: moved + current.size };
}
