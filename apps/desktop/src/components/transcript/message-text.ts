import type { MessageItem } from '@heliograph/transcript';

/** The text of a message, as it would be pasted; other parts by their address. */
export function messageText(item: MessageItem): string {
  return item.parts
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'link' || part.type === 'resource') return part.uri;
      return `[${part.type}]`;
    })
    .join('\n');
}
