import { KIND_OBSERVER, KIND_USAGE, type NostrEvent } from '@heliograph/wire';

/** Kinds that only their author and those they name in a `p` tag may read, by whatever filter (NIP-AO, NIP-AM). */
export const PRIVATE_KINDS: ReadonlySet<number> = new Set([KIND_OBSERVER, KIND_USAGE]);

/** Whether an admitted `reader` (hex public key) may see this event at all, whatever filter asks for it. */
export function isVisible(event: NostrEvent, reader: string): boolean {
  if (!PRIVATE_KINDS.has(event.kind)) return true;
  return event.pubkey === reader || event.tags.some((tag) => tag[0] === 'p' && tag[1] === reader);
}
