import { expect, test } from 'vitest';
import { STORIES } from '../dev/stories.ts';
import type { StoryAgent } from '../dev/story-agent.ts';
import { storyTeller } from '../dev/story-teller.ts';
import { putAside } from './aside.ts';
import { applyEvents, applySession, createDesktopStore } from './desktop-store.ts';
import { findItem, type InboxEntry, selectInbox } from './inbox.ts';
import { clearDone, EMPTY_INBOX, goneTo, nextInbox } from './inbox-list.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const NOTHING_SEEN = { sinceMs: 0, at: {} };

function stateOf(story: string) {
  const { session, events } = STORIES[story]?.(NOW) ?? { session: { phase: 'opening' as const }, events: [] };
  return applyEvents(applySession(createDesktopStore().getState(), session), storyTeller()(events));
}
const told = (entries: readonly InboxEntry[]) => entries.map(({ kind, title, who, host }) => [kind, title, who, host]);

test('DT121: what waits for the owner is there from every agent and machine, the newest first', () => {
  const entries = selectInbox(stateOf('inbox').agents, NOTHING_SEEN);
  expect(told(entries)).toEqual([
    ['permission', 'Fix the flaky auth test', 'Claude 24b9', 'build-box'],
    ['permission', 'Migrate billing to v3', 'Codex', 'build-box'],
    ['question', 'Deploy the fix', 'goose 7641', 'laptop'],
    ['question', 'Before its session is open', 'goose f26d', 'laptop'],
    ['trouble', 'Nightly dependency check', 'Claude d28d', 'build-box'],
  ]);
  expect(new Set(entries.map(({ key }) => key)).size).toBe(5);
  expect(entries[3]?.ref.channelId).toBeNull();
  expect(entries[3]?.place?.channelId).toMatch(/^[0-9a-f-]{36}$/);
});

test('DT121: nothing of revoked agents, of harnesses that do not answer, or of what was put aside', () => {
  const { agents } = stateOf('inbox');
  const revoked = agents.map((agent) => ({ ...agent, revoked: agent.name !== 'Codex' }));
  expect(told(selectInbox(revoked, NOTHING_SEEN)).map(([, title]) => title)).toEqual(['Migrate billing to v3']);
  expect(told(selectInbox(stateOf('history').agents, NOTHING_SEEN)).map(([, title]) => title)).not.toContain(
    'Fix the flaky auth test',
  );
  const trouble = selectInbox(agents, NOTHING_SEEN).find(({ kind }) => kind === 'trouble') ?? expect.unreachable();
  const seen = putAside(NOTHING_SEEN, trouble.ref, trouble.at);
  expect(selectInbox(agents, seen).map(({ kind }) => kind)).not.toContain('trouble');
  expect(selectInbox(agents, putAside(NOTHING_SEEN, trouble.ref, trouble.at - 1))).toHaveLength(5);
});

test('DT121: an entry’s item is found again once it is decided', () => {
  const asked = stateOf('permission');
  const [entry] = selectInbox(asked.agents, NOTHING_SEEN);
  if (entry === undefined) throw new TypeError('the story asks for nothing');
  const after = stateOf('ended');
  const agent = after.agents.find(({ publicKey }) => publicKey === entry.ref.agent) ?? expect.unreachable();
  expect(findItem(agent.told.transcript(entry.ref.channelId), entry.item)).toMatchObject({ state: 'decided' });
});

const entry = (key: string, at = 0): InboxEntry => ({
  key,
  kind: 'permission',
  ref: { agent: 'a', channelId: 'c' },
  place: undefined,
  item: {} as InboxEntry['item'] & StoryAgent,
  title: key,
  who: 'x',
  host: undefined,
  cwd: undefined,
  at,
});
const keys = (entries: readonly InboxEntry[]) => entries.map(({ key }) => key);

test('DT122: while something waits in the inbox what comes stands below it; what is done keeps its place until it is cleared', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((key) => entry(key));
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new TypeError();
  const first = nextInbox(EMPTY_INBOX, [b, a]);
  expect([keys(first.shown), first.fresh]).toEqual([['b', 'a'], []]);
  const more = nextInbox(first, [c, a]);
  expect([keys(more.shown), [...more.waiting], more.fresh]).toEqual([['b', 'a', 'c'], ['c', 'a'], ['c']]);
  expect([keys(goneTo(more).shown), goneTo(more).fresh]).toEqual([['b', 'a', 'c'], []]);
  expect(keys(clearDone(more).shown)).toEqual(['a', 'c']);
  // Nothing of it waits any more: what comes can be shown first.
  const next = nextInbox(nextInbox(more, []), [d]);
  expect([keys(next.shown), next.fresh]).toEqual([['d', 'b', 'a', 'c'], []]);
});

test('DT122: 50 of what waits and 50 of what is done are drawn, and the others come as these are answered', () => {
  const many = Array.from({ length: 120 }, (_, at) => entry(`k${at}`));
  const list = nextInbox(EMPTY_INBOX, many);
  expect([list.shown.length, list.fresh.length, list.more, list.waiting.size]).toEqual([50, 0, 70, 120]);
  const after = nextInbox(list, many.slice(10));
  expect([after.shown.length, after.fresh.length, after.more]).toEqual([60, 10, 60]);
  const late = nextInbox(after, many.slice(60));
  expect([late.shown.length, late.more]).toEqual([100, 10]);
});
