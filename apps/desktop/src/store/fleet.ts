import type { Item, Transcript, Turn } from '@heliograph/transcript';
import { formatAge, formatCost, formatCount, parseTime } from '../text/human.ts';
import { toAsk, toToolSentence } from '../text/tool-sentence.ts';
import type { AgentRecord } from './desktop-store.ts';
import { answerableQuestions, isBeingRead, runningTurn } from './live.ts';
import { type SessionRef, sessionKey } from './session-ref.ts';
import { selectFirstPrompt, sessionTitle } from './session-title.ts';

/** Where a session stands for somebody who looks at many. `off`: its harness does not answer. */
export type FleetStatus = 'needs' | 'running' | 'failed' | 'quiet' | 'off';

/** One session in the list. It reads `who` `words` `code`, the last in code type. */
export interface FleetEntry {
  readonly ref: SessionRef;
  readonly status: FleetStatus;
  /** What the oldest thing that waits for the owner is; undefined where nothing does. */
  readonly asks: 'permission' | 'question' | undefined;
  readonly title: string;
  /** The agent, by the name its owner knows it by. */
  readonly who: string;
  /** What it does, or came to; `joins` where it goes on from `who` as one sentence. */
  readonly words: string;
  readonly joins: boolean;
  readonly code: string | undefined;
  /** Of a session whose harness is silent: when anything of it was last heard, ms. */
  readonly heardMs: number | undefined;
  /** When something last happened in it, ms. */
  readonly at: number | undefined;
  /** When it came to stand as it does, ms: what the list is ordered by, so that nobody at work changes places. */
  readonly since: number | undefined;
}

export interface FleetGroup {
  readonly name: string;
  readonly entries: readonly FleetEntry[];
}

const NAMES = ['Needs you', 'Running', 'Failed', 'Quiet'] as const;
const GROUP_OF: Readonly<Record<FleetStatus, number>> = { needs: 0, running: 1, failed: 2, quiet: 3, off: 3 };

const entries = new WeakMap<AgentRecord, readonly FleetEntry[]>();

/** All sessions: those that wait for the owner first, then running, failed and quiet ones; of each the one first that came to it last. */
export function selectFleet(agents: readonly AgentRecord[]): readonly FleetGroup[] {
  const groups: FleetEntry[][] = [[], [], [], []];
  for (const agent of agents) {
    if (agent.revoked) continue;
    for (const entry of entriesOf(agent)) groups[GROUP_OF[entry.status]]?.push(entry);
  }
  return groups.flatMap((group, at) => {
    const name = NAMES[at];
    if (group.length === 0 || name === undefined) return [];
    return [{ name, entries: group.sort(byNewest) }];
  });
}

function byNewest(a: FleetEntry, b: FleetEntry): number {
  return (b.since ?? 0) - (a.since ?? 0) || (sessionKey(a.ref) < sessionKey(b.ref) ? -1 : 1);
}

/** An entry's second line as one text: `Claude wants to run npm test`, `Claude · Ended its turn`. */
export function lineOf({ who, words, joins, code }: FleetEntry): string {
  return `${who}${joins ? ' ' : ' · '}${words}${code === undefined ? '' : ` ${code}`}`;
}

function entriesOf(agent: AgentRecord): readonly FleetEntry[] {
  let found = entries.get(agent);
  if (found === undefined) {
    found = agent.told.channels().flatMap((channelId) => {
      if (channelId === null) return [];
      return [toEntry(agent, { agent: agent.publicKey, channelId }, agent.told.transcript(channelId))];
    });
    entries.set(agent, found);
  }
  return found;
}

