import type { PermissionItem } from '@heliograph/transcript';
import { ShieldCheck, ShieldX } from 'lucide-react';
import { toPermissionQuestion } from '../../text/tool-sentence.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { PermissionSubject } from './PermissionSubject.tsx';
import { Sentence } from './Sentence.tsx';

/** What became of a request that no option tells. */
const REASONS: Readonly<Record<string, string>> = {
  applied: 'Answered',
  allowed: 'Allowed',
  rejected: 'Rejected',
  timed_out: 'Nobody answered in time',
  cancelled: 'Cancelled with its turn',
  expired: 'Expired',
  withdrawn: 'Withdrawn by the agent',
  aborted: 'The agent ended before an answer',
  unknown: 'Answered; how is not told',
};

const DECIDERS: Readonly<Record<string, string>> = {
  owner: 'You answered',
  client: 'The editor answered',
  policy: 'The policy answered',
  harness: 'The harness answered',
};

/** A request that was answered: who answered what, as one line of history. */
export function DecidedPermission(props: { readonly item: PermissionItem; readonly cwd: string | undefined }) {
  const { item, cwd } = props;
  const { decision } = item;
  const option = item.options.find(({ optionId }) => optionId === decision?.optionId);
  const isAllowed = option?.kind.startsWith('allow') ?? decision?.reason === 'allowed';
  const { object, isCode } = toPermissionQuestion(item, cwd);
  const who = decision?.decidedBy;
  return (
    <Sentence
      icon={isAllowed ? <ShieldCheck size={15} strokeWidth={1.5} /> : <ShieldX size={15} strokeWidth={1.5} />}
      testId="permission-card"
      refs={item.refs}
      startsOpen={false}
      body={() => <PermissionSubject item={item} cwd={cwd} isOpen={false} />}
      data={{ 'data-state': item.state, 'data-answerable': 'false', 'data-reason': decision?.reason ?? '' }}
    >
      <span className="text-ink-2" data-testid="permission-decision">
        {who !== undefined && `${DECIDERS[who.who] ?? toPlainLine(who.who, 40)} `}
        {option !== undefined ? (
          <>
            “<VisibleText text={option.name} max={120} />”
          </>
        ) : (
          (REASONS[decision?.reason ?? 'unknown'] ?? 'Decided')
        )}
        {who?.viewer !== undefined && ` on ${toPlainLine(who.viewer, 80)}`}
        {who?.rule !== undefined && ` (${toPlainLine(who.rule, 80)})`}
      </span>{' '}
      <span className="text-ink-3">to</span>{' '}
      <span className={isCode ? 'font-mono text-code break-words text-ink-2' : 'text-ink-2'}>
        <VisibleText text={object} max={200} />
      </span>
    </Sentence>
  );
}
