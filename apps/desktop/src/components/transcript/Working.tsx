import type { Turn } from '@heliograph/transcript';
import { formatAge, formatDuration, parseTime } from '../../text/human.ts';
import { useNow } from '../parts/use-now.ts';

/** Silence longer than this is told. */
const QUIET_MS = 15_000;

/** The open turn: for how long, and when the agent was last heard. */
export function Working(props: { readonly turn: Turn }) {
  const { turn } = props;
  const now = useNow();
  const startMs = parseTime(turn.startedAt) ?? now;
  const lastByteMs = lastByteAt(turn);
  const silentMs = lastByteMs === undefined ? 0 : now - lastByteMs;
  const isQuiet = silentMs > QUIET_MS;
  return (
    <p className="flex items-center gap-2.5 py-1 text-s text-ink-2" data-testid="working">
      <span className="sign running mx-1" />
      {turn.cancelling ? 'Told to stop; still running' : 'Working'}
      <span className="text-ink-3 tabular-nums">
        {formatDuration(now - startMs)}
        {isQuiet && ` · nothing heard for ${formatAge(silentMs)}`}
      </span>
    </p>
  );
}

/** When the agent last wrote anything: by the harness's word where it gave one, else by what is here. */
function lastByteAt(turn: Turn): number | undefined {
  const told = parseTime(turn.liveness?.at);
  const byHarness = told === undefined ? undefined : told - (turn.liveness?.lastAgentByteAgeMs ?? 0);
  const byItems = parseTime(turn.items.at(-1)?.updatedAt);
  if (byHarness === undefined || byItems === undefined) return byHarness ?? byItems;
  return Math.max(byHarness, byItems);
}
