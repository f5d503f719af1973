import {
  type PermissionPolicy,
  type PushState,
  type Snapshot,
  type SnapshotChannel,
  type SnapshotPending,
  utf8Length,
  WIRE_VERSION,
} from '@heliograph/wire';
import type { AgentRequest } from '../agent/agent-request.ts';
import type { Channel } from '../agent/channels.ts';
import { acceptedContent } from '../agent/prompt-content.ts';
import type { PromptQueue } from '../agent/prompt-queue.ts';
import { MAX_SESSION_ID_LENGTH } from '../agent/router.ts';

/** What an agent may call itself. */
const MAX_NAME_LENGTH = 200;

/** Everything a snapshot tells, where it lives in the harness. */
export interface RunState {
  readonly requestIds: readonly string[];
  readonly run: string;
  readonly now: string;
  readonly version: string;
  readonly name: string;
  readonly host: string;
  readonly permissions: PermissionPolicy;
  readonly policyOf: (channelId: string) => PermissionPolicy | undefined;
  readonly initializeResult: unknown;
  readonly process: Snapshot['agent']['process'];
  readonly streams: Snapshot['streams'];
  readonly channels: readonly Channel[];
  readonly queueOf: (channelId: string) => PromptQueue;
  readonly pending: readonly AgentRequest[];
  readonly push?: PushState;
}

/** The harness as it is now (SPEC 1.5). */
export function describeRun(state: RunState): Snapshot {
  const { requestIds, run, now, name, host, permissions, streams, process } = state;
  const info = (state.initializeResult as { agentInfo?: { name?: unknown; version?: unknown } } | undefined)?.agentInfo;
  const ownerless = state.pending.filter(({ channelId }) => channelId === null).map(describePending);
  return {
    requestIds,
    wire: WIRE_VERSION,
    version: state.version,
    run,
    now,
    agent: {
      name: typeof info?.name === 'string' ? info.name.slice(0, MAX_NAME_LENGTH) : name,
      ...(typeof info?.version === 'string' ? { version: info.version.slice(0, MAX_NAME_LENGTH) } : {}),
      process,
      ...(state.initializeResult === undefined ? {} : { accepts: acceptedContent(state.initializeResult) }),
    },
    host,
    policy: permissions,
    streams,
    channels: state.channels.map((channel) => describeChannel(channel, state)),
    ...(ownerless.length > 0 ? { pending: ownerless } : {}),
    ...(state.push !== undefined ? { push: state.push } : {}),
  };
}

function describeChannel(channel: Channel, { queueOf, policyOf, pending }: RunState): Snapshot['channels'][number] {
  const { channelId, sessionId, cwd, title, turns, turn, lastActivity, isClosed } = channel;
  const { configOptions, modes, models } = channel.config;
  const hasConfig = configOptions !== undefined || modes !== undefined || models !== undefined;
  const policy = policyOf(channelId);
  return {
    channelId,
    sessionId: (sessionId?.length ?? 0) > MAX_SESSION_ID_LENGTH ? null : sessionId,
    cwd,
    title,
    turns,
    ...(turn !== undefined ? { activeTurn: turn.turnId } : {}),
    queue: queueOf(channelId).map(({ promptRequestId, content }, at) => ({
      promptRequestId,
      position: at + 1,
      content,
    })),
    ...(hasConfig ? { config: { configOptions, modes, models } } : {}),
    ...(policy !== undefined ? { policy } : {}),
    ...(isClosed ? { closed: true } : {}),
    pending: pending.filter((request) => request.channelId === channelId).map(describePending),
    lastActivity,
  };
}

function describePending(request: AgentRequest): SnapshotPending {
  const { requestNonce, requestSeq, requestSha256, rpcId, toolCallId, actionable, stream, askedAt, expiresAt } =
    request;
  const expires = expiresAt !== undefined ? { expiresAt } : {};
  return {
    ask: request.ask.kind,
    requestNonce,
    requestSeq,
    requestSha256,
    rpcId,
    toolCallId,
    actionable,
    stream,
    askedAt,
    ...expires,
  };
}

/**
 * The payload of a snapshot that fits `maxBytes`. What is left out, as far as it must be: what queued prompts say and what
 * sessions can be set to, then the oldest turns, then the oldest pending requests (counted in `pendingOmitted`), then the
 * channels that were quiet longest and their streams, the one prompts go to first last of all.
 */
export function encodeSnapshot(snapshot: Snapshot, maxBytes: number): string {
  const whole = JSON.stringify(snapshot);
  if (utf8Length(whole) <= maxBytes) return whole;
  const lean = { ...snapshot, channels: snapshot.channels.map(withoutDetail) };
  const turns = newestFirst(lean.channels.flatMap((channel) => channel.turns.map(({ firstSeq }) => firstSeq)));
  const asked = pendingOf(lean);
  const times = asked.map(({ askedAt }) => askedAt).toSorted((a, b) => (a < b ? 1 : -1));
  // The first is the one that prompts go to.
  const [own = [], ...others] = lean.channels;
  const quiet = [own, others.toSorted((a, b) => (a.lastActivity < b.lastActivity ? 1 : -1))].flat();
  const counts = { turns: turns.length, pending: asked.length, channels: quiet.length };
  for (;;) {
    const payload = JSON.stringify(
      cut(lean, quiet.slice(0, counts.channels), turns[counts.turns - 1], times[counts.pending - 1]),
    );
    if (utf8Length(payload) <= maxBytes) return payload;
    const next = counts.turns > 0 ? 'turns' : counts.pending > 0 ? 'pending' : 'channels';
    if (counts[next] === 0) return payload;
    counts[next] = Math.floor(counts[next] / 2);
  }
}

function withoutDetail({ config: _config, queue, ...channel }: SnapshotChannel): SnapshotChannel {
  return { ...channel, queue: queue.map(({ promptRequestId, position }) => ({ promptRequestId, position })) };
}

function pendingOf({ channels, pending = [] }: Pick<Snapshot, 'channels' | 'pending'>): readonly SnapshotPending[] {
  return [...channels.flatMap((channel) => channel.pending), ...pending];
}

function newestFirst(seqs: readonly number[]): number[] {
  return seqs.toSorted((a, b) => b - a);
}

/** With these channels only, and of them what is not older than given; undefined: nothing. */
function cut(
  snapshot: Snapshot,
  kept: readonly SnapshotChannel[],
  oldestTurn: number | undefined,
  oldestAsked: string | undefined,
): Snapshot {
  const isKept = ({ askedAt }: SnapshotPending) => oldestAsked !== undefined && askedAt >= oldestAsked;
  const channels = snapshot.channels
    .filter((channel) => kept.includes(channel))
    .map((channel) => ({
      ...channel,
      turns: channel.turns.filter(({ firstSeq }) => oldestTurn !== undefined && firstSeq >= oldestTurn),
      pending: channel.pending.filter(isKept),
    }));
  const ids = new Set<string | null>(kept.map(({ channelId }) => channelId));
  const { pending: ofNoChannel, ...rest } = snapshot;
  const pending = ofNoChannel === undefined ? {} : { pending: ofNoChannel.filter(isKept) };
  const pendingOmitted = pendingOf(snapshot).length - pendingOf({ ...rest, ...pending, channels }).length;
  return {
    ...rest,
    ...pending,
    streams: snapshot.streams.filter(({ channelId }) => channelId === null || ids.has(channelId)),
    channels,
    ...(pendingOmitted > 0 ? { pendingOmitted } : {}),
  };
}
