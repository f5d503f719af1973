import { type FormEvent, useEffect, useRef, useState } from 'react';
import {
  ARCHIVE_QUESTIONS,
  type ArchiveFound,
  type ArchiveHit,
  type ArchiveQuery,
  type ArchiveQuestion,
} from '../../archive-ask.ts';
import { daysAsTimes } from '../../text/days-as-times.ts';
import { formatClock, formatNumber } from '../../text/human.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

const QUESTION_WORDS: Readonly<Record<ArchiveQuestion, string>> = {
  'no-decision': 'Done without a recorded decision',
  'outside-cwd': 'Written outside the session’s folder',
  'denied-then-done': 'Done although it was denied',
  network: 'Commands that reach other machines',
  secrets: 'Secrets seen and replaced',
};

type Outcome =
  | { readonly state: 'idle' }
  | { readonly state: 'asking' }
  /** `isByWords`: what fits the words best stands first, else the newest. */
  | { readonly state: 'found'; readonly found: ArchiveFound; readonly isByWords: boolean }
  | { readonly state: 'failed'; readonly message: string };

/** Looks through everything this machine has kept, and opens a session at what was found. */
export function ArchiveSearch(props: { readonly onClose: () => void; readonly onOpened: () => void }) {
  const desktop = useDesktop();
  const isHost = useDesktopState(({ session }) => session.phase === 'ready' && session.keptBy === 'host');
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [question, setQuestion] = useState<ArchiveQuestion | ''>('');
  const [fromDay, setFromDay] = useState('');
  const [toDay, setToDay] = useState('');
  const [isFailedOnly, setFailedOnly] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>({ state: 'idle' });
  const [opening, setOpening] = useState<ArchiveHit>();
  const waiting = useRef<AbortController>(undefined);
  useEffect(() => {
    input.current?.focus();
    return () => waiting.current?.abort();
  }, []);
  const query: ArchiveQuery = {
    ...(text.trim() === '' ? {} : { text }),
    ...(question === '' ? {} : { question }),
    ...(isFailedOnly ? { errors: true } : {}),
    ...daysAsTimes(fromDay, toDay),
  };
  /** Whatever was asked before is waited for no more: the host stops looking. */
  const askAnew = (): AbortSignal => {
    waiting.current?.abort();
    waiting.current = new AbortController();
    return waiting.current.signal;
  };
  /** Another question is being put together: the answer to the one before is none. */
  const change = () => {
    if (outcome.state !== 'asking') return;
    waiting.current?.abort();
    setOutcome({ state: 'idle' });
  };
  const search = async (event: FormEvent) => {
    event.preventDefault();
    setOpening(undefined);
    setOutcome({ state: 'asking' });
    const result = await desktop.askArchive({ ask: 'search', query }, askAnew());
    setOutcome(
      result.ok
        ? { state: 'found', found: result.value, isByWords: query.text !== undefined }
        : { state: 'failed', message: result.error.message },
    );
  };
  const open = async (hit: ArchiveHit) => {
    if (hit.place === undefined) return;
    setOpening(hit);
    const read = await desktop.readArchived(hit.agent, hit.place.session, askAnew());
    setOpening(undefined);
    if (!read.ok) return setOutcome({ state: 'failed', message: read.error.message });
    desktop.reveal({ ref: { agent: hit.agent, channelId: hit.place.channelId }, itemId: hit.itemId });
    props.onOpened();
    props.onClose();
  };
  return (
    <Dialog title="Search the archive" testId="archive-search" className="wide" onClose={props.onClose}>
      <div className="stack gap-3 px-5 pt-2 pb-5">
        {isHost ? (
          <form className="stack gap-2" onChange={change} onSubmit={(event) => void search(event)}>
            <div className="flex gap-2">
              <input
                ref={input}
                className="field min-w-0 flex-1"
                type="text"
                inputMode="search"
                enterKeyHint="search"
                aria-label="Words to look for"
                placeholder="Words; “in quotes” together"
                autoComplete="off"
                spellCheck={false}
                maxLength={1_000}
                value={text}
                data-testid="archive-text"
                onChange={(event) => setText(event.target.value)}
              />
              <button type="submit" className="btn go" data-testid="archive-ask">
                Search
              </button>
            </div>
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-s text-ink-2">
              <label className="flex min-w-0 items-center gap-2">
                Only
                <select
                  className="picker"
                  value={question}
                  data-testid="archive-question"
                  onChange={(event) => setQuestion(event.target.value as ArchiveQuestion | '')}
                >
                  <option value="">everything</option>
                  {ARCHIVE_QUESTIONS.map((name) => (
                    <option key={name} value={name}>
                      {QUESTION_WORDS[name]}
                    </option>
                  ))}
                </select>
              </label>
              <label className="check">
                <input
                  type="checkbox"
                  checked={isFailedOnly}
                  onChange={(event) => setFailedOnly(event.target.checked)}
                />
                that failed
              </label>
              <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
                <DayField label="from" value={fromDay} max={toDay} onChange={setFromDay} />
                <DayField label="until" value={toDay} min={fromDay} onChange={setToDay} />
              </span>
            </div>
          </form>
        ) : (
          <p className="text-ink-2">
            The archive lies on the machine where <code className="font-mono">heliograph desktop</code> runs, and is
            searched there. This page shows what the agents’ machines still hold.
          </p>
        )}
        <Told outcome={outcome} opening={opening} onOpen={(hit) => void open(hit)} />
      </div>
    </Dialog>
  );
}

