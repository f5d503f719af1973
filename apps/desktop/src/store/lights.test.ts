import { expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import type { AgentRecord, RelayRecord } from './desktop-store.ts';
import { readAgentState, readLights } from './lights.ts';
import { ToldSessions } from './told-sessions.ts';
import { UsageBook } from './usage-book.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const presence = new StoryAgent({
  name: 'Claude',
  host: 'build-box',
  cwd: '/srv',
  startMs: NOW,
  lastHeardMs: NOW - 240_000,
}).presence();
const agent = (change: Partial<typeof presence>): AgentRecord => ({
  publicKey: 'k',
  given: 'Claude',
  name: 'Claude',
  revoked: false,
  presence: { ...presence, ...change },
  told: new ToldSessions(),
  usage: new UsageBook(),
  repairs: { awaited: [], gone: [] },
  snapshot: undefined,
  version: 0,
});
const ready: RelayRecord = { url: 'ws://r', state: { phase: 'ready', sinceMs: NOW } };

test('DT13: relay, harness and agent are three truths, each a sentence', () => {
  const lights = readLights([ready], agent({}), NOW);
  expect(lights).toEqual({
    relay: { sign: 'ok', words: 'Connected to ws://r.' },
    harness: { sign: 'ok', words: 'The harness on build-box answers; last heard 4 m ago.' },
    agent: { sign: 'ok', words: 'The agent is running.' },
  });
});

test('DT13: a broken relay says why and when it is tried again; no relay says what to do', () => {
  const waiting: RelayRecord = {
    url: 'ws://r',
    state: { phase: 'waiting', reason: 'connection refused', retryAtMs: NOW + 7_400, sinceMs: NOW },
  };
  expect(readLights([waiting], agent({}), NOW).relay).toEqual({
    sign: 'bad',
    words: 'ws://r can’t be reached: connection refused. Next try in 8 s.',
  });
  expect(readLights([waiting, ready], agent({}), NOW).relay.sign).toBe('ok');
  expect(readLights([], agent({}), NOW).relay.words).toContain('--relay');
});

test('DT13: of a silent harness the agent’s state is not known', () => {
  const lights = readLights([ready], agent({ harness: 'silent' }), NOW);
  expect(lights.harness).toEqual({
    sign: 'bad',
    words: 'The harness on build-box does not answer; last heard 4 m ago.',
  });
  expect(lights.agent).toEqual({ sign: 'wait', words: 'Whether the agent runs is not known now.' });
  expect(readLights([ready], agent({ process: 'exited' }), NOW).agent.sign).toBe('bad');
  const { lastHeardMs: _, host: __, ...unheard } = presence;
  const never = {
    ...agent({}),
    presence: { ...unheard, lastHeardMs: undefined, host: undefined, harness: 'silent' as const },
  };
  expect(readLights([ready], never, NOW).harness.words).toBe(
    'Claude has not been in touch since this page was opened: its harness does not run, or reaches none of your relays. “heliograph doctor” on its machine says which.',
  );
  expect(readLights([ready], undefined, NOW).harness.words).toBe('No agent is chosen.');
});

test('DT192: each agent says in a few words how it is, by the worse of its own two lights', () => {
  const state = (change: Partial<typeof presence>, relay = ready) => {
    const { sign, words } = readAgentState([relay], agent(change), NOW);
    return `${sign}: ${words}`;
  };
  expect(state({})).toBe('ok: runs on build-box');
  expect(state({ process: 'exited' })).toBe('bad: has ended on build-box');
  expect(state({ harness: 'waiting' })).toBe('wait: being asked on build-box');
  expect(state({ harness: 'silent' })).toBe('bad: no answer on build-box for 4 m');
  const invited = agent({ harness: 'silent', lastHeardMs: undefined });
  const stateOf = (one: typeof invited) => {
    const { sign, words } = readAgentState([ready], one, NOW);
    return `${sign}: ${words}`;
  };
  // One that was only invited has failed at nothing; one with sessions does not answer.
  expect(stateOf(invited)).toBe('wait: has not been in touch yet');
  const told = new ToldSessions();
  told.take({ agent: invited.publicKey, channels: ['c'], transcripts: [] });
  expect(stateOf({ ...invited, told })).toBe('bad: no answer so far');
  expect(state({}, { url: 'ws://r', state: undefined })).toBe('wait: not known: the relay is away');
});

test('DT202: an agent that a relay refuses is not called silent: the relay’s words say why, and how it is let in', () => {
  const words = `npub1x is banned from this relay; its operator can let it in again with: heliograph relay allow npub1x`;
  const refused = agent({ harness: 'silent', refusal: { relay: 'ws://r', words } });
  expect(readLights([ready], refused, NOW).harness).toEqual({
    sign: 'bad',
    words: `ws://r refuses Claude: ${words}.`,
  });
  expect(readAgentState([ready], refused, NOW)).toEqual({ sign: 'bad', words: 'refused by ws://r' });
  const hostile = agent({ harness: 'silent', refusal: { relay: 'ws://r', words: `\u202e${'x'.repeat(5_000)}` } });
  expect(readLights([ready], hostile, NOW).harness.words).toContain('U+202E');
  expect(readLights([ready], hostile, NOW).harness.words.length).toBeLessThan(700);
});

test('DT40: while no relay is there, what harness and agent do is not known', () => {
  const waiting: RelayRecord = { url: 'ws://r', state: { phase: 'waiting', retryAtMs: NOW, sinceMs: NOW } };
  expect(readLights([waiting], agent({ process: 'running' }), NOW)).toMatchObject({
    harness: { sign: 'wait', words: 'Whether the harness answers is not known: the relay is away.' },
    agent: { sign: 'wait', words: 'Whether the agent runs is not known: the relay is away.' },
  });
});

test('DT41: a relay that refuses the key says so with the whole mend; a broken connection is told in words', () => {
  const words = (reason: string) =>
    readLights(
      [{ url: 'ws://r', state: { phase: 'waiting', reason, retryAtMs: NOW + 1_000, sinceMs: NOW } }],
      undefined,
      NOW,
    ).relay.words;
  const mend = `run heliograph relay --owner ${'n'.repeat(500)}`;
  for (const prefix of ['restricted', 'auth-required', 'blocked']) {
    expect(words(`${prefix}: ${mend}.`)).toBe(`ws://r refuses your key: ${mend}. Next try in 1 s.`);
  }
  const again: RelayRecord = { url: 'ws://r', state: { phase: 'connecting', reason: 'blocked: no', sinceMs: NOW } };
  expect(readLights([again], undefined, NOW).relay).toEqual({
    sign: 'bad',
    words: 'ws://r refuses your key: no. Trying again.',
  });
  expect(words('closed with code 1006')).toBe(
    'ws://r can’t be reached: the connection broke; is the relay running? Next try in 1 s.',
  );
});

test('DT47: of an agent’s end is told only while its harness answers', () => {
  const words = (harness: 'live' | 'silent') =>
    readLights([ready], agent({ harness, process: 'exited' }), NOW).agent.words;
  expect(words('live')).toContain('process has ended');
  expect(words('silent')).not.toContain('process has ended');
});
