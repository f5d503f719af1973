import { expect, test } from 'vitest';
import { STORIES } from '../dev/stories.ts';
import { applyEvents, applySession, createDesktopStore } from './desktop-store.ts';
import { selectFleet, selectSilentAgents } from './fleet.ts';

const NOW = Date.UTC(2026, 10, 30, 12);

function stateOf(story: string) {
  const { session, events } = STORIES[story]?.(NOW) ?? { session: { phase: 'opening' as const }, events: [] };
  return applyEvents(applySession(createDesktopStore().getState(), session), events);
}

test('DT12: sessions are listed by what they need of the owner, the newest first, each with what it does', () => {
  const groups = selectFleet(stateOf('permission').agents);
  const told = groups.map(({ name, entries }) => [name, entries.map(({ title, words, code }) => [title, words, code])]);
  expect(told).toEqual([
    [
      'Needs you',
      [
        ['Fix the flaky auth test', 'Claude wants to run', 'npm publish --dry-run'],
        ['Migrate billing to v3', 'Codex wants to edit', 'src/rates.ts'],
      ],
    ],
    [
      'Running',
      [
        ['Upgrade Vite to 8', 'Gemini is running', 'npm test'],
        ['Docs: self-hosting guide', 'goose edited', 'README.md'],
      ],
    ],
    ['Failed', [['Nightly dependency check', 'Claude must sign in again on build-box', undefined]]],
    [
      'Quiet',
      [
        ['Refactor queue worker', 'Ended its turn · 41 k tokens · $0.62', undefined],
        ['Scratch', 'old-laptop does not answer', undefined],
      ],
    ],
  ]);
});

test('DT12: what a silent harness left running or asking counts as neither', () => {
  const statuses = selectFleet(stateOf('history').agents).flatMap(({ entries }) => entries);
  expect(statuses.find(({ title }) => title === 'Fix the flaky auth test')?.status).toBe('off');
});

test('DT12: revoked agents are not listed; agents without a session get a line', () => {
  const state = stateOf('permission');
  const agents = state.agents.map((agent) => ({ ...agent, revoked: agent.name === 'Codex' }));
  const titles = selectFleet(agents).flatMap(({ entries }) => entries.map(({ title }) => title));
  expect(titles).not.toContain('Migrate billing to v3');
  expect(titles).toContain('Fix the flaky auth test');
  const session = {
    phase: 'ready',
    publicKey: 'k',
    npub: 'n',
    relays: [],
    agents: [{ publicKey: 'a', name: 'New' }],
    homeRelay: undefined,
    keptBy: 'host',
  } as const;
  const fresh = applySession(createDesktopStore().getState(), session);
  expect(selectSilentAgents(fresh.agents).map(({ name }) => name)).toEqual(['New']);
});

test('DT42: sessions that nobody prompted yet are told apart by agent and host', () => {
  const words = selectFleet(stateOf('new').agents).flatMap(({ entries }) => entries.map((entry) => entry.words));
  expect(words).toEqual(['Claude · build-box · waits for its first prompt']);
  const named = stateOf('new').agents.map((agent) => ({ ...agent, name: 'claude on build-box' }));
  expect(selectFleet(named)[0]?.entries[0]?.words).toBe('claude on build-box · waits for its first prompt');
});

test('DT75: a session that is not open yet needs the owner when its agent asks before it is', () => {
  const { session, events } = STORIES.early?.(NOW) ?? { session: { phase: 'opening' as const }, events: [] };
  const state = applyEvents(applySession(createDesktopStore().getState(), session), events);
  expect(selectFleet(state.agents).map(({ name, entries }) => [name, entries.map(({ words }) => words)])).toEqual([
    ['Needs you', ['Claude asks you: Which branch?']],
  ]);
});
