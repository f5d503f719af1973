import { type Snapshot, type SnapshotTurn, utf8Length } from '@heliograph/wire';
import type { Channel } from '../agent/channels.ts';
import type { PermissionRequest } from '../agent/permission.ts';
import type { PromptQueue } from '../agent/prompt-queue.ts';
import type { PermissionPolicy } from '../options.ts';

/** Everything a snapshot tells, where it lives in the harness. */
export interface RunState {
  readonly requestIds: readonly string[];
  readonly run: string;
  readonly now: string;
  readonly name: string;
  readonly host: string;
  readonly permissions: PermissionPolicy;
  readonly cwd: string;
  readonly initializeResult: unknown;
  readonly process: Snapshot['agent']['process'];
  readonly streams: Snapshot['streams'];
  readonly channels: readonly Channel[];
  readonly queueOf: (channel: Channel) => PromptQueue;
  readonly pending: readonly PermissionRequest[];
}

/** The harness as it is now (WIRE 5). */
export function describeRun(state: RunState): Snapshot {
  const { requestIds, run, now, name, host, permissions, streams, process } = state;
  const info = (state.initializeResult as { agentInfo?: { name?: unknown; version?: unknown } } | undefined)?.agentInfo;
  return {
    requestIds,
    wire: 1,
    run,
    now,
    agent: {
      name: typeof info?.name === 'string' ? info.name : name,
      ...(typeof info?.version === 'string' ? { version: info.version } : {}),
      process,
    },
    host,
    policy: permissions,
    streams,
    channels: state.channels.map((channel) => describeChannel(channel, state)),
  };
}

function describeChannel(channel: Channel, { cwd, queueOf, pending }: RunState): Snapshot['channels'][number] {
  const { channelId, sessionId, title, turns, turn, lastActivity } = channel;
  return {
    channelId,
    sessionId,
    cwd,
    title,
    turns,
    ...(turn !== undefined ? { activeTurn: turn.turnId } : {}),
    queue: queueOf(channel).map(({ promptRequestId }, index) => ({ promptRequestId, position: index + 1 })),
    pending: pending.filter((request) => request.channelId === channelId).map(describePending),
    lastActivity,
  };
}

function describePending(request: PermissionRequest): Snapshot['channels'][number]['pending'][number] {
  const { requestNonce, requestSeq, requestSha256, rpcId, toolCallId, actionable, stream, askedAt, expiresAt } =
    request;
  const expires = expiresAt !== undefined ? { expiresAt } : {};
  return { requestNonce, requestSeq, requestSha256, rpcId, toolCallId, actionable, stream, askedAt, ...expires };
}

/**
 * The payload of a snapshot that fits `maxBytes`: of the turns, the newest that fit. Everything else is bounded by the
 * number of channels; should even that be too much, it travels in parts.
 */
export function encodeSnapshot(snapshot: Snapshot, maxBytes: number): string {
  const turnIds = snapshot.channels
    .flatMap(({ turns }) => turns)
    .toSorted((a, b) => b.firstSeq - a.firstSeq)
    .map(({ turnId }) => turnId);
  for (let count = turnIds.length; ; count = Math.floor(count / 2)) {
    const kept = new Set(turnIds.slice(0, count));
    const isKept = ({ turnId }: SnapshotTurn) => kept.has(turnId);
    const channels = snapshot.channels.map((channel) => ({ ...channel, turns: channel.turns.filter(isKept) }));
    const payload = JSON.stringify({ ...snapshot, channels });
    if (count === 0 || utf8Length(payload) <= maxBytes) return payload;
  }
}
