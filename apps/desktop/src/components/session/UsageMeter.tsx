import type { Usage } from '@heliograph/transcript';
import { formatCost, formatCount } from '../../text/human.ts';

/** How full the context is and what it cost, as far as the agent tells. */
export function UsageMeter({ usage }: { readonly usage: Usage | undefined }) {
  if (usage === undefined) return null;
  const { used, size, cost } = usage;
  const share = used !== undefined && size !== undefined && size > 0 ? Math.min(1, used / size) : undefined;
  return (
    <>
      {used !== undefined && (
        <span className="inline-flex items-center gap-1.5 whitespace-nowrap tabular-nums" data-testid="usage">
          {share !== undefined && (
            <span className="h-1 w-14 overflow-hidden rounded-full bg-line" aria-hidden="true">
              <span
                className={`block h-full ${share > 0.9 ? 'bg-bad' : 'bg-ink-2'}`}
                style={{ width: `${Math.max(2, share * 100)}%` }}
              />
            </span>
          )}
          {formatCount(used)}
          {size !== undefined && ` of ${formatCount(size)}`}
          <span className="sr-only"> tokens of context used</span>
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
