import { memo } from 'react';
import type { Row } from '../../store/rows.ts';
import { AgentMessage } from './AgentMessage.tsx';
import { AwayRow } from './AwayRow.tsx';
import { ElicitationCard } from './ElicitationCard.tsx';
import { ErrorRow } from './ErrorRow.tsx';
import { GapRow } from './GapRow.tsx';
import { NoticeRow } from './NoticeRow.tsx';
import { PermissionCard } from './PermissionCard.tsx';
import { PlanCard } from './PlanCard.tsx';
import { RawRow } from './RawRow.tsx';
import { Thought } from './Thought.tsx';
import { LooksCard, ToolCard } from './ToolCard.tsx';
import { TurnEnd } from './TurnEnd.tsx';
import { UserMessage } from './UserMessage.tsx';

export interface RowViewProps {
  readonly row: Row;
  readonly agent: string;
  readonly channelId: string | null;
  readonly cwd: string | undefined;
  /** Whether the row's turn is being answered now. */
  readonly isRunning: boolean;
  readonly isLive: boolean;
}

/** One row. Rows that show the same keep their identity, so they are not drawn again. */
export const RowView = memo(function RowView(props: RowViewProps) {
  const { row, agent, channelId, cwd } = props;
  if (row.type === 'looks') return <LooksCard items={row.items} cwd={cwd} />;
  if (row.type === 'delegated') {
    const { waitedMs } = row.leave;
    return <ToolCard item={row.item} inside={row.items} cwd={cwd} isLive={props.isRunning} waitedMs={waitedMs} />;
  }
  if (row.type === 'away') return <AwayRow row={row} />;
  if (row.type === 'turn-end') return <TurnEnd turn={row.turn} cwd={cwd} />;
  const { item } = row;
  switch (item.kind) {
    case 'user':
      return <UserMessage item={item} source={row.turn.source} />;
    case 'agent':
      return <AgentMessage item={item} />;
    case 'thought':
      return <Thought item={item} />;
    case 'tool':
      return (
        <ToolCard
          item={item}
          cwd={cwd}
          isLive={props.isRunning}
          waitedMs={row.leave.waitedMs}
          refusal={row.leave.refusal}
        />
      );
    case 'plan':
      return <PlanCard item={item} />;
    case 'permission':
      return <PermissionCard item={item} agent={agent} channelId={channelId} cwd={cwd} />;
    case 'elicitation':
      return <ElicitationCard item={item} agent={agent} channelId={channelId} />;
    case 'notice':
      return <NoticeRow item={item} />;
    case 'error':
      return <ErrorRow item={item} />;
    case 'gap':
      return <GapRow item={item} agent={agent} />;
    case 'raw':
      return <RawRow item={item} />;
  }
});

/** How tall a row probably is, for the part of the list that was never drawn. */
export function estimateRowHeight(row: Row): number {
  if (row.type !== 'item') return 36;
  switch (row.item.kind) {
    case 'user':
      return 84;
    case 'agent':
      return 96;
    case 'permission':
      return 180;
    case 'elicitation':
      return 320;
    case 'plan':
      return 120;
    case 'error':
      return 90;
    default:
      return 36;
  }
}
