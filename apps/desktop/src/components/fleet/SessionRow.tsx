import { Archive, ArchiveRestore } from 'lucide-react';
import { ageOf, type FleetEntry } from '../../store/fleet.ts';
import { MAX_NEWS } from '../../store/seen.ts';
import { formatAge } from '../../text/human.ts';
import { VisibleText } from '../content/VisibleText.tsx';

const SPOKEN: Readonly<Record<FleetEntry['status'], string>> = {
  needs: 'waits for you',
  running: 'running',
  failed: 'failed',
  quiet: 'quiet',
  off: 'offline',
};

/** One session: how it stands, what it is called, what its agent does, and how much of that was not looked at here. */
export function SessionRow(props: {
  readonly entry: FleetEntry;
  readonly now: number;
  /** What came since it was looked at. */
  readonly news: number;
  readonly isSelected: boolean;
  readonly isAside: boolean;
  readonly onSelect: () => void;
  /** Puts it aside, or takes it back; undefined where it can't be. */
  readonly onAside: (() => void) | undefined;
}) {
  const { entry, news } = props;
  return (
    <li className="fleet-item">
      <button
        type="button"
        className="fleet-row"
        aria-current={props.isSelected ? 'true' : undefined}
        data-testid="session-row"
        data-status={entry.status}
        data-agent={entry.ref.agent}
        data-channel={entry.ref.channelId ?? ''}
        data-news={news}
        onClick={props.onSelect}
      >
        <span className="grid w-4 place-items-center">
          <span className={`sign ${entry.status}`} />
          <span className="sr-only">{SPOKEN[entry.status]}</span>
        </span>
        <span className={`truncate ${news > 0 || entry.status === 'needs' ? 'font-semibold' : 'font-medium'}`}>
          <VisibleText text={entry.title} max={160} />
        </span>
        <span className="fleet-age text-s text-ink-3 tabular-nums">{ageOf(entry, props.now)}</span>
        <span className={`col-start-2 truncate text-s text-ink-2 ${news > 0 ? '' : 'col-end-4'}`}>
          <VisibleText text={entry.who} max={64} />
          <span className={entry.joins ? '' : 'text-ink-3'}>{entry.joins ? ' ' : ' · '}</span>
          <VisibleText text={entry.words} max={200} />
          {entry.heardMs !== undefined && ` · last heard ${formatAge(props.now - entry.heardMs)} ago`}
          {entry.code !== undefined && (
            <span className="font-mono text-raw">
              {' '}
              <VisibleText text={entry.code} max={120} />
            </span>
          )}
        </span>
        {news > 0 && (
          <span className="news" title="Came since you last looked at it">
            {news >= MAX_NEWS ? `${MAX_NEWS - 1}+` : news}
            <span className="sr-only"> not looked at</span>
          </span>
        )}
      </button>
      {props.onAside !== undefined && (
        <button
          type="button"
          className="tab aside-button"
          aria-label={props.isAside ? 'Take it back' : 'Put it aside on this device'}
          title={props.isAside ? 'Take it back' : 'Put it aside on this device, until something comes in it'}
          data-testid="aside"
          onClick={props.onAside}
        >
          {props.isAside ? <ArchiveRestore size={14} strokeWidth={1.6} /> : <Archive size={14} strokeWidth={1.6} />}
        </button>
      )}
    </li>
  );
}
