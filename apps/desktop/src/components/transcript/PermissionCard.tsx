import type { PermissionItem } from '@heliograph/transcript';
import { useEffect, useRef } from 'react';
import { isAnswerable } from '../../store/live.ts';
import { formatAge, parseTime } from '../../text/human.ts';
import { toPermissionQuestion } from '../../text/tool-sentence.ts';
import { toPlainLine } from '../../text/visible-text.ts';
import { useNow } from '../parts/use-now.ts';
import { useAgent } from '../use-desktop.ts';
import { DecidedPermission } from './DecidedPermission.tsx';
import { LinesButton } from './LinesButton.tsx';
import { PermissionOptions } from './PermissionOptions.tsx';
import { PermissionSubject } from './PermissionSubject.tsx';
import { useSeenPermissions } from './seen-permissions.ts';

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
  const isOpen = isAnswerable(agent?.presence, item);
  const card = useRef<HTMLElement>(null);
  const seen = useSeenPermissions();
  useEffect(
    () => (isOpen && card.current !== null ? seen.watch(card.current, item.id) : undefined),
    [isOpen, item.id, seen],
  );
  const question = toPermissionQuestion(item, cwd);
  const name = toPlainLine(agent?.name ?? 'The agent', 64);
  return (
    <section
      ref={card}
      className={`rounded-[10px] border px-3.5 py-3 ${isOpen ? 'border-sun-line bg-sun-wash' : 'border-line bg-ground'}`}
      aria-label={`${name} asks for permission`}
      data-testid="permission-card"
      data-state={item.state}
      data-answerable={isOpen}
      data-nonce={item.nonce}
    >
      <header className="flex items-start gap-2">
        <p className="min-w-0 flex-1">
          <b className="text-l">
            {name} {isOpen ? 'wants' : 'wanted'} to {question.verb}
          </b>{' '}
          <span className="text-s text-ink-2 max-md:block">
            {isOpen ? <Waiting item={item} /> : 'not answered in what is here; nothing can be answered now'}
          </span>
        </p>
        <div className="-mt-1 -mr-2 flex-none">
          <LinesButton refs={item.refs} />
        </div>
      </header>
      <PermissionSubject item={item} cwd={cwd} isOpen={isOpen} />
      {isOpen && <PermissionOptions item={item} agent={props.agent} channelId={props.channelId} cwd={cwd} />}
    </section>
  );
}

function Waiting({ item }: { readonly item: PermissionItem }) {
  const now = useNow();
  const askedMs = parseTime(item.at);
  const expiresMs = parseTime(item.expiresAt);
  return (
    <>
      {askedMs !== undefined && `asked ${formatAge(now - askedMs)}${now - askedMs < 5_000 ? '' : ' ago'} · `}
      waits for you
      {expiresMs !== undefined && ` · expires in ${formatAge(expiresMs - now)}`}
    </>
  );
}
