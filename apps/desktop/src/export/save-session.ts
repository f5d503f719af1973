import {
  htmlReplayOf,
  jsonlOf,
  markdownOf,
  type SessionHead,
  type TranscriptFold,
  type Turn,
} from '@heliograph/transcript';
import { encodeNpub } from '@heliograph/wire/nostr';
import type { SessionRef } from '../store/session-ref.ts';
import { selectFirstPrompt, sessionTitle } from '../store/session-title.ts';
import { fileNameOf } from '../text/file-name.ts';
import { mapStrings } from './map-strings.ts';
import { redactEvents, redactText, redactTurns } from './redact-session.ts';
import type { SaveFormat } from './save-formats.ts';
import { sessionEvents } from './session-events.ts';
import { type FoundSecret, type SecretScan, scanSession } from './session-secrets.ts';

/** A session that is saved, and what its agent is called. */
export interface SavedSession {
  readonly fold: TranscriptFold;
  readonly session: SessionRef;
  readonly agentName: string;
}

/** A file to hand over. */
export interface SavedFile {
  readonly name: string;
  readonly file: Blob;
}

/** Looks for secrets in all that is held of a session; `run`: the harness stream whose lines belong to it. */
export function scanOf(
  fold: TranscriptFold,
  { channelId }: SessionRef,
  run: string | undefined,
): Generator<number, SecretScan> {
  const { streams, turns } = fold.transcript(channelId);
  const events = sessionEvents(fold.log, streams, run, channelId);
  const lines = streams.reduce((sum, stream) => sum + (fold.log.stream(stream)?.lineCount ?? 0), 0);
  return scanSession(turns, events, lines);
}

/** What was looked through of a session, without these secrets: for people as text or replay, for programs as lines. */
export async function saveSession(
  saved: SavedSession,
  as: SaveFormat,
  scan: SecretScan,
  secrets: readonly FoundSecret[],
): Promise<SavedFile> {
  const turns = redactTurns(scan, secrets);
  const head = mapStrings(headOf(saved, secrets.length, turns), (text) => redactText(text, secrets));
  // What it is about and when it began: whoever saves several tells them apart.
  const day = turns[0]?.startedAt.slice(0, 10) ?? '';
  const name = fileNameOf(`${head.title} ${day}`, head.channelId.slice(0, 8));
  switch (as) {
    case 'markdown':
      return { name: `${name}.md`, file: fileOf(markdownOf(head, turns), 'text/markdown') };
    case 'html': {
      // Only the replay needs a hash, of its own script for its policy.
      const { nobleCrypto } = await import('@heliograph/crypto/noble');
      return { name: `${name}.html`, file: fileOf(htmlReplayOf(head, turns, nobleCrypto), 'text/html') };
    }
    case 'jsonl': {
      const lines = jsonlOf(head, redactEvents(scan, secrets), countKinds(secrets));
      return {
        name: `${name}.jsonl`,
        file: fileOf(
          Array.from(lines, (line) => `${line}\n`),
          'application/x-ndjson',
        ),
      };
    }
  }
}

function fileOf(parts: Iterable<string>, type: string): Blob {
  return new Blob([...parts], { type: `${type};charset=utf-8` });
}

/** What a saved session says of itself. `turns`: as they are saved; a title cut out of what was said before would show the beginning of a secret that is not. */
export function headOf(
  { fold, session: ref, agentName }: SavedSession,
  replaced: number,
  turns: readonly Turn[],
): SessionHead {
  const transcript = fold.transcript(ref.channelId);
  const { session } = transcript;
  const what =
    replaced === 0
      ? 'nothing is redacted'
      : `of known shapes ${replaced} secret${replaced === 1 ? ' is' : 's are'} replaced`;
  return {
    agent: encodeNpub(ref.agent),
    agentName,
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
