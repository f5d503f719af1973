import { stat } from 'node:fs/promises';
import type { CloseSession, LoadSession, NewSession } from '@heliograph/wire';
import type { Conversation, Reply } from './conversation.ts';
import type { WantedSession } from './session-opener.ts';
import type { Sessions } from './sessions.ts';

/** Channels that take prompts at the same time. */
const MAX_CONVERSATIONS = 64;

/** Opens a session in a channel, a new channel if there is none of this id; a session that is there stays until the other one is. */
export async function openSession(
  sessions: Sessions,
  control: NewSession | LoadSession,
  defaultCwd: string,
  reply: Reply,
): Promise<void> {
  const { channelId } = control;
  const cwd = control.cwd ?? sessions.channels.get(channelId)?.cwd ?? defaultCwd;
  const sessionId = control.type === 'load_session' ? control.sessionId : undefined;
  const refusal = (await isFolder(cwd))
    ? refuseSession(sessions, channelId, sessionId)
    : `cwd: ${cwd} is no folder on this machine`;
  if (refusal !== undefined) {
    reply({ status: 'failure', reason: refusal });
    return;
  }
  const known = sessions.conversation(channelId);
  const conversation = known ?? sessions.add(cwd, channelId);
  const { channel } = conversation;
  const before = { cwd: channel.cwd, isClosed: channel.isClosed };
  conversation.pause();
  Object.assign(channel, { cwd, isClosed: false });
  const wanted: WantedSession = sessionId === undefined ? { type: 'new' } : { type: 'load', sessionId };
  const outcome = await sessions.bring(conversation, wanted);
  if (outcome.ok) {
    conversation.sessionReady(outcome.value);
    const isKept = await sessions.keep();
    const reason = isKept ? {} : { reason: 'it could not be written down: a restart of the harness will not know it' };
    reply({ status: 'applied', sessionId: channel.sessionId ?? '', ...reason });
    return;
  }
  const { code, message } = outcome.error;
  Object.assign(channel, known === undefined ? { isClosed: true } : before);
  // The session it had is still there, unless the agent went away over this.
  if (channel.sessionId !== null && sessions.ready !== undefined) conversation.sessionReady(sessions.ready);
  else conversation.startFailed(outcome.error);
  reply({ status: code === 'unsupported' ? 'unsupported' : 'failure', reason: message });
}

/** Ends a channel's session where the agent can; the channel takes no prompts any more. */
export function closeSession(sessions: Sessions, { channelId }: CloseSession, reply: Reply): void {
  const conversation = sessions.conversation(channelId);
  const refusal = conversation === undefined ? NO_SESSION : refuseClosing(sessions, conversation);
  if (conversation === undefined || refusal !== undefined) {
    reply({ status: 'failure', reason: refusal ?? NO_SESSION });
    return;
  }
  const { channel, agent } = conversation;
  const { sessionId } = channel;
  channel.isClosed = true;
  const closed = (reason?: string) => {
    channel.earlier = undefined;
    conversation.close();
    void sessions.keep();
    reply({ status: 'applied', ...(reason !== undefined ? { reason } : {}) });
  };
  if (agent === undefined || sessionId === null) closed();
  else if (!agent.canClose) closed('this agent can not end a session: it is left alone');
  else {
    let isOver = false;
    const settle = (act: () => void) => {
      if (isOver) return;
      isOver = true;
      cancel();
      // Another session was ordered into the channel before the answer came: it is none of this one's business.
      const isOurs = channel.isClosed && (channel.sessionId === null || channel.sessionId === sessionId);
      if (isOurs) act();
      else reply({ status: 'applied', reason: 'another session was opened in this channel meanwhile' });
    };
    const { clock, graceMs } = sessions.patience;
    const cancel = clock.setTimer(graceMs, () => settle(() => closed(unanswered(graceMs))));
    void agent.client.request('session/close', { sessionId }, 'owner', (answer) =>
      settle(() => {
        if (answer.type !== 'error') return closed();
        channel.isClosed = false;
        reply({ status: 'failure', reason: answer.message });
      }),
    );
  }
}

/** What the owner is told when the agent says nothing: we are done with the session, the agent may not be. */
function unanswered(graceMs: number): string {
  return `the agent has not answered session/close within ${graceMs / 1_000} s: the channel is closed here, the session may go on in the agent`;
}

const NO_SESSION = 'there is no open session in this channel';

function refuseClosing(sessions: Sessions, { channel }: Conversation): string | undefined {
  if (channel.isClosed) return NO_SESSION;
  if (channel.turn !== undefined) return 'a turn is open: cancel it first';
  return sessions.isOpening(channel.channelId) ? 'a session is being opened in this channel' : undefined;
}

/** Why a session can't be opened there now. */
function refuseSession(sessions: Sessions, channelId: string, sessionId: string | undefined): string | undefined {
  const channel = sessions.channels.get(channelId);
  if (channel !== undefined && sessions.conversation(channelId) === undefined)
    return 'the agent opened this channel by itself: it takes no orders';
  if (channel === undefined && sessions.conversations.length >= MAX_CONVERSATIONS)
    return `${MAX_CONVERSATIONS} channels are there already: open it in one of them`;
  if (channel?.turn !== undefined) return 'a turn is open in this channel: cancel it first';
  if (sessions.isOpening(channelId)) return 'a session is being opened in this channel';
  const holder = sessionId === undefined ? undefined : sessions.holderOf(sessionId);
  if (holder === undefined || (holder === channel && channel.sessionId !== sessionId)) return undefined;
  return `this session is open in channel ${holder.channelId}`;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path)
    .then((found) => found.isDirectory())
    .catch(() => false);
}
