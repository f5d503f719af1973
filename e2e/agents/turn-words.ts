import type { Item, MessageItem, Turn } from '@heliograph/transcript';

/** Everything of one kind that was said in a turn, joined. */
export function spoken(turn: Turn | undefined, kind: MessageItem['kind']): string {
  const parts = itemsOf(turn, kind).flatMap((message) => message.parts);
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** A turn's items of one kind, in order. */
export function itemsOf<Kind extends Item['kind']>(turn: Turn | undefined, kind: Kind): (Item & { kind: Kind })[] {
  return (turn?.items ?? []).filter((item): item is Item & { kind: Kind } => item.kind === kind);
}