function toEntry(agent: AgentRecord, ref: SessionRef, transcript: Transcript): FleetEntry {
  const { presence } = agent;
  const { session } = transcript;
  const last = transcript.turns.findLast((turn) => turn.items.length > 0);
  const at = parseTime(last?.items.at(-1)?.updatedAt ?? last?.endedAt ?? last?.startedAt);
  const base = {
    ref,
    asks: undefined,
    title: sessionTitle(session, selectFirstPrompt(transcript)),
    who: agent.name,
    joins: false,
    code: undefined,
    heardMs: undefined,
    at,
    since: at,
  };
  // A session that is not open yet may wait for what its agent asks before.
  const early = session.sessionId === undefined ? answerableQuestions(presence, agent.told.transcript(null)) : [];
  const [asked] = [...answerableQuestions(presence, transcript), ...early];
  if (asked !== undefined) {
    const { ask, object, isCode } = toAsk(asked, session.cwd);
    const asks = asked.kind === 'permission' ? 'permission' : 'question';
    // What a permission is about without being code is said by its verb.
    const words = `${ask}${asked.kind === 'elicitation' ? ` ${object.slice(0, 200)}` : ''}`;
    const code = isCode ? object : undefined;
    return { ...base, status: 'needs', asks, words, joins: true, code, since: parseTime(asked.at) };
  }
  if (isBeingRead(presence, transcript, agent.snapshot)) {
    return { ...base, status: 'quiet', words: 'reading what happened since' };
  }
  const running = runningTurn(presence, transcript, agent.snapshot);
  if (running !== undefined) {
    const since = parseTime(running.startedAt);
    return { ...base, status: 'running', ...describeActivity(running, session.cwd), joins: true, since };
  }
  if (presence?.harness === 'silent') {
    const place = presence.host ?? 'its machine';
    const words =
      presence.refusal !== undefined
        ? 'its relay refuses it'
        : presence.lastHeardMs === undefined
          ? `${place} was not heard yet`
          : `${place} does not answer`;
    return { ...base, status: 'off', words, heardMs: presence.lastHeardMs };
  }
  const turn = transcript.turns.findLast((t) => t.source !== 'none');
  if (turn === undefined) {
    // Without a title of its own it can be told from another only by whose it is and where.
    const host = presence?.host ?? '';
    const place = host === '' || agent.name.includes(host) ? '' : `${host} · `;
    return { ...base, status: 'quiet', words: `${place}waits for its first prompt` };
  }
  return { ...base, ...describeEnd(turn, transcript), since: parseTime(turn.endedAt ?? turn.startedAt) };
}

function describeActivity(turn: Turn, cwd: string | undefined): { words: string; code: string | undefined } {
  const item = turn.items.findLast(({ kind }) => kind === 'tool' || kind === 'agent' || kind === 'thought');
  if (item?.kind !== 'tool') return { words: wordsOf(item), code: undefined };
  const { verb, object, isCode } = toToolSentence(item, cwd);
  const doing =
    item.status === 'pending' || item.status === 'in_progress' ? `is ${verb.toLowerCase()}` : verb.toLowerCase();
  return isCode ? { words: doing, code: object } : { words: `${doing} ${object}`, code: undefined };
}

function wordsOf(item: Item | undefined): string {
  if (item?.kind === 'agent') return 'is writing';
  return item?.kind === 'thought' ? 'is thinking' : 'is at work';
}

const ENDINGS: Readonly<Record<string, string>> = {
  completed: 'Ended its turn',
  cancelled: 'Cancelled',
  killed: 'Stopped by force',
  failed: 'Failed',
  refused: 'Refused to go on',
  unknown: 'Ended',
};

function describeEnd(turn: Turn, transcript: Transcript): { status: FleetStatus; words: string } {
  if (turn.status === 'open') return { status: 'quiet', words: 'Was at work when it was last heard' };
  if (turn.outcome === 'failed') {
    const error = turn.items.findLast((item) => item.kind === 'error');
    return { status: 'failed', words: error?.kind === 'error' ? error.message : 'Its turn failed' };
  }
  const { usage } = transcript.session;
  const facts = [
    ENDINGS[turn.outcome ?? 'unknown'],
    usage?.used !== undefined && `${formatCount(usage.used)} tokens in context`,
    usage?.cost !== undefined && formatCost(usage.cost),
  ];
  return { status: 'quiet', words: facts.filter(Boolean).join(' · ') };
}

/** `now`, `4 m`: how long ago something last happened in a session. */
export function ageOf(entry: FleetEntry, nowMs: number): string {
  return entry.at === undefined ? '' : formatAge(Math.max(0, nowMs - entry.at));
}
