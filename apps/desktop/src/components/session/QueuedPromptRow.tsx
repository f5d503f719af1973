import type { QueuedPrompt } from '@heliograph/transcript';
import { useState } from 'react';
import { describeProgress } from '../../store/control-entry.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** A prompt the harness holds until the turn ends: it can be changed and taken back while it waits. */
export function QueuedPromptRow(props: {
  readonly agent: string;
  readonly channelId: string | null;
  readonly prompt: QueuedPrompt;
  /** Where it stands in the queue. */
  readonly label: string;
}) {
  const { agent, channelId, prompt } = props;
  const { promptRequestId } = prompt;
  const desktop = useDesktop();
  const [text, setText] = useState<string | undefined>();
  const order = useDesktopState((state) =>
    state.controls.findLast(({ draft }) => 'promptRequestId' in draft && draft.promptRequestId === promptRequestId),
  );
  const isUnderway = order !== undefined && order.phase !== 'failed' && order.phase !== 'done';
  const replace = () => {
    if (text === undefined || channelId === null || text.trim() === '') return;
    desktop.control(agent, { type: 'replace_queued', channelId, promptRequestId, content: [{ type: 'text', text }] });
    setText(undefined);
  };
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1" data-testid="queued-prompt">
      <b className="flex-none">{props.label}</b>
      {text === undefined ? (
        <span className="min-w-0 flex-1 truncate">
          “<VisibleText text={prompt.text} max={300} />”
        </span>
      ) : (
        <textarea
          className="field min-w-48 flex-1 [field-sizing:content]"
          value={text}
          rows={1}
          aria-label="The prompt that waits"
          data-testid="queued-text"
          // biome-ignore lint/a11y/noAutofocus: it was asked for with a press
          autoFocus
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {order !== undefined && order.phase !== 'done' && (
        <span className={order.phase === 'failed' ? 'text-bad' : 'text-ink-3'} role="status">
          {describeProgress(order)}
        </span>
      )}
      {channelId !== null && !isUnderway && (
        <span className="flex flex-none gap-2">
          {text === undefined ? (
            <>
              <button type="button" className="link" data-testid="queued-edit" onClick={() => setText(prompt.text)}>
                Change
              </button>
              <button
                type="button"
                className="link"
                data-testid="queued-remove"
                onClick={() => desktop.control(agent, { type: 'unqueue', channelId, promptRequestId })}
              >
                Take back
              </button>
            </>
          ) : (
            <>
              <button
                type="button"
                className="link"
                data-testid="queued-save"
                disabled={text.trim() === ''}
                onClick={replace}
              >
                Save
              </button>
              <button type="button" className="link" onClick={() => setText(undefined)}>
                Leave it
              </button>
            </>
          )}
        </span>
      )}
    </li>
  );
}
