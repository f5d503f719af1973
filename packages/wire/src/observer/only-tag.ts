import type { NostrEvent } from '../nostr/event.ts';

/** The value of the only tag of that name; undefined where there is none, or more than one. */
export function onlyTag(event: NostrEvent, name: string): string | undefined {
  const tags = event.tags.filter((tag) => tag[0] === name);
  return tags.length === 1 ? tags[0]?.[1] : undefined;
}
