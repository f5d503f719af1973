import type { PermissionItem } from '@heliograph/transcript';
import { isAnswerable } from '../../store/live.ts';
import { toPermissionQuestion } from '../../text/tool-sentence.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { useIsPast } from '../replay/past-context.ts';
import { useAgent } from '../use-desktop.ts';
import { DecidedPermission } from './DecidedPermission.tsx';
import { OpenQuestion } from './OpenQuestion.tsx';
import { PermissionOptions } from './PermissionOptions.tsx';
import { PermissionSubject } from './PermissionSubject.tsx';

interface PermissionCardProps {
  readonly item: PermissionItem;
  readonly agent: string;
  readonly channelId: string | null;
  readonly cwd: string | undefined;
}

/** What an agent asks leave for. It has buttons only while an answer would reach it; else it is history. */
export function PermissionCard(props: PermissionCardProps) {
  return props.item.state === 'decided' ? (
    <DecidedPermission item={props.item} cwd={props.cwd} />
  ) : (
    <OpenPermission {...props} />
  );
}

function OpenPermission(props: PermissionCardProps) {
  const { item, cwd } = props;
  const agent = useAgent(props.agent);
  const isPast = useIsPast();
  const isOpen = !isPast && isAnswerable(agent?.presence, item);
  const question = toPermissionQuestion(item, cwd);
  const name = toPlainLine(agent?.name ?? 'The agent', 64);
  return (
    <OpenQuestion
      item={item}
      isOpen={isOpen}
      label={`${name} asks for permission`}
      title={`${name} ${isOpen ? 'wants' : 'wanted'} to ${question.verb}`}
    >
      <PermissionSubject item={item} cwd={cwd} isOpen={isOpen} />
      {isOpen && <PermissionOptions item={item} agent={props.agent} channelId={props.channelId} cwd={cwd} />}
    </OpenQuestion>
  );
}
