import type { AgentRecord } from './desktop-store.ts';
import { selectFirstPrompt, sessionTitle } from './session-title.ts';

/** A session that this page has seen and that is not open now. */
export interface EarlierSession {
  readonly sessionId: string;
  readonly title: string;
}

/** Sessions of an agent that could be opened again, the newest first. */
export function selectEarlierSessions(agent: AgentRecord): readonly EarlierSession[] {
  const open = new Set(agent.snapshot?.channels.map(({ sessionId }) => sessionId));
  return agent.told
    .channels()
    .flatMap((channelId) => {
      const transcript = agent.told.transcript(channelId);
      const { sessionId } = transcript.session;
      if (sessionId === undefined || open.has(sessionId)) return [];
      return [{ sessionId, title: sessionTitle(transcript.session, selectFirstPrompt(transcript)) }];
    })
    .reverse();
}
