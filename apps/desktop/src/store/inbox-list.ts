import type { InboxEntry } from './inbox.ts';

/** The inbox as it is drawn. */
export interface InboxList {
  /** In the places they were given; those that no longer wait stay until they are cleared. */
  readonly shown: readonly InboxEntry[];
  /** Keys of those that wait. */
  readonly waiting: ReadonlySet<string>;
  /** Keys of those that came below the others and were not gone to. */
  readonly fresh: readonly string[];
  /** How many wait that are not drawn. */
  readonly more: number;
}

/** Drawn at once: of what waits, and of what has been dealt with. */
const MAX_SHOWN = 50;

export const EMPTY_INBOX: InboxList = { shown: [], waiting: new Set(), fresh: [], more: 0 };

/**
 * What was drawn before, with everything as it is now. While anything waits in it what comes stands below, so that nothing
 * comes between a reader and what they are about to press; else it stands on top. Pure.
 */
export function nextInbox({ shown, fresh }: InboxList, now: readonly InboxEntry[]): InboxList {
  const current = new Map(now.map((entry) => [entry.key, entry]));
  const drawn = new Set(shown.map(({ key }) => key));
  const kept = shown.map((entry) => current.get(entry.key) ?? entry);
  const open = kept.filter(({ key }) => current.has(key));
  const done = new Set(kept.filter(({ key }) => !current.has(key)).slice(-MAX_SHOWN));
  const inPlace = kept.filter((entry) => current.has(entry.key) || done.has(entry));
  const others = now.filter(({ key }) => !drawn.has(key));
  const came = others.slice(0, MAX_SHOWN - open.length);
  return {
    shown: open.length === 0 ? [...came, ...inPlace] : [...inPlace, ...came],
    waiting: new Set(current.keys()),
    fresh: open.length === 0 ? [] : [...fresh.filter((key) => current.has(key)), ...came.map(({ key }) => key)],
    more: others.length - came.length,
  };
}

/** With nothing that was not gone to. Pure. */
export function goneTo(list: InboxList): InboxList {
  return { ...list, fresh: [] };
}

/** Without what no longer waits. Pure. */
export function clearDone(list: InboxList): InboxList {
  return { ...list, shown: list.shown.filter(({ key }) => list.waiting.has(key)) };
}
