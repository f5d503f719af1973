import { useMemo } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { addSums, type DayUsage, type UsageSum } from '../../store/usage-book.ts';
import { formatCost, formatCount, formatDay, plural } from '../../text/human.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useNow } from '../parts/use-now.ts';
import { useDesktopState } from '../use-desktop.ts';

interface DayOfAgents {
  readonly startMs: number;
  readonly total: UsageSum;
  readonly agents: readonly { readonly agent: AgentRecord; readonly used: DayUsage }[];
}

/** What the agents used, by day: as far as they tell. */
export function UsageDialog(props: { readonly onClose: () => void }) {
  const agents = useDesktopState((state) => state.agents);
  const days = useMemo(() => byDay(agents), [agents]);
  const now = useNow();
  return (
    <Dialog title="Usage" onClose={props.onClose} testId="usage-dialog">
      <div className="stack gap-5 px-5 pt-2 pb-6">
        {days.length === 0 ? (
          <p className="text-ink-2">
            Nothing yet. Agents tell what a turn used when it ends; those that never tell are counted by their turns.
          </p>
        ) : (
          <p className="text-s text-ink-3">
            As the agents tell it, a month back. A dash is what none of them told; cached input counts as input.
          </p>
        )}
        {days.map(({ startMs, total, agents: rows }) => (
          <section key={startMs} data-testid="usage-day">
            <h3 className="mb-1 flex items-baseline gap-3 font-medium">
              {formatDay(startMs, now)}
              <span className="ml-auto text-s font-normal text-ink-2 tabular-nums">{costWords(total)}</span>
            </h3>
            <ul className="stack">
              {rows.map(({ agent, used }) => (
                <AgentRow key={agent.publicKey} agent={agent} used={used} total={total} />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function AgentRow(props: { readonly agent: AgentRecord; readonly used: UsageSum; readonly total: UsageSum }) {
  const { agent, used, total } = props;
  const { inputTokens, outputTokens, totalTokens } = used.figures;
  const share = totalTokens !== null && total.figures.totalTokens ? totalTokens / total.figures.totalTokens : 0;
  return (
    <li
      className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 border-t border-line py-1.5"
      data-testid="usage-agent"
      data-agent={agent.publicKey}
    >
      <span className="truncate">
        <VisibleText text={agent.name} max={80} />
      </span>
      <span className="text-right tabular-nums">{costWords(used)}</span>
      <span className="text-s text-ink-2 tabular-nums">
        {plural(used.turns, 'turn')} · {count(inputTokens)} in · {count(outputTokens)} out
        {used.unknownTurns > 0 && used.unknownTurns < used.turns && ` · ${used.unknownTurns} of them not told`}
      </span>
      {totalTokens !== null && (
        <span className="h-1 w-20 self-center overflow-hidden rounded-full bg-line" aria-hidden="true">
          <span className="block h-full bg-ink-2" style={{ width: `${share * 100}%` }} />
        </span>
      )}
    </li>
  );
}

function byDay(agents: readonly AgentRecord[]): readonly DayOfAgents[] {
  const days = new Map<number, { agent: AgentRecord; used: DayUsage }[]>();
  for (const agent of agents) {
    for (const used of agent.usage.days()) days.set(used.startMs, [...(days.get(used.startMs) ?? []), { agent, used }]);
  }
  return [...days]
    .sort(([a], [b]) => b - a)
    .map(([startMs, rows]) => ({ startMs, total: addSums(rows.map(({ used }) => used)), agents: rows }));
}

const count = (tokens: number | null) => (tokens === null ? '–' : formatCount(tokens));

function costWords({ figures }: UsageSum): string {
  return figures.costUsd === null ? '–' : formatCost({ amount: figures.costUsd, currency: 'USD' });
}
