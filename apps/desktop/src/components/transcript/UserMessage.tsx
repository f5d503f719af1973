import type { MessageItem } from '@heliograph/transcript';
import { formatClock } from '../../text/human.ts';
import { BoundedText } from '../content/BoundedText.tsx';
import { PartView } from '../content/PartView.tsx';
import { useDesktop } from '../use-desktop.ts';
import { messageText } from './message-text.ts';
import { RowActions } from './RowActions.tsx';

const WHO: Readonly<Record<string, string>> = {
  owner: 'You',
  client: 'The editor',
  channel: 'A channel',
  heartbeat: 'A schedule',
};

/** A prompt. It is the owner's own text (or the editor's): shown as typed, not as Markdown. */
export function UserMessage(props: { readonly item: MessageItem; readonly source: string }) {
  const { item, source } = props;
  const { nowMs } = useDesktop();
  return (
    <div className="rounded-lg bg-sunken px-3.5 py-2.5" data-testid="user-message">
      <p className="mb-0.5 text-xs font-medium text-ink-3">
        {WHO[source] ?? 'A prompt'} · {formatClock(item.at, nowMs())}
      </p>
      <div className="stack gap-2">
        {item.parts.map((part, at) =>
          part.type === 'text' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts only ever grow at the end
            <div key={at} className="text-l font-medium">
              <BoundedText text={part.text} max={4_000} label="Prompt" look="prose" />
            </div>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts only ever grow at the end
            <PartView key={at} part={part} />
          ),
        )}
      </div>
      <RowActions refs={item.refs} text={() => messageText(item)} />
    </div>
  );
}
