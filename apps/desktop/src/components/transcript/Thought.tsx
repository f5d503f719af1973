import type { MessageItem } from '@heliograph/transcript';
import { Sparkle } from 'lucide-react';
import { formatDuration, parseTime } from '../../text/human.ts';
import { PartView } from '../content/PartView.tsx';
import { Sentence } from './Sentence.tsx';

/** What the agent thought: one quiet line until somebody asks. */
export function Thought({ item }: { readonly item: MessageItem }) {
  const tookMs = (parseTime(item.updatedAt) ?? 0) - (parseTime(item.at) ?? 0);
  const words = item.streaming ? 'Thinking' : tookMs >= 1_000 ? `Thought for ${formatDuration(tookMs)}` : 'Thought';
  return (
    <Sentence
      icon={<Sparkle size={15} strokeWidth={1.5} />}
      testId="thought"
      refs={item.refs}
      startsOpen={false}
      body={() => (
        <div className="border-l-2 border-line pl-3.5 text-ink-2">
          {item.parts.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts only ever grow at the end
            <PartView key={at} part={part} isStreaming={item.streaming} />
          ))}
        </div>
      )}
    >
      <span className="text-ink-2">{words}</span>
    </Sentence>
  );
}
