import type { Command, Turn } from '@heliograph/transcript';
import { CornerDownLeft, Paperclip } from 'lucide-react';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useId,
  useRef,
  useState,
} from 'react';
import { formatBytes } from '../../text/human.ts';
import { type Accepts, MAX_PROMPT_BYTES, promptBytes, toPromptBlocks } from '../../text/prompt-blocks.ts';
import { type Suggestion, suggest } from '../../text/suggestions.ts';
import { useDesktop } from '../use-desktop.ts';
import { AttachmentList } from './AttachmentList.tsx';
import { Suggestions } from './Suggestions.tsx';
import { useAttachments } from './use-attachments.ts';
import { Working } from './Working.tsx';

/** `steer`: into the open turn where the agent takes that, else like `queue`. */
type When = 'queue' | 'steer' | 'interrupt';

/** What the agent can be told and given, as it says. */
export interface Promptable {
  readonly cwd: string | undefined;
  readonly accepts: Accepts;
  readonly commands: readonly Command[];
  readonly paths: () => readonly string[];
}

const NOTHING_KNOWN: Promptable = { cwd: undefined, accepts: undefined, commands: [], paths: () => [] };
const FIELD_ID = 'composer-text';
/** Below this much room it is told how much is left. */
const NEARLY_FULL_BYTES = 4_096;

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
  /** When the agent asked what it waits for an answer to. */
  readonly waitsSince: string | undefined;
  readonly promptable?: Promptable;
  /** Something else needs the room: on a phone it is one row. */
  readonly isSlim?: boolean;
  /** A prompt was sent: whoever read elsewhere wants to see it. */
  readonly onSent?: () => void;
  /** What else can be done now, beside sending. */
  readonly children: ReactNode;
}) {
  const { channelId, blocked, promptable = NOTHING_KNOWN } = props;
  const desktop = useDesktop();
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const listId = useId();
  const [text, setText] = useState(() => desktop.readDraft(props.draftKey));
  const [when, setWhen] = useState<When>('queue');
  const [caret, setCaret] = useState<number | undefined>();
  const [active, setActive] = useState(0);
  const attachments = useAttachments(promptable.accepts);
  const suggestions = caret === undefined ? [] : suggest(text, caret, promptable.commands, promptable.paths());
  const at = Math.min(active, suggestions.length - 1);
  const blocks = toPromptBlocks(text, attachments.list, promptable.cwd, promptable.accepts);
  const roomBytes = MAX_PROMPT_BYTES - promptBytes(blocks);
  const canSend = blocked === undefined && channelId !== null && blocks.length > 0 && roomBytes >= 0;

  const change = (next: string) => {
    setText(next);
    desktop.keepDraft(props.draftKey, next);
  };
  const send = () => {
    if (!canSend) return;
    const mode = props.running === undefined || when === 'queue' ? {} : { mode: when };
    desktop.control(props.agent, { type: 'prompt', channelId, content: blocks, ...mode });
    // What ends a turn is said once, not by habit.
    setWhen('queue');
    change('');
    attachments.clear();
    area.current?.focus();
    props.onSent?.();
  };
  const pick = ({ from, to, insert }: Suggestion) => {
    change(text.slice(0, from) + insert + text.slice(to));
    setCaret(undefined);
    setActive(0);
    requestAnimationFrame(() => area.current?.setSelectionRange(from + insert.length, from + insert.length));
  };
  /** Whether the key was for the completions. */
  const choose = (key: string): boolean => {
    const suggestion = suggestions[at];
    if (suggestion === undefined) return false;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const step = key === 'ArrowDown' ? 1 : suggestions.length - 1;
      setActive((at + step) % suggestions.length);
    } else if (key === 'Enter' || key === 'Tab') pick(suggestion);
    else if (key === 'Escape') setCaret(undefined);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // An Enter that ends the choice of a character (IME) is not one that sends.
    if (event.nativeEvent.isComposing || event.shiftKey) return;
    if (choose(event.key) || event.key === 'Enter') event.preventDefault();
    else return;
    if (event.key === 'Enter' && suggestions.length === 0) send();
  };
  const onPaste = (event: ClipboardEvent) => take(event, [...event.clipboardData.files]);
  const onDrop = (event: DragEvent) => take(event, [...event.dataTransfer.files]);
  const take = (event: { preventDefault(): void }, files: readonly File[]) => {
    if (files.length === 0) return;
    event.preventDefault();
    attachments.add(files);
  };
  return (
    <form
      className={`composer ${props.isSlim === true ? 'slim' : ''}`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    >
      {suggestions.length > 0 && <Suggestions id={listId} suggestions={suggestions} active={at} onPick={pick} />}
      <AttachmentList attachments={attachments.list} onRemove={attachments.remove} />
      <textarea
        ref={area}
        id={FIELD_ID}
        rows={2}
        value={text}
        placeholder={props.running ? 'Say what to do after this' : 'Say what to do next'}
        aria-label={`Prompt for ${props.agentName}`}
        aria-describedby="composer-state"
        aria-autocomplete="list"
        aria-controls={suggestions.length > 0 ? listId : undefined}
        aria-activedescendant={suggestions.length > 0 ? `${listId}-${at}` : undefined}
        enterKeyHint="send"
        data-testid="composer"
        onChange={(event) => {
          change(event.target.value);
          setCaret(event.target.selectionStart);
          setActive(0);
        }}
        onBlur={() => setCaret(undefined)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {attachments.problem !== undefined && (
        <p className="pb-1 text-s text-bad wrap-anywhere" role="alert" data-testid="attachment-problem">
          {attachments.problem}
        </p>
      )}
      <div className="composer-row">
        <span id="composer-state" data-testid="composer-state">
          {blocked ?? (roomBytes < NEARLY_FULL_BYTES ? <Room bytes={roomBytes} /> : <Hint {...props} />)}
        </span>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          data-testid="attach-input"
          onChange={(event) => {
            attachments.add([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <button
          type="button"
          className="tab"
          aria-label="Add files"
          title="Add files: pictures, sound, text"
          data-testid="attach"
          onClick={() => picker.current?.click()}
        >
          <Paperclip size={14} strokeWidth={1.6} />
        </button>
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

/** Puts the caret where the next prompt is written. */
export function focusComposer(): void {
  document.getElementById(FIELD_ID)?.focus();
}

function Room({ bytes }: { readonly bytes: number }) {
  if (bytes >= 0) return <>{formatBytes(bytes)} more fit into one prompt</>;
  return <span className="text-bad">{formatBytes(-bytes)} too much for one prompt: shorten it</span>;
}

function Hint(props: { readonly running: Turn | undefined; readonly waitsSince: string | undefined }) {
  if (props.running !== undefined) return <Working turn={props.running} waitsSince={props.waitsSince} />;
  return <span className="pointer-coarse:hidden">Enter sends, Shift+Enter starts a new line</span>;
}
