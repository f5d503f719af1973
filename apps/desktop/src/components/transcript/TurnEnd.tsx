import { type Turn, turnMarkdownOf } from '@heliograph/transcript';
import { formatClock, formatCount, formatDuration, parseTime } from '../../text/human.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { CopyButton } from '../parts/CopyButton.tsx';
import { useDesktop } from '../use-desktop.ts';
import { useIsNear } from './near-context.ts';

const OUTCOMES: Readonly<Record<string, string>> = {
  completed: 'Ended its turn',
  cancelled: 'Cancelled',
  killed: 'Stopped by force',
  failed: 'Failed',
  refused: 'Refused to go on',
  unknown: 'Ended without saying how',
};

/** How a turn ended: in the agent's own word, when, and how long it took. */
export function TurnEnd({ turn, cwd }: { readonly turn: Turn; readonly cwd: string | undefined }) {
  const { nowMs } = useDesktop();
  const isBare = !useIsNear();
  const startMs = parseTime(turn.startedAt);
  const endMs = parseTime(turn.endedAt);
  const isFailure = turn.outcome === 'failed';
  const stopReason = turn.stopReason === 'end_turn' && turn.outcome === 'completed' ? undefined : turn.stopReason;
  const facts = [
    startMs !== undefined && endMs !== undefined && formatDuration(endMs - startMs),
    turn.endedAt !== undefined && formatClock(turn.endedAt, nowMs()),
    turn.usage?.totalTokens !== undefined && `used ${formatCount(turn.usage.totalTokens)} tokens`,
  ].filter(Boolean);
  return (
    <div
      className="flex items-center gap-2.5 text-s text-ink-3 after:h-px after:flex-1 after:bg-line"
      data-testid="turn-end"
      data-outcome={turn.outcome}
      data-stop-reason={turn.stopReason}
    >
      <span className={isFailure ? 'font-medium text-bad' : ''}>{OUTCOMES[turn.outcome ?? 'unknown']}</span>
      {stopReason !== undefined && stopReason !== turn.outcome && (
        <span className="font-mono text-xs">
          <VisibleText text={stopReason} max={80} />
        </span>
      )}
      <span className="tabular-nums">{facts.join(' · ')}</span>
      <div className="row-actions">
        <CopyButton text={() => turnMarkdownOf(turn, cwd)} label="Copy this turn" testId="copy-turn" isBare={isBare} />
      </div>
    </div>
  );
}
