import type { PlanItem } from '@heliograph/transcript';
import { VisibleText } from '../content/VisibleText.tsx';
import { RowActions } from './RowActions.tsx';

const SIGNS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '●', cancelled: '–' };
const WORDS: Readonly<Record<string, string>> = { completed: 'done', in_progress: 'in progress', cancelled: 'dropped' };

/** The agent's plan as a checklist. */
export function PlanCard({ item }: { readonly item: PlanItem }) {
  const done = item.entries.filter((entry) => entry.status === 'completed').length;
  return (
    <div data-testid="plan">
      <p className="pl-7 text-s text-ink-3">
        Plan · {done} of {item.entries.length} done
      </p>
      <ul className="mt-1 stack gap-1 pl-7">
        {item.entries.map((entry, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a plan is replaced as a whole
          <li key={at} className="flex gap-2" data-status={entry.status}>
            <span className="w-4 flex-none text-center text-ink-3" aria-hidden="true">
              {SIGNS[entry.status] ?? '○'}
            </span>
            <span className={lookOf(entry.status)}>
              <VisibleText text={entry.content} max={2_000} />
              <span className="sr-only"> ({WORDS[entry.status] ?? 'to do'})</span>
            </span>
          </li>
        ))}
      </ul>
      <RowActions refs={item.refs} />
    </div>
  );
}

function lookOf(status: string): string {
  if (status === 'completed') return 'text-ink-3';
  return status === 'in_progress' ? 'font-medium' : status === 'cancelled' ? 'text-ink-3 line-through' : '';
}