function DayField(props: {
  readonly label: string;
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  readonly onChange: (day: string) => void;
}) {
  const { label, value, min, max, onChange } = props;
  return (
    <label className="flex items-center gap-2">
      {label}
      <input
        className="picker"
        type="date"
        value={value}
        min={min || undefined}
        max={max || undefined}
        data-testid={`archive-${label}`}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

function Told(props: {
  readonly outcome: Outcome;
  readonly opening: ArchiveHit | undefined;
  readonly onOpen: (hit: ArchiveHit) => void;
}) {
  const { outcome, opening } = props;
  const nowMs = useDesktop().nowMs();
  const agents = useDesktopState(({ session }) => (session.phase === 'ready' ? session.agents : undefined));
  const nameOf = (hit: ArchiveHit) =>
    agents?.find(({ publicKey }) => publicKey === hit.agent)?.name || hit.agentName || hit.agent.slice(0, 8);
  if (outcome.state === 'idle') return null;
  if (outcome.state === 'failed') {
    return (
      <p className="text-bad" role="alert">
        {outcome.message}
      </p>
    );
  }
  if (outcome.state === 'asking') return <p className="text-ink-2">Looking through what is kept</p>;
  const { hits, isMore } = outcome.found;
  return (
    <>
      <p className="text-s text-ink-2" role="status" data-testid="archive-count">
        {opening !== undefined
          ? 'Reading that session from the archive'
          : hits.length === 0
            ? 'Nothing is kept that fits.'
            : foundWords(hits.length, isMore, outcome.isByWords)}
      </p>
      <ul className="-mx-2.5 stack max-h-[55vh] overflow-y-auto" data-testid="archive-hits">
        {hits.map((hit) => (
          <li key={`${hit.agent} ${hit.stream} ${hit.itemId}`}>
            <button
              type="button"
              className="hit-row"
              disabled={opening !== undefined || hit.place === undefined}
              data-testid="archive-hit"
              onClick={() => props.onOpen(hit)}
            >
              <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
                <span className="min-w-0 font-medium break-words">
                  <VisibleText text={hit.title === '' ? kindWords(hit) : hit.title} max={160} />
                </span>
                <span className="text-s text-ink-3">
                  <VisibleText text={aboutWords(hit, nameOf(hit), nowMs)} max={160} />
                </span>
              </span>
              {hit.excerpt !== '' && (
                <span className="block min-w-0 text-s break-words text-ink-2">
                  <VisibleText text={hit.excerpt.replace(/\s+/g, ' ')} max={240} />
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function foundWords(count: number, isMore: boolean, isByWords: boolean): string {
  const many = isMore ? `The first ${formatNumber(count)} of more` : `${formatNumber(count)} found`;
  if (count === 1) return many;
  return `${many}, ${isByWords ? 'what fits best first' : 'the newest first'}`;
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  user: 'A prompt',
  agent: 'The agent said',
  thought: 'The agent thought',
  tool: 'A tool call',
  permission: 'A permission request',
  elicitation: 'A question',
  notice: 'A notice',
  error: 'An error',
};

function kindWords({ kind }: ArchiveHit): string {
  return KIND_WORDS[kind] ?? kind;
}

/** When, whose, and what came of it. */
function aboutWords({ at, toolKind, status, decision }: ArchiveHit, who: string, nowMs: number): string {
  return [formatClock(at, nowMs), who, toolKind, status?.replace('_', ' '), decision?.replace('_', ' ')]
    .filter((word) => word !== undefined)
    .join(' · ');
}
