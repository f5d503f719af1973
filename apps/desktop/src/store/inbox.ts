import type { ErrorItem, Item, QuestionItem, Transcript } from '@heliograph/transcript';
import { parseTime } from '../text/human.ts';
import { isAside } from './aside.ts';
import type { AgentRecord } from './desktop-store.ts';
import { selectFleet } from './fleet.ts';
import { answerableQuestions } from './live.ts';
import type { SeenMarks } from './seen.ts';
import { type SessionRef, sessionKey } from './session-ref.ts';
import { selectFirstPrompt, sessionTitle } from './session-title.ts';

/** One thing that waits for a person. */
export interface InboxEntry {
  readonly key: string;
  readonly kind: 'permission' | 'question' | 'trouble';
  /** Where the item stands; `channelId: null` for what an agent asks before its session is open. */
  readonly ref: SessionRef;
  /** The session to go to for it. */
  readonly place: SessionRef | undefined;
  readonly item: QuestionItem | ErrorItem;
  readonly title: string;
  readonly who: string;
  readonly host: string | undefined;
  readonly cwd: string | undefined;
  /** Since when it waits, ms. */
  readonly at: number;
}

/** Everything that waits for the owner: what is asked and can be answered, and turns that failed; the newest first. */
export function selectInbox(agents: readonly AgentRecord[], marks: SeenMarks): readonly InboxEntry[] {
  const entries = agents.filter(({ revoked }) => !revoked).flatMap(questionsOf);
  for (const { entries: sessions } of selectFleet(agents)) {
    for (const { ref, status } of sessions) {
      if (status !== 'failed') continue;
      const agent = agents.find(({ publicKey }) => publicKey === ref.agent);
      const trouble = agent === undefined ? undefined : troubleOf(agent, ref);
      if (trouble !== undefined && !isAside(marks, ref, trouble.at)) entries.push(trouble);
    }
  }
  return entries.sort((a, b) => b.at - a.at || (a.key < b.key ? -1 : 1));
}

/** An entry's item as it is now: decided, withdrawn or expired ones are still there. */
export function findItem(transcript: Transcript, item: QuestionItem | ErrorItem): Item | undefined {
  for (let at = transcript.turns.length - 1; at >= 0; at--) {
    const found = transcript.turns[at]?.items.findLast((one) => isSame(one, item));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSame(one: Item, item: QuestionItem | ErrorItem): boolean {
  if (one.id !== item.id || one.kind !== item.kind) return false;
  // Ids are unique in a turn only; the line a request came in is unique.
  return !('request' in one && 'request' in item) || sameLine(one.request, item.request);
}

function sameLine(a: QuestionItem['request'], b: QuestionItem['request']): boolean {
  return a.stream === b.stream && a.seq === b.seq;
}

function questionsOf(agent: AgentRecord): InboxEntry[] {
  return [null, ...agent.told.channels()].flatMap((channelId) => {
    const ref = { agent: agent.publicKey, channelId };
    const transcript = agent.told.transcript(channelId);
    return answerableQuestions(agent.presence, transcript).map((item) => toEntry(agent, ref, transcript, item));
  });
}

function troubleOf(agent: AgentRecord, ref: SessionRef): InboxEntry | undefined {
  const transcript = agent.told.transcript(ref.channelId);
  const turn = transcript.turns.findLast(({ source }) => source !== 'none');
  const item = turn?.items.findLast(({ kind }) => kind === 'error');
  return item?.kind === 'error' ? toEntry(agent, ref, transcript, item) : undefined;
}

function toEntry(
  agent: AgentRecord,
  ref: SessionRef,
  transcript: Transcript,
  item: QuestionItem | ErrorItem,
): InboxEntry {
  const { session } = transcript;
  const line = item.kind === 'error' ? '' : `/${item.request.stream}/${item.request.seq}`;
  return {
    key: `${sessionKey(ref)}/${item.id}${line}`,
    kind: item.kind === 'error' ? 'trouble' : item.kind === 'permission' ? 'permission' : 'question',
    ref,
    place: ref.channelId === null ? unopened(agent) : ref,
    item,
    title: ref.channelId === null ? 'Before its session is open' : sessionTitle(session, selectFirstPrompt(transcript)),
    who: agent.name,
    host: agent.presence?.host,
    cwd: session.cwd,
    at: parseTime(item.kind === 'error' ? item.updatedAt : item.at) ?? 0,
  };
}

/** The session that waits for what its agent asks before it is open. */
function unopened(agent: AgentRecord): SessionRef | undefined {
  const channels = agent.told.channels();
  const channelId =
    channels.findLast((id) => agent.told.transcript(id).session.sessionId === undefined) ?? channels.at(-1);
  return channelId === undefined ? undefined : { agent: agent.publicKey, channelId };
}
