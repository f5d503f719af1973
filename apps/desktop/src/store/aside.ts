import type { FleetEntry, FleetGroup } from './fleet.ts';
import { markSeen, type SeenMarks } from './seen.ts';
import { type SessionRef, sessionKey } from './session-ref.ts';

/** The group of sessions that were put aside on this device. */
export const ASIDE = 'Put aside';

/** Under which key it is remembered that a session was put aside, and that it was taken back. */
const asideKey = (ref: SessionRef) => `!${sessionKey(ref)}`;
const backKey = (ref: SessionRef) => `+${sessionKey(ref)}`;

/** Whether nothing came in a session since it was put aside; `atMs` is when its newest came. Pure. */
export function isAside({ at }: SeenMarks, ref: SessionRef, atMs: number): boolean {
  const aside = at[asideKey(ref)] ?? 0;
  return aside >= atMs && aside > (at[backKey(ref)] ?? 0);
}

/** Puts a session aside until something comes in it. Marks only grow, so that what two pages know can be merged. Pure. */
export function putAside(marks: SeenMarks, ref: SessionRef, atMs: number): SeenMarks {
  const back = marks.at[backKey(ref)] ?? 0;
  return markSeen(marks, asideKey(ref), Math.max(atMs, back + 1, 1));
}

/** Takes it back. Pure. */
export function takeBack(marks: SeenMarks, ref: SessionRef): SeenMarks {
  return markSeen(marks, backKey(ref), marks.at[asideKey(ref)] ?? 0);
}

/** Whether a session can be put aside: one that waits or works is not to be lost from view. */
export function canBeAside({ status }: FleetEntry): boolean {
  return status !== 'needs' && status !== 'running';
}

/** The groups with what was put aside in one of its own, the last. Pure. */
export function withAside(groups: readonly FleetGroup[], marks: SeenMarks): readonly FleetGroup[] {
  const isOff = (entry: FleetEntry) => canBeAside(entry) && isAside(marks, entry.ref, entry.at ?? 0);
  const aside = groups.flatMap(({ entries }) => entries.filter(isOff));
  if (aside.length === 0) return groups;
  const left = groups.map(({ name, entries }) => ({ name, entries: entries.filter((entry) => !isOff(entry)) }));
  return [...left.filter(({ entries }) => entries.length > 0), { name: ASIDE, entries: aside }];
}
