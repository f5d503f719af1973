import type { ElicitationItem } from '@heliograph/transcript';
import { MessageCircleQuestionMark } from 'lucide-react';
import { isAnswerable } from '../../store/live.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { JsonView } from '../content/JsonView.tsx';
import { VisibleText } from '../content/VisibleText.tsx';
import { useIsPast } from '../replay/past-context.ts';
import { useAgent } from '../use-desktop.ts';
import { ElicitationAnswer } from './ElicitationAnswer.tsx';
import { OpenQuestion } from './OpenQuestion.tsx';
import { Sentence } from './Sentence.tsx';
import { VisitPage } from './VisitPage.tsx';

interface ElicitationCardProps {
  readonly item: ElicitationItem;
  readonly agent: string;
  readonly channelId: string | null;
}

/** What an agent asks its owner to fill in, or to visit. It can be answered only while the answer would arrive. */
export function ElicitationCard(props: ElicitationCardProps) {
  const { item } = props;
  const agent = useAgent(props.agent);
  const isPast = useIsPast();
  if (item.state === 'decided') return <Decided item={item} />;
  const isOpen = !isPast && isAnswerable(agent?.presence, item);
  const name = toPlainLine(agent?.name ?? 'The agent', 64);
  return (
    <OpenQuestion
      item={item}
      isOpen={isOpen}
      label={`${name} asks for an answer`}
      title={`${name} ${isOpen ? 'asks' : 'asked'} you`}
    >
      <div
        className="my-2 max-h-64 overflow-y-auto text-l whitespace-pre-wrap break-words"
        data-testid="elicitation-message"
      >
        <VisibleText text={item.message} multiline max={8_192} />
      </div>
      {item.url !== undefined && <VisitPage url={item.url} isVisited={item.isVisited} />}
      {isOpen && <ElicitationAnswer item={item} agent={props.agent} channelId={props.channelId} />}
    </OpenQuestion>
  );
}

/** What became of a request without an answer. */
const REASONS: Readonly<Record<string, string>> = {
  timed_out: 'Nobody answered in time',
  cancelled: 'Cancelled with its turn',
  rejected: 'Declined by the policy',
  expired: 'Expired without an answer',
  withdrawn: 'Withdrawn by the agent',
  aborted: 'The agent ended before an answer',
};
const ACTIONS: Readonly<Record<string, string>> = {
  accept: 'You answered',
  decline: 'You declined to answer',
  cancel: 'You dismissed it',
};

function Decided({ item }: { readonly item: ElicitationItem }) {
  const { decision } = item;
  const reason = REASONS[decision?.reason ?? ''];
  const words = reason ?? ACTIONS[decision?.action ?? ''] ?? 'Answered; how is not told';
  const content = decision?.content;
  return (
    <Sentence
      icon={<MessageCircleQuestionMark size={15} strokeWidth={1.5} />}
      testId="elicitation-card"
      refs={item.refs}
      startsOpen={false}
      body={
        content === undefined
          ? undefined
          : () => (
              <div data-testid="elicitation-content">
                <JsonView title="The answer" json={content} />
              </div>
            )
      }
      data={{ 'data-state': item.state, 'data-answerable': 'false', 'data-reason': decision?.reason ?? '' }}
    >
      <span className="text-ink-2" data-testid="elicitation-decision">
        {words}
      </span>
      <span className="text-ink-3">: </span>
      <span className="text-ink-2">
        <VisibleText text={item.message === '' ? (item.url ?? '') : item.message} max={200} />
      </span>
    </Sentence>
  );
}
