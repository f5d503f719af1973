import { History } from 'lucide-react';
import { formatExactClock, formatNumber } from '../../text/human.ts';
import type { Past } from './use-replay.ts';

/** Says unmistakably that what is shown is not now, and is the one step back to it. */
export function PastBand(props: {
  readonly past: Past;
  /** Something is being done now, or waits for an answer. */
  readonly now: 'running' | 'waiting' | 'quiet';
  readonly onLive: () => void;
}) {
  const { past, now } = props;
  return (
    <div className="past-band" role="status" data-testid="past-band">
      <History size={16} strokeWidth={1.7} aria-hidden="true" />
      <span className="min-w-0 flex-1">
        <b>This is the past</b>
        <span className="tabular-nums">
          {past.line === undefined
            ? ': before the first line.'
            : `: ${formatExactClock(past.line.timestamp)}, line ${formatNumber(past.line.seq)}.`}
        </span>
        <span className="max-md:hidden">
          {now === 'waiting' && ' The agent waits for you now.'}
          {now === 'running' && ' The agent is working now.'}
        </span>
      </span>
      <button type="button" className="btn" data-testid="back-to-live" onClick={props.onLive}>
        Back to now
      </button>
    </div>
  );
}
