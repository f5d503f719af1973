import type { Transcript } from '@heliograph/transcript';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { isLiveStream } from '../../store/live.ts';
import { snapshotChannel } from '../../store/session-settings.ts';

/** Why nothing can be sent to a session now, as a sentence; undefined when it can. */
export function whyBlocked(agent: AgentRecord, transcript: Transcript): string | undefined {
  const { presence } = agent;
  if (agent.revoked) return 'You revoked this agent: nothing is sent to it.';
  switch (presence?.harness) {
    case 'live':
      if (snapshotChannel(agent, transcript.channelId)?.closed === true)
        return 'This session is closed: open another one from its menu.';
      return isLiveStream(presence, transcript.streams.at(-1))
        ? undefined
        : 'This session is over: its harness no longer has it.';
    case 'silent':
      return 'The harness does not answer: sending is possible when it is back.';
    default:
      return 'Waiting for the harness to say how things are.';
  }
}
