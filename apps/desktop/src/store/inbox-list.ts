import type { InboxEntry } from './inbox.ts';

/** The inbox as it is drawn. */
export interface InboxList {
  /** In the places they were given; those that no longer wait stay until they are cleared. */
  readonly shown: readonly InboxEntry[];
  /** Keys of those that wait. */
  readonly waiting: ReadonlySet<string>;
  /** Wait as well, and are not drawn yet: nothing may come between a reader and what they are about to press. */
  readonly fresh: readonly InboxEntry[];
}

/** Drawn at once: of what waits, and of what has been dealt with. */
const MAX_SHOWN = 50;

/** What was drawn before, with everything as it is now. While anything waits in it nothing is put among it. Pure. */
export function nextInbox(shown: readonly InboxEntry[], now: readonly InboxEntry[]): InboxList {
  const current = new Map(now.map((entry) => [entry.key, entry]));
  const kept = shown.map((entry) => current.get(entry.key) ?? entry);
  const drawn = new Set(shown.map(({ key }) => key));
  const fresh = now.filter(({ key }) => !drawn.has(key));
  const isWaiting = kept.some(({ key }) => current.has(key));
  const list = { shown: kept, waiting: new Set(current.keys()), fresh };
  return isWaiting || fresh.length === 0 ? list : takeFresh(list);
}

/** Puts what came since first, the newest of it on top. Pure. */
export function takeFresh({ shown, waiting, fresh }: InboxList): InboxList {
  const done = shown.filter(({ key }) => !waiting.has(key)).slice(0, MAX_SHOWN);
  const open = [...fresh, ...shown.filter(({ key }) => waiting.has(key))];
  const taken = open.slice(0, MAX_SHOWN);
  const left = new Set(open.slice(MAX_SHOWN));
  const kept = new Set([...taken, ...done]);
  const inPlace = shown.filter((entry) => kept.has(entry));
  return {
    shown: [...fresh.filter((entry) => kept.has(entry)), ...inPlace],
    waiting,
    fresh: fresh.filter((entry) => left.has(entry)),
  };
}

/** Without what no longer waits. Pure. */
export function clearDone({ shown, waiting, fresh }: InboxList): InboxList {
  return { shown: shown.filter(({ key }) => waiting.has(key)), waiting, fresh };
}
