import type { ItemHit, Turn } from '@heliograph/transcript';
import { type Ref, useMemo } from 'react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { findRowOfItem, type Row } from '../../store/rows.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import type { Find } from '../find/use-find.ts';
import { PastContext } from '../replay/past-context.ts';
import { MoreContext } from '../transcript/more-context.ts';
import { TranscriptList, type TranscriptListHandle } from '../transcript/TranscriptList.tsx';
import { EmptySession } from './EmptySession.tsx';
import type { Shown } from './use-shown.ts';

/** A past does not go on. */
const NOBODY_FOLLOWS = () => undefined;

/** What was said and done, as it is now or was; of a session without any, why there is nothing. */
export function Conversation(props: {
  readonly agent: AgentRecord;
  readonly session: SessionRef;
  readonly rows: readonly Row[];
  readonly cwd: string | undefined;
  readonly isPast: boolean;
  readonly running: Turn | undefined;
  readonly find: Find<ItemHit>;
  /** What the agent asks stands below, in place of its session. */
  readonly isAskedEarly: boolean;
  readonly handle: Ref<TranscriptListHandle>;
  readonly shown: Shown;
  readonly onMorePast: Shown['more'];
}) {
  const { agent, rows, isPast, shown } = props;
  const { needle = '', hit } = props.find;
  const found = useMemo(
    () => (hit === undefined || needle === '' ? undefined : { needle, itemId: hit.itemId }),
    [needle, hit],
  );
  if (rows.length === 0) {
    if (isPast) return <div className="past flex-1" />;
    return props.isAskedEarly ? <div className="flex-1" /> : <EmptySession agent={agent} />;
  }
  return (
    <PastContext value={isPast}>
      <MoreContext value={isPast ? props.onMorePast : shown.more}>
        <TranscriptList
          key={isPast ? 'past' : 'now'}
          rows={rows}
          agent={agent.publicKey}
          channelId={props.session.channelId}
          cwd={props.cwd}
          isLive={!isPast && agent.presence?.harness === 'live'}
          runningTurnId={isPast ? undefined : props.running?.id}
          handle={props.handle}
          onFollow={isPast ? NOBODY_FOLLOWS : shown.follow}
          needle={needle}
          found={found}
          foundRow={hit === undefined ? -1 : findRowOfItem(rows, hit.turnId, hit.itemId)}
        />
      </MoreContext>
    </PastContext>
  );
}
