import { err, isHex64, type ObserverEvent, ok, type Result } from '@heliograph/wire';
import type { LinePlace } from './line-place.ts';

/** What this machine's archive keeps, and where. Sizes in bytes, times RFC 3339. */
export interface ArchiveState {
  readonly isOn: boolean;
  /** Who writes the file now: this desktop, another process, or nobody. */
  readonly keeper: 'here' | 'another' | 'nobody';
  readonly file: string;
  readonly bytes: number;
  readonly records: number;
  readonly sessions: number;
  /** When the oldest and the newest record were received. */
  readonly oldestAt: string | undefined;
  readonly newestAt: string | undefined;
  readonly atRest: 'open' | 'sealed';
  /** Public keys of the only agents that are kept; undefined: all. */
  readonly agents: readonly string[] | undefined;
  readonly except: readonly string[];
  readonly maxAgeMs: number | undefined;
  readonly maxBytes: number | undefined;
  /** Why nothing can be kept or read now, as a sentence. */
  readonly trouble: string | undefined;
}

/** What is looked for in everything kept; what is left out counts as any. */
export interface ArchiveQuery {
  readonly text?: string;
  /** The name of one of the saved questions. */
  readonly question?: ArchiveQuestion;
  readonly agent?: string;
  readonly errors?: boolean;
  /** Not before, and not after: RFC 3339 in UTC with milliseconds. */
  readonly from?: string;
  readonly to?: string;
}

export const ARCHIVE_QUESTIONS = ['no-decision', 'outside-cwd', 'denied-then-done', 'network', 'secrets'] as const;
export type ArchiveQuestion = (typeof ARCHIVE_QUESTIONS)[number];

/** One place found: an item of a session. */
export interface ArchiveHit {
  readonly agent: string;
  readonly agentName: string | undefined;
  /** Where it is opened; undefined: it stands in what a harness says of itself, outside all sessions. */
  readonly place: { readonly session: number; readonly channelId: string } | undefined;
  readonly itemId: string;
  readonly stream: string;
  readonly seq: number;
  readonly at: string;
  /** user, agent, thought, tool, permission, notice, error … */
  readonly kind: string;
  readonly toolKind: string | undefined;
  readonly status: string | undefined;
  readonly decision: string | undefined;
  readonly title: string;
  readonly excerpt: string;
}

/** `isMore`: more was found than is told. */
export interface ArchiveFound {
  readonly hits: readonly ArchiveHit[];
  readonly isMore: boolean;
}

export interface ArchiveLines {
  readonly lines: readonly ObserverEvent[];
  /** The line the next page begins with; undefined after the last. */
  readonly after: LinePlace | undefined;
}

/** The few things that can be asked of the archive, with what is answered. */
export interface ArchiveAnswers {
  readonly state: ArchiveState;
  readonly switch: ArchiveState;
  readonly keep: ArchiveState;
  readonly search: ArchiveFound;
  readonly lines: ArchiveLines;
}

export type ArchiveAsk =
  | { readonly ask: 'state' }
  | { readonly ask: 'switch'; readonly isOn: boolean }
  /** Whether what one agent sends and is told is kept, while the archive is on. */
  | { readonly ask: 'keep'; readonly agent: string; readonly isKept: boolean }
  | { readonly ask: 'search'; readonly query: ArchiveQuery }
  /** A page of a session's lines, oldest first: from `after` on, else from its beginning. */
  | { readonly ask: 'lines'; readonly session: number; readonly after?: LinePlace };

const MAX_TEXT = 1_000;

/** A question as it came, checked; the message names what was expected. */
export function readArchiveAsk(
  body: Readonly<Record<string, unknown>>,
): Result<ArchiveAsk, { readonly message: string }> {
  switch (body.ask) {
    case 'state':
      return ok({ ask: 'state' });
    case 'switch':
      return typeof body.isOn === 'boolean'
        ? ok({ ask: 'switch', isOn: body.isOn })
        : bad('isOn: expected true or false.');
    case 'keep': {
      const { agent, isKept } = body;
      if (!isHex64(agent)) return bad('agent: expected 64 hex digits.');
      return typeof isKept === 'boolean' ? ok({ ask: 'keep', agent, isKept }) : bad('isKept: expected true or false.');
    }
    case 'search':
      return readQuery((body.query ?? {}) as Record<string, unknown>);
    case 'lines': {
      const { session, after } = body;
      if (!Number.isSafeInteger(session)) return bad('session: expected a number.');
      if (after === undefined) return ok({ ask: 'lines', session: session as number });
      const { stream, seq } = (after ?? {}) as Record<string, unknown>;
      if (typeof stream !== 'string' || !Number.isSafeInteger(seq)) return bad('after: expected a stream and a seq.');
      return ok({ ask: 'lines', session: session as number, after: { stream, seq: seq as number } });
    }
    default:
      return bad('ask: expected state, switch, keep, search or lines.');
  }
}

function readQuery(query: Readonly<Record<string, unknown>>): Result<ArchiveAsk, { readonly message: string }> {
  const { text, question, agent, errors, from, to } = query;
  if (text !== undefined && (typeof text !== 'string' || text.length > MAX_TEXT)) {
    return bad(`text: expected up to ${MAX_TEXT} characters.`);
  }
  const known = ARCHIVE_QUESTIONS.find((name) => name === question);
  if (question !== undefined && known === undefined) return bad(`question: expected ${ARCHIVE_QUESTIONS.join(', ')}.`);
  if (agent !== undefined && !isHex64(agent)) return bad('agent: expected 64 hex digits.');
  if (errors !== undefined && typeof errors !== 'boolean') return bad('errors: expected true or false.');
  if (from !== undefined && !isTime(from)) return bad('from: expected a time like 2026-11-30T09:00:00.000Z.');
  if (to !== undefined && !isTime(to)) return bad('to: expected a time like 2026-11-30T09:00:00.000Z.');
  return ok({
    ask: 'search',
    query: {
      ...(text === undefined ? {} : { text }),
      ...(known === undefined ? {} : { question: known }),
      ...(agent === undefined ? {} : { agent }),
      ...(errors === undefined ? {} : { errors }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    },
  });
}

function isTime(value: unknown): value is string {
  if (typeof value !== 'string' || Number.isNaN(Date.parse(value))) return false;
  return new Date(value).toISOString() === value;
}

function bad(message: string): Result<never, { readonly message: string }> {
  return err({ message });
}
