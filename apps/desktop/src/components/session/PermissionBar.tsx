import type { QuestionItem } from '@heliograph/transcript';
import { useSyncExternalStore } from 'react';
import { formatAge, parseTime } from '../../text/human.ts';
import { toAsk } from '../../text/tool-sentence.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { useNow } from '../parts/use-now.ts';
import { useSeenPermissions } from '../transcript/seen-permissions.ts';

/** What waits for an answer while its card is off the screen. */
export function PermissionBar(props: {
  readonly agentName: string;
  readonly pending: readonly QuestionItem[];
  readonly cwd: string | undefined;
  readonly onShow: (item: QuestionItem) => void;
}) {
  const seen = useSeenPermissions();
  const inView = useSyncExternalStore(seen.subscribe, seen.read);
  const hidden = props.pending.filter((item) => !inView.includes(item.id));
  const [first] = hidden;
  if (first === undefined) return null;
  const { ask, object, isCode } = toAsk(first, props.cwd);
  return (
    <div
      className="mb-2 flex items-center gap-2.5 rounded-lg border border-sun-line bg-sun-wash py-1.5 pr-1.5 pl-3"
      data-testid="permission-bar"
    >
      <span className="sign needs" aria-hidden="true" />
      <span className="min-w-0 flex-1 truncate">
        <b>
          <VisibleText text={props.agentName} max={64} /> {ask}
        </b>{' '}
        <span className={isCode ? 'font-mono text-code' : ''}>
          <VisibleText text={object} max={200} />
        </span>
        {hidden.length > 1 && <span className="text-ink-2"> and {hidden.length - 1} more</span>}
      </span>
      <Waited at={first.at} />
      <button type="button" className="btn flex-none" onClick={() => props.onShow(first)}>
        Show
      </button>
    </div>
  );
}

/** For how long it waits. */
function Waited({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <span className="flex-none text-s text-ink-2 tabular-nums">
      <span className="sr-only">waits for </span>
      {formatAge(now - (parseTime(at) ?? now))}
    </span>
  );
}
