import type { ViewerEvent } from '@heliograph/client';
import { expect, test } from 'vitest';
import { gooseOf, STORIES } from '../dev/stories.ts';
import { storyTeller } from '../dev/story-teller.ts';
import { applyEvents, applySession, createDesktopStore } from './desktop-store.ts';
import { lineOf, selectFleet } from './fleet.ts';
import { keepPlaces } from './steady-order.ts';

const NOW = Date.UTC(2026, 10, 30, 12);

const tellOnce = (events: readonly ViewerEvent[]) => storyTeller()(events);

function stateOf(story: string) {
  const { session, events } = STORIES[story]?.(NOW) ?? { session: { phase: 'opening' as const }, events: [] };
  return applyEvents(applySession(createDesktopStore().getState(), session), tellOnce(events));
}

test('DT12: sessions are listed by what they need of the owner, the newest first, each with what it does', () => {
  const groups = selectFleet(stateOf('permission').agents);
  const told = groups.map(({ name, entries }) => [name, entries.map((entry) => [entry.title, lineOf(entry)])]);
  expect(told).toEqual([
    [
      'Needs you',
      [
        ['Fix the flaky auth test', 'Claude 24b9 wants to run npm publish --dry-run'],
        ['Migrate billing to v3', 'Codex wants to edit src/rates.ts'],
      ],
    ],
    [
      'Running',
      [
        ['Upgrade Vite to 8', 'Gemini is running npm test'],
        ['Docs: self-hosting guide', 'goose edited README.md'],
      ],
    ],
    ['Failed', [['Nightly dependency check', 'Claude d28d · Claude must sign in again on build-box']]],
    [
      'Quiet',
      [
        ['Refactor queue worker', 'Claude 8415 · Ended its turn · 41 k tokens in context · $0.62'],
        ['Scratch', 'OpenCode · old-laptop does not answer'],
      ],
    ],
  ]);
});

test('DT12: what a silent harness left running or asking counts as neither', () => {
  const statuses = selectFleet(stateOf('history').agents).flatMap(({ entries }) => entries);
  expect(statuses.find(({ title }) => title === 'Fix the flaky auth test')?.status).toBe('off');
});

test('DT12: revoked agents are not listed', () => {
  const state = stateOf('permission');
  const agents = state.agents.map((agent) => ({ ...agent, revoked: agent.name === 'Codex' }));
  const titles = selectFleet(agents).flatMap(({ entries }) => entries.map(({ title }) => title));
  expect(titles).not.toContain('Migrate billing to v3');
  expect(titles).toContain('Fix the flaky auth test');
});

test('DT42: sessions that nobody prompted yet are told apart by agent and host', () => {
  const words = selectFleet(stateOf('new').agents).flatMap(({ entries }) => entries.map(lineOf));
  expect(words).toEqual(['Claude · build-box · waits for its first prompt']);
  const named = stateOf('new').agents.map((agent) => ({ ...agent, name: 'claude on build-box' }));
  expect(selectFleet(named).flatMap(({ entries }) => entries.map(lineOf))).toEqual([
    'claude on build-box · waits for its first prompt',
  ]);
});

test('DT75: a session that is not open yet needs the owner when its agent asks before it is', () => {
  const { session, events } = STORIES.early?.(NOW) ?? { session: { phase: 'opening' as const }, events: [] };
  const state = applyEvents(applySession(createDesktopStore().getState(), session), tellOnce(events));
  expect(selectFleet(state.agents).map(({ name, entries }) => [name, entries.map(lineOf)])).toEqual([
    ['Needs you', ['Claude asks you: Which branch?']],
  ]);
});

test('DT125: a session is known by its owner’s name for its agent, whatever it does', () => {
  const agents = stateOf('permission').agents.map((agent) => ({ ...agent, name: `my ${agent.name}` }));
  for (const line of selectFleet(agents).flatMap(({ entries }) => entries.map(lineOf)))
    expect(line).toMatch(/^my (?:Claude|Codex|Gemini|goose|OpenCode)[ ·]/);
});

test('DT126: sessions at work keep their order while they work', () => {
  const order = (agents: Parameters<typeof selectFleet>[0]) =>
    selectFleet(agents).flatMap(({ entries }) => entries.map(({ title }) => title));
  const tell = storyTeller();
  const { session, events } = STORIES.permission?.(NOW) ?? expect.unreachable();
  const state = applyEvents(applySession(createDesktopStore().getState(), session), tell(events));
  const before = order(state.agents);
  const goose = gooseOf(NOW).wait(300_000).say('The guide is nearly done.');
  const after = applyEvents(state, tell([{ type: 'events', agent: goose.publicKey, events: goose.events }]));
  const [was, is] = [state, after].map(({ agents }) => agents.find(({ publicKey }) => publicKey === goose.publicKey));
  const lastOf = (agent: typeof was) => agent?.told.transcript(goose.channelId).turns.at(-1)?.items.at(-1)?.kind;
  expect([was?.version === is?.version, lastOf(is)]).toEqual([false, 'agent']);
  expect(order(after.agents)).toEqual(before);
});

test('DT126: while it is read every row keeps its place and tells what it does now; what would move is counted', () => {
  const before = selectFleet(stateOf('permission').agents);
  const agents = stateOf('permission').agents.map((agent) => ({ ...agent, revoked: agent.name === 'Codex' }));
  const now = selectFleet(agents.map((agent) => (agent.name === 'Gemini' ? { ...agent, presence: undefined } : agent)));
  const { groups, moved } = keepPlaces(before, now);
  const titles = (list: typeof before) => list.map(({ name, entries }) => [name, entries.map(({ title }) => title)]);
  const expected = titles(before).map(([name, list]) => [
    name,
    (list as string[]).filter((title) => title !== 'Migrate billing to v3'),
  ]);
  expect(titles(groups)).toEqual(expected);
  expect(groups[1]?.entries[0]).toMatchObject({ title: 'Upgrade Vite to 8', status: 'quiet' });
  expect(moved).toBeGreaterThan(1);
  expect(keepPlaces(before, before)).toEqual({ groups: before, moved: 0 });
  expect(keepPlaces([], before)).toEqual({ groups: [], moved: 7 });
});

test('DT202: a session whose agent a relay refuses says so in the list', () => {
  const agents = stateOf('history').agents.map((agent) =>
    agent.presence === undefined
      ? agent
      : { ...agent, presence: { ...agent.presence, refusal: { relay: 'ws://r', words: 'banned' } } },
  );
  const entry = selectFleet(agents)
    .flatMap(({ entries }) => entries)
    .find(({ title }) => title === 'Fix the flaky auth test');
  expect(entry?.words).toBe('its relay refuses it');
});
