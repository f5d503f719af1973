import { KIND_NOSTR_CONNECT, KIND_OBSERVER, KIND_USAGE, type NostrEvent } from '@heliograph/wire';
import { hasKind, type KindSet } from './kind-set.ts';

const KIND_DIRECT_MESSAGE = 4;
/** Gift wraps (NIP-59). */
export const KIND_GIFT_WRAP = 1059;

/** Kinds that only their author and those they name in a `p` tag may read, by whatever filter (NIP-04, NIP-17, NIP-AO, NIP-AM, NIP-46). */
export const PRIVATE_KINDS: ReadonlySet<number> = new Set([
  KIND_DIRECT_MESSAGE,
  KIND_GIFT_WRAP,
  KIND_OBSERVER,
  KIND_USAGE,
  KIND_NOSTR_CONNECT,
]);

/** Who reads: an admitted key (hex) that sees every kind, or a guest that sees the kinds opened to all. */
export interface Reader {
  readonly pubkey: string | undefined;
  /** Only these kinds; undefined: all. */
  readonly kinds: KindSet | undefined;
}

/** Whether this reader may see this event at all, whatever filter asks for it. */
export function isVisible(event: NostrEvent, { pubkey, kinds }: Reader): boolean {
  if (kinds !== undefined && !hasKind(kinds, event.kind)) return false;
  if (!PRIVATE_KINDS.has(event.kind)) return true;
  if (pubkey === undefined) return false;
  return event.pubkey === pubkey || event.tags.some((tag) => tag[0] === 'p' && tag[1] === pubkey);
}
