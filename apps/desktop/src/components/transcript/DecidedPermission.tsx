import type { PermissionItem } from '@heliograph/transcript';
import { ShieldCheck, ShieldX } from 'lucide-react';
import { toPermissionQuestion } from '../../text/tool-sentence.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { PermissionSubject } from './PermissionSubject.tsx';
import { Sentence } from './Sentence.tsx';

/** What was done, where no option tells it. */
const DEEDS: Readonly<Record<string, string>> = { applied: 'answered', allowed: 'allowed', rejected: 'rejected' };
/** What became of a request that nobody answered. */
const ENDINGS: Readonly<Record<string, string>> = {
  timed_out: 'Nobody answered in time',
  cancelled: 'Not answered, its turn was cancelled',
  expired: 'Not answered before it expired',
  withdrawn: 'Withdrawn by the agent',
  aborted: 'The agent ended before an answer',
  unknown: 'Answered; how is not told',
};

const DECIDERS: Readonly<Record<string, string>> = {
  owner: 'You',
  client: 'The editor',
  policy: 'The policy',
  harness: 'The harness',
};

/** A request that was answered: who answered what, as one line of history. */
export function DecidedPermission(props: { readonly item: PermissionItem; readonly cwd: string | undefined }) {
  const { item, cwd } = props;
  const { decision } = item;
  const option = item.options.find(({ optionId }) => optionId === decision?.optionId);
  const isAllowed = option?.kind.startsWith('allow') ?? decision?.reason === 'allowed';
  const { object, isCode } = toPermissionQuestion(item, cwd);
  const who = decision?.decidedBy;
  const reason = decision?.reason ?? 'unknown';
  const deed = option !== undefined ? 'answered' : DEEDS[reason];
  const isAnswered = deed !== undefined;
  const decider = who === undefined ? 'Somebody' : (DECIDERS[who.who] ?? toPlainLine(who.who, 40));
  const answer = isAnswered ? `${decider} ${deed}` : (ENDINGS[reason] ?? 'Decided; how is not known here');
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
        {answer}
        {option !== undefined && (
          <>
            {' '}
            “<VisibleText text={option.name} max={120} />”
          </>
        )}
        {isAnswered && who?.viewer !== undefined && ` on ${toPlainLine(who.viewer, 80)}`}
        {isAnswered && who?.rule !== undefined && ` (${toPlainLine(who.rule, 80)})`}
        {!isAnswered && ':'}
      </span>{' '}
      {deed === 'answered' && <span className="text-ink-3">to </span>}
      <span className={isCode ? 'font-mono text-code break-words text-ink-2' : 'text-ink-2'}>
        <VisibleText text={object} max={200} />
      </span>
    </Sentence>
  );
}
