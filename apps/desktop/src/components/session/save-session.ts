import { htmlReplayOf, markdownOf, type SessionHead } from '@heliograph/transcript';
import { encodeNpub } from '@heliograph/wire/nostr';
import type { AgentRecord } from '../../store/desktop-store.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { selectFirstPrompt, sessionTitle } from '../../store/session-title.ts';
import { saveFile } from '../parts/save-file.ts';

/** Saves what this page has of a session, for people to read: text, or a page that plays it back without a network. */
export async function saveSession(agent: AgentRecord, ref: SessionRef, as: 'markdown' | 'html'): Promise<void> {
  const transcript = agent.fold.transcript(ref.channelId);
  const { session } = transcript;
  const head: SessionHead = {
    agent: encodeNpub(agent.publicKey),
    agentName: session.agentName ?? agent.name,
    title: sessionTitle(session, selectFirstPrompt(transcript)),
    channelId: ref.channelId ?? 'harness',
    sessionId: session.sessionId,
    cwd: session.cwd,
    model: session.modelId,
    source: 'Saved from a page that watched it; nothing is redacted, and by itself this file proves nothing.',
  };
  const name = `${head.channelId.slice(0, 8)}.${as === 'html' ? 'html' : 'md'}`;
  if (as === 'markdown') {
    saveFile(name, [...markdownOf(head, transcript.turns)], 'text/markdown');
    return;
  }
  // Only the replay needs a hash, of its own script for its policy.
  const { nobleCrypto } = await import('@heliograph/crypto/noble');
  saveFile(name, [...htmlReplayOf(head, transcript.turns, nobleCrypto)], 'text/html');
}
