import type { RawLine } from '@heliograph/transcript';
import { History, TextSearch } from 'lucide-react';
import { memo, useMemo } from 'react';
import { formatBytes, formatExactClock, plural } from '../../text/human.ts';
import { peekAt } from '../../text/line-peek.ts';
import { BoundedText } from '../content/BoundedText.tsx';
import { VisibleText } from '../content/VisibleText.tsx';
import { FoundHereContext } from '../find/found-context.ts';
import { CopyButton } from '../parts/CopyButton.tsx';

const ARROWS: Readonly<Record<RawLine['direction'], string>> = { read: '←', write: '→', note: '·' };
const DIRECTIONS: Readonly<Record<RawLine['direction'], string>> = {
  read: 'agent to client',
  write: 'client to agent',
  note: 'said by the harness',
};
const VIA: Readonly<Record<NonNullable<RawLine['via']>, string>> = {
  owner: 'by you',
  policy: 'by the policy',
  harness: 'by the harness',
};

/** One line: number, direction, what it is, and its beginning; opened, all of it as it was written. */
export const RawLineRow = memo(
  function RawLineRow(props: {
    readonly line: RawLine;
    /** What was looked for and found in this very line, else ''. */
    readonly needle: string;
    readonly mark: 'asked' | 'marked' | 'none';
    readonly isOpen: boolean;
    readonly onToggle: () => void;
    readonly onShowItem: () => void;
    readonly onShowThen: () => void;
  }) {
    const { line, isOpen, needle } = props;
    const found = useMemo(() => (needle === '' ? undefined : { needle, itemId: '' }), [needle]);
    return (
      <div
        className={`raw-line ${props.mark}`}
        data-testid="raw-line"
        data-seq={line.seq}
        data-direction={line.direction}
      >
        <button type="button" className="raw-line-head" aria-expanded={isOpen} onClick={props.onToggle}>
          <i>{line.seq}</i>
          <i role="img" aria-label={DIRECTIONS[line.direction]}>
            {ARROWS[line.direction]}
          </i>
          <code>
            <b>
              <VisibleText text={line.label} max={80} />
            </b>
            {line.via !== undefined && <span className="text-ink-3"> {VIA[line.via]}</span>}{' '}
            <VisibleText text={peekAt(line)} />
          </code>
        </button>
        {isOpen && (
          <div className="mx-3.5 mb-2 frame" data-testid="raw-line-open">
            <div className="bar">
              <span>
                {formatExactClock(line.timestamp)} · {DIRECTIONS[line.direction]}
                {line.via !== undefined && ` · ${VIA[line.via]}`} · {formatBytes(new Blob([line.text]).size)}
                {notesOn(line)}
              </span>
              <button
                type="button"
                className="tab"
                aria-label="Show what became of it"
                title="Show what became of it"
                onClick={props.onShowItem}
              >
                <TextSearch size={14} strokeWidth={1.5} />
              </button>
              <button
                type="button"
                className="tab"
                aria-label="Show the session as it was at this line"
                title="Show the session as it was at this line"
                data-testid="show-then"
                onClick={props.onShowThen}
              >
                <History size={14} strokeWidth={1.5} />
              </button>
              <CopyButton text={() => line.text} label="Copy this line" testId="copy-line" />
            </div>
            <FoundHereContext value={found}>
              <BoundedText text={line.text} max={20_000} label={`Line ${line.seq}`} />
            </FoundHereContext>
          </div>
        )}
      </div>
    );
  },
  // The callbacks always mean the line of this row.
  (a, b) => a.line === b.line && a.needle === b.needle && a.mark === b.mark && a.isOpen === b.isOpen,
);

function notesOn(line: RawLine): string {
  const notes = [
    line.bytes !== undefined && 'not UTF-8',
    line.unterminated === true && 'without a line end',
    line.forwarded === false && 'not passed on',
    line.replayed === true && 'history the agent repeated',
    line.redacted !== undefined && `${plural(line.redacted.length, 'value')} redacted`,
    line.lastSeq !== line.seq && `in ${line.lastSeq - line.seq + 1} parts`,
  ].filter(Boolean);
  return notes.length === 0 ? '' : ` · ${notes.join(' · ')}`;
}
