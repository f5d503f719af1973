import type { MessageItem } from '@heliograph/transcript';
import { PartView } from '../content/PartView.tsx';
import { messageText } from './message-text.ts';
import { RowActions } from './RowActions.tsx';

/** What the agent says. */
export function AgentMessage({ item }: { readonly item: MessageItem }) {
  return (
    <div data-testid="agent-message" data-streaming={item.streaming}>
      <div className="stack gap-2.5">
        {item.parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts only ever grow at the end
          <PartView key={at} part={part} isStreaming={item.streaming && at === item.parts.length - 1} />
        ))}
      </div>
      <RowActions refs={item.refs} text={() => messageText(item)} />
    </div>
  );
}
