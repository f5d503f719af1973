import { htmlReplayOf, jsonlOf, markdownOf, type SessionHead, type Turn } from '@heliograph/transcript';
import { encodeNpub } from '@heliograph/wire/nostr';
import { saveFile } from '../components/parts/save-file.ts';
import type { AgentRecord } from '../store/desktop-store.ts';
import type { SessionRef } from '../store/session-ref.ts';
import { selectFirstPrompt, sessionTitle } from '../store/session-title.ts';
import { mapStrings } from './map-strings.ts';
import { redactEvents, redactText, redactTurns } from './redact-session.ts';
import { sessionEvents } from './session-events.ts';
import { type FoundSecret, type SecretScan, scanSession } from './session-secrets.ts';

/** What a session can be saved as from its page. */
export const SAVE_FORMATS = ['markdown', 'html', 'jsonl'] as const;
export type SaveFormat = (typeof SAVE_FORMATS)[number];

/** Looks for secrets in all that this page has of a session. */
export function scanOf(agent: AgentRecord, { channelId }: SessionRef): Generator<number, SecretScan> {
  const { log } = agent.fold;
  const { streams, turns } = agent.fold.transcript(channelId);
  const events = sessionEvents(log, streams, agent.presence?.run ?? agent.fold.agent().run, channelId);
  const lines = streams.reduce((sum, stream) => sum + (log.stream(stream)?.lineCount ?? 0), 0);
  return scanSession(turns, events, lines);
}

/** Saves what was looked through of a session, without these secrets: for people as text or replay, for programs as lines. */
export async function saveSession(
  agent: AgentRecord,
  ref: SessionRef,
  as: SaveFormat,
  scan: SecretScan,
  secrets: readonly FoundSecret[],
): Promise<void> {
  const turns = redactTurns(scan.turns, secrets);
  const head = mapStrings(headOf(agent, ref, secrets.length, turns), (text) => redactText(text, secrets));
  const name = head.channelId.slice(0, 8);
  switch (as) {
    case 'markdown':
      return saveFile(`${name}.md`, [...markdownOf(head, turns)], 'text/markdown');
    case 'html': {
      // Only the replay needs a hash, of its own script for its policy.
      const { nobleCrypto } = await import('@heliograph/crypto/noble');
      return saveFile(`${name}.html`, [...htmlReplayOf(head, turns, nobleCrypto)], 'text/html');
    }
    case 'jsonl': {
      const lines = jsonlOf(head, redactEvents(scan.events, secrets), countKinds(secrets));
      return saveFile(
        `${name}.jsonl`,
        [...lines].map((line) => `${line}\n`),
        'application/x-ndjson',
      );
    }
  }
}

/** What a saved session says of itself. `turns`: as they are saved; a title cut out of what was said before would show the beginning of a secret that is not. */
export function headOf(agent: AgentRecord, ref: SessionRef, replaced: number, turns: readonly Turn[]): SessionHead {
  const transcript = agent.fold.transcript(ref.channelId);
  const { session } = transcript;
  const what =
    replaced === 0
      ? 'nothing is redacted'
      : `of known shapes ${replaced} secret${replaced === 1 ? ' is' : 's are'} replaced`;
  return {
    agent: encodeNpub(agent.publicKey),
    agentName: agent.name,
    title: sessionTitle(session, selectFirstPrompt({ ...transcript, turns })),
    channelId: ref.channelId ?? 'harness',
    sessionId: session.sessionId,
    cwd: session.cwd,
    model: session.modelId,
    source: `Saved from a page that watched it; ${what}, and by itself this file proves nothing.`,
  };
}

function countKinds(secrets: readonly FoundSecret[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind, count } of secrets) counts[kind] = (counts[kind] ?? 0) + count;
  return counts;
}
