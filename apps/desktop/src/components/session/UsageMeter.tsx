import type { Usage } from '@heliograph/transcript';
import type { UsageSum } from '../../store/usage-book.ts';
import { formatCost, formatCount, formatNumber, plural } from '../../text/human.ts';

/** How full the context is, what the turns used and what it cost, as far as the agent tells. */
export function UsageMeter(props: { readonly usage: Usage | undefined; readonly turns: UsageSum | undefined }) {
  const { used, size } = props.usage ?? {};
  const { turns } = props;
  const { inputTokens = null, outputTokens = null, costUsd = null } = turns?.figures ?? {};
  const cost = props.usage?.cost ?? (costUsd === null ? undefined : { amount: costUsd, currency: 'USD' });
  const share = used !== undefined && size !== undefined && size > 0 ? Math.min(1, used / size) : undefined;
  return (
    <>
      {used !== undefined && (
        <span
          className="inline-flex items-center gap-1.5 whitespace-nowrap tabular-nums"
          title={`${formatNumber(used)} tokens of context used${size === undefined ? '' : ` of ${formatNumber(size)}`}`}
          data-testid="usage"
        >
          {share !== undefined && (
            <span className="h-1 w-8 overflow-hidden rounded-full bg-line max-md:hidden" aria-hidden="true">
              <span
                className={`block h-full ${share > 0.9 ? 'bg-bad' : 'bg-ink-2'}`}
                style={{ width: `${Math.max(2, share * 100)}%` }}
              />
            </span>
          )}
          {formatCount(used)}
          {size !== undefined && ` of ${formatCount(size)}`} tokens
          <span className={size === undefined ? '' : 'sr-only'}> in context</span>
        </span>
      )}
      {turns !== undefined && inputTokens !== null && outputTokens !== null && (
        <span
          className="whitespace-nowrap tabular-nums max-md:hidden"
          title={`${formatNumber(inputTokens)} tokens in and ${formatNumber(outputTokens)} out in ${plural(turns.turns, 'turn')}${turns.unknownTurns > 0 ? `, ${turns.unknownTurns} of them not told` : ''}`}
          data-testid="session-tokens"
        >
          {formatCount(inputTokens)} in · {formatCount(outputTokens)} out
        </span>
      )}
      {cost !== undefined && (
        <span className="tabular-nums" data-testid="cost">
          {formatCost(cost)}
        </span>
      )}
    </>
  );
}
