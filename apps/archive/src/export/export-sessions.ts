import { createReader, type ExportScope, type SqlDatabase } from '@heliograph/record';
import {
  asciicastLinesOf,
  claudeCodeLinesOf,
  htmlReplayOf,
  markdownOf,
  otlpLinesOf,
  type SessionHead,
  type Turn,
} from '@heliograph/transcript';
import { type Crypto, encodeNpub, err, ok, type Result } from '@heliograph/wire';
import { packer } from '../packer.ts';
import { sessionTurns } from './session-turns.ts';

/** Writers of one session, by format. */
export const SESSION_WRITERS = {
  markdown: markdownOf,
  html: htmlReplayOf,
  claude: claudeCodeLinesOf,
  asciicast: asciicastLinesOf,
  otlp: otlpLinesOf,
} as const;

export type SessionFormat = keyof typeof SESSION_WRITERS;

/** `none`: nothing is in scope. `which`: more than one session is, and the format holds one. */
export interface ScopeError {
  readonly code: 'none' | 'which';
  readonly message: string;
  readonly cause?: unknown;
}

const MAX_NAMED = 20;

/** The sessions in scope, written one after another; only OTLP takes more than one. */
export function exportSessions(
  db: SqlDatabase,
  format: SessionFormat,
  scope: ExportScope,
  crypto: Crypto,
): Result<Iterable<string>, ScopeError> {
  const { agent, session, since, until } = scope;
  const reader = createReader(db, packer, crypto);
  const { chain, atRest } = reader.about();
  if (atRest === 'sealed') {
    return err({
      code: 'none',
      message: 'only ciphertext is kept in this archive: nothing can be shown of it. Export it as jsonl',
    });
  }
  const sessions = reader.sessions({
    ...(agent === undefined ? {} : { agent }),
    ...(session === undefined ? {} : { session }),
    ...(since === undefined ? {} : { from: since }),
    ...(until === undefined ? {} : { to: until }),
  });
  if (sessions.length === 0)
    return err({ code: 'none', message: 'no session is in scope: see heliograph archive search' });
  if (sessions.length > 1 && format !== 'otlp') {
    const names = sessions.slice(0, MAX_NAMED).map((each) => `  --session ${each.session}  ${each.startedAt ?? ''}`);
    const more = sessions.length > MAX_NAMED ? [`  … and ${sessions.length - MAX_NAMED} more`] : [];
    const lines = [`${format} holds one session, and ${sessions.length} are in scope. Name one:`, ...names, ...more];
    return err({ code: 'which', message: lines.join('\n') });
  }
  const about = db.prepare('SELECT agent_name AS name, model FROM sessions WHERE session = ?');
  function* pieces(): Generator<string> {
    for (const each of sessions) {
      const { name, model } = about.get(each.session) as { name: string | null; model: string | null };
      const { title, channelId, sessionId, cwd } = each;
      const source = `session ${each.session} of the archive ${chain}, known secrets replaced; a reading copy that proves nothing: the JSONL export does`;
      const known = { agentName: name ?? undefined, model: model ?? undefined, title, channelId, sessionId, cwd };
      const head: SessionHead = { agent: encodeNpub(each.agent), ...known, source };
      yield* SESSION_WRITERS[format](head, within(sessionTurns(db, each.session, crypto), scope), crypto);
    }
  }
  return ok(pieces());
}

function* within(turns: Iterable<Turn>, { since, until }: ExportScope): Generator<Turn> {
  const [from, to] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
  for (const turn of turns) {
    if (Date.parse(turn.endedAt ?? turn.startedAt) < from || Date.parse(turn.startedAt) > to) continue;
    yield turn;
  }
}
