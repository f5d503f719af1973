import type { Turn } from '@heliograph/transcript';
import { formatAge, formatDuration, parseTime } from '../../text/human.ts';
import { useNow } from '../parts/use-now.ts';

/** Silence longer than this is told. */
const QUIET_MS = 15_000;

/** The open turn: for how long, or since when it waits for its owner, and when the agent last wrote anything. */
export function Working(props: { readonly turn: Turn; readonly waitsSince: string | undefined }) {
  const { turn, waitsSince } = props;
  const isWaiting = waitsSince !== undefined;
  const now = useNow();
  const sinceMs = parseTime(waitsSince ?? turn.startedAt) ?? now;
  return (
    <span className="flex items-center gap-2 text-ink-2" data-testid="working">
      <span className={`sign ${isWaiting ? 'needs' : 'running'}`} aria-hidden="true" />
      <span className="tabular-nums">
        {turn.cancelling ? 'Told to stop; still running' : isWaiting ? 'Waits for your answer' : 'Working'}{' '}
        {formatDuration(Math.max(0, now - sinceMs))}
        <span className="text-ink-3">{isWaiting ? '' : noteOf(turn, now)}</span>
      </span>
    </span>
  );
}

function noteOf(turn: Turn, now: number): string {
  const silentMs = now - (lastByteAt(turn) ?? now);
  return silentMs > QUIET_MS
    ? ` · has written nothing for ${formatAge(silentMs)}`
    : ' · your next prompt will be queued';
}

/** When the agent last wrote anything: by the harness's word where it gave one, else by what is here. */
function lastByteAt(turn: Turn): number | undefined {
  const told = parseTime(turn.liveness?.at);
  const byHarness = told === undefined ? undefined : told - (turn.liveness?.lastAgentByteAgeMs ?? 0);
  const byItems = parseTime(turn.items.at(-1)?.updatedAt);
  if (byHarness === undefined || byItems === undefined) return byHarness ?? byItems;
  return Math.max(byHarness, byItems);
}
