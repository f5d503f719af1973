import type { Turn } from '@heliograph/transcript';
import { CornerDownLeft } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { useDesktop } from '../use-desktop.ts';
import { Working } from './Working.tsx';

/** `steer`: into the open turn where the agent takes that, else like `queue`. */
type When = 'queue' | 'steer' | 'interrupt';

/** Where the owner says what to do next. Typing is always possible; sending only when it would arrive. */
export function Composer(props: {
  readonly agent: string;
  readonly agentName: string;
  readonly channelId: string | null;
  readonly draftKey: string;
  /** Why nothing can be sent now; undefined when it can. */
  readonly blocked: string | undefined;
  /** The turn that is being answered: a prompt waits for its end. */
  readonly running: Turn | undefined;
  /** The agent waits for the owner's answer. */
  readonly isWaiting: boolean;
  /** What else can be done now, beside sending. */
  readonly children: ReactNode;
}) {
  const desktop = useDesktop();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() => desktop.readDraft(props.draftKey));
  const [when, setWhen] = useState<When>('queue');
  const { channelId, blocked } = props;
  const canSend = blocked === undefined && channelId !== null && text.trim() !== '';

  const change = (next: string) => {
    setText(next);
    desktop.keepDraft(props.draftKey, next);
  };
  const send = () => {
    if (!canSend) return;
    const block = { type: 'text', text };
    const mode = props.running === undefined || when === 'queue' ? {} : { mode: when };
    desktop.control(props.agent, { type: 'prompt', channelId, content: [block], ...mode });
    // What ends a turn is said once, not by habit.
    setWhen('queue');
    change('');
    area.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // An Enter that ends the choice of a character (IME) is not one that sends.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="rounded-[10px] border border-line-strong bg-surface px-3 pt-2.5 pb-2 focus-within:border-ink-3"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={area}
        className="block max-h-[40vh] min-h-[2.75rem] w-full resize-none bg-transparent text-l outline-none [field-sizing:content]"
        rows={2}
        value={text}
        placeholder={props.running ? 'Say what to do after this' : 'Say what to do next'}
        aria-label={`Prompt for ${props.agentName}`}
        aria-describedby="composer-state"
        enterKeyHint="send"
        data-testid="composer"
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1 text-s text-ink-3">
        <span id="composer-state" className="min-w-32 flex-1 max-md:basis-full" data-testid="composer-state">
          {blocked ??
            (props.running === undefined ? (
              <span className="pointer-coarse:hidden">Enter sends, Shift+Enter starts a new line</span>
            ) : (
              <Working turn={props.running} isWaiting={props.isWaiting} />
            ))}
        </span>
        {props.children}
        {props.running !== undefined && (
          <select
            className="picker"
            value={when}
            aria-label="When the agent gets it"
            data-testid="when"
            onChange={(event) => setWhen(event.target.value as When)}
          >
            <option value="queue">after this turn</option>
            <option value="steer">now, into this turn</option>
            <option value="interrupt">instead of this turn</option>
          </select>
        )}
        <button type="submit" className="btn" disabled={!canSend} data-testid="send">
          Send
          <CornerDownLeft size={13} strokeWidth={1.6} className="text-ink-3 max-md:hidden" aria-hidden="true" />
        </button>
      </div>
    </form>
  );
}
