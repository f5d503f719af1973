import { useMemo } from 'react';
import type { ControlEntry } from '../../store/control-entry.ts';
import { describeProgress, selectUnsentPrompts } from '../../store/control-entry.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { useDesktop, useDesktopState, useTranscript } from '../use-desktop.ts';
import { QueuedPromptRow } from './QueuedPromptRow.tsx';

/** Prompts that are not in the transcript yet: on their way, refused, or held by the harness until the turn ends. */
export function OutgoingPrompts({ session }: { readonly session: SessionRef }) {
  const desktop = useDesktop();
  const queue = useTranscript(session, (transcript) => transcript.session.queue);
  const controls = useDesktopState((state) => state.controls);
  const unsent = useMemo(() => selectUnsentPrompts(controls, session.agent, session.channelId), [controls, session]);
  if (unsent.length + queue.length === 0) return null;
  return (
    <ul className="stack gap-1 px-0.5 pb-2 text-s text-ink-2" aria-label="Prompts on their way">
      {queue.map((prompt, at) => (
        <QueuedPromptRow
          key={prompt.promptRequestId}
          agent={session.agent}
          channelId={session.channelId}
          prompt={prompt}
          label={at === 0 ? 'Next:' : 'Then:'}
        />
      ))}
      {unsent.map((entry) => (
        <li key={entry.id} className="flex items-center gap-2" data-testid="outgoing-prompt" data-phase={entry.phase}>
          <span className="min-w-0 truncate">
            “<VisibleText text={promptText(entry)} max={300} />”
          </span>
          <span className={`flex-none ${entry.phase === 'failed' ? 'text-bad' : 'text-ink-3'}`} role="status">
            {describeProgress(entry)}
          </span>
          {entry.phase === 'failed' && (
            <span className="flex flex-none gap-2">
              <button
                type="button"
                className="link"
                onClick={() => {
                  desktop.dropControl(entry.id);
                  desktop.control(entry.agent, entry.draft);
                }}
              >
                Send again
              </button>
              <button type="button" className="link" onClick={() => desktop.dropControl(entry.id)}>
                Discard
              </button>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function promptText(entry: ControlEntry): string {
  if (entry.draft.type !== 'prompt') return '';
  const [block] = entry.draft.content as readonly { readonly text?: unknown }[];
  return typeof block?.text === 'string' ? block.text : '';
}
