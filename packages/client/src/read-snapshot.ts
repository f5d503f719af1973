import {
  type ControlResult,
  isPermissionPolicy,
  readPushState,
  type Snapshot,
  type SnapshotChannel,
} from '@heliograph/wire';
import { listOf, type Members } from './members.ts';

const PROCESSES: readonly unknown[] = ['starting', 'running', 'exited'];
const ACCEPTS: readonly unknown[] = ['image', 'audio', 'embeddedContext'];
/** Texts of a result that viewers show. */
const RESULT_TEXTS = ['reason', 'turnId', 'optionId', 'action', 'field', 'sessionId', 'requestNonce'];

/** A snapshot as its type says, whatever an agent sent: what is of another shape is left out, or as if it were unknown. Pure. */
export function readSnapshot(snapshot: object): Snapshot {
  const said = snapshot as Members;
  const agent = asMembers(said.agent);
  const policy = isPermissionPolicy(said.policy) ? said.policy : 'ask';
  const push = readPushState(said.push);
  const { push: _push, ...rest } = said as unknown as Snapshot;
  return {
    ...rest,
    ...(push === undefined ? {} : { push }),
    now: asText(said.now),
    host: asText(said.host),
    policy,
    agent: {
      name: asText(agent.name),
      ...(typeof agent.version === 'string' ? { version: agent.version } : {}),
      process: PROCESSES.includes(agent.process) ? (agent.process as Snapshot['agent']['process']) : 'exited',
      ...(Array.isArray(agent.accepts)
        ? { accepts: agent.accepts.filter((one) => ACCEPTS.includes(one)) as NonNullable<Snapshot['agent']['accepts']> }
        : {}),
    },
    streams: listOf(said.streams).filter(({ stream }) => typeof stream === 'string') as unknown as Snapshot['streams'],
    channels: listOf(said.channels).flatMap(readChannel),
    pending: listOf(said.pending) as unknown as NonNullable<Snapshot['pending']>,
  };
}

function readChannel(said: Members): SnapshotChannel[] {
  const { channelId, config, policy } = said;
  if (typeof channelId !== 'string') return [];
  const { config: _config, policy: _policy, closed: _closed, ...rest } = said as unknown as SnapshotChannel;
  return [
    {
      ...rest,
      channelId,
      sessionId: typeof said.sessionId === 'string' ? said.sessionId : null,
      cwd: asText(said.cwd),
      title: typeof said.title === 'string' ? said.title : null,
      turns: listOf(said.turns) as unknown as SnapshotChannel['turns'],
      queue: listOf(said.queue) as unknown as SnapshotChannel['queue'],
      pending: listOf(said.pending) as unknown as SnapshotChannel['pending'],
      lastActivity: asText(said.lastActivity),
      ...(typeof config === 'object' && config !== null ? { config } : {}),
      ...(isPermissionPolicy(policy) ? { policy } : {}),
      ...(said.closed === true ? { closed: true } : {}),
    },
  ];
}

/** A control's result without members of another shape than viewers show; undefined for what is no result. Pure. */
export function readResult(result: object | undefined): ControlResult | undefined {
  const { type, status } = (result ?? {}) as Members;
  if (typeof type !== 'string' || typeof status !== 'string') return undefined;
  const members = Object.entries(result ?? {}).filter(
    ([key, value]) => !RESULT_TEXTS.includes(key) || typeof value === 'string',
  );
  return Object.fromEntries(members) as unknown as ControlResult;
}

function asMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
