import { MINUTE, StoryAgent } from './story-agent.ts';
import { askToPublish, authStory, MODES } from './story-auth.ts';
import { asking, fleetStory, others, READY, RELAY, relayReady, type Story } from './story-fleet.ts';
import { DEPLOY_FORM, earlyStory } from './story-forms.ts';
import { hostileForm, hostileStory } from './story-hostile.ts';
import { kindsStory, longStory } from './story-kinds.ts';

export { gooseOf, type Story } from './story-fleet.ts';

/** Days of work: one agent that tells all, one that tells little, one that tells nothing. */
function usageStory(nowMs: number): Story {
  const main = authStory(nowMs);
  for (let day = 0; day < 6; day++) {
    const tokens = { inputTokens: 412_000 - day * 31_000, outputTokens: 9_300 + day * 800, cacheReadTokens: 380_000 };
    main.used(day, { ...tokens, costUsd: 0.41 + day / 10 }).used(day, { ...tokens, costUsd: 1.1 });
  }
  const [quiet, silent, ...rest] = others(nowMs);
  quiet
    ?.used(0, { inputTokens: 90_100, outputTokens: 2_050 })
    .used(1, {}, false)
    .used(1, { inputTokens: 4_000, outputTokens: 77 });
  silent?.used(0, {}).used(0, {});
  return fleetStory(
    nowMs,
    main,
    [quiet, silent, ...rest].filter((agent) => agent !== undefined),
  );
}

/** All stories by name: a function of the time at which they are looked at. */
export const STORIES: Readonly<Record<string, (nowMs: number) => Story>> = {
  running: (nowMs) =>
    fleetStory(
      nowMs,
      authStory(nowMs).tool(
        'run-3',
        { kind: 'execute', title: 't', rawInput: { command: 'npm test -- refresh --repeat 1000' } },
        0,
      ),
    ),
  queue: (nowMs) => {
    const waits = (promptRequestId: string, position: number, text: string) =>
      ['prompt_queued', { promptRequestId, position, content: [{ type: 'text', text }] }] as const;
    const agent = authStory(nowMs).tool('run-3', { kind: 'execute', title: 't', rawInput: { command: 'npm test' } }, 0);
    agent.note(
      ...waits('11111111-1111-4111-8111-111111111111', 1, 'Then run the whole suite twice, and tell me the times.'),
    );
    agent.note(...waits('22222222-2222-4222-8222-222222222222', 2, 'Write the changelog entry.'));
    return fleetStory(nowMs, agent);
  },
  permission: (nowMs) => fleetStory(nowMs, askToPublish(authStory(nowMs))),
  form: (nowMs) => fleetStory(nowMs, authStory(nowMs).elicit(DEPLOY_FORM)),
  'form-answered': (nowMs) =>
    fleetStory(nowMs, authStory(nowMs).elicit(DEPLOY_FORM).fill({ branch: 'main', replicas: 3 }).end('end_turn')),
  page: (nowMs) =>
    fleetStory(
      nowMs,
      authStory(nowMs).elicit({
        mode: 'url',
        message: 'Log in to the registry before I publish.',
        elicitationId: 'E',
        url: 'https://registry.example.org/login?client=heliograph&next=%2Fpublish',
      }),
    ),
  early: (nowMs) => fleetStory(nowMs, earlyStory(nowMs), []),
  'hostile-form': (nowMs) => fleetStory(nowMs, hostileForm(nowMs), []),
  ended: (nowMs) =>
    fleetStory(
      nowMs,
      askToPublish(authStory(nowMs))
        .wait(2_000)
        .decide('allow')
        .wait(3_000)
        .say('It packs. All is done.', 'm3')
        .end('end_turn'),
    ),
  history: (nowMs) =>
    fleetStory(nowMs, askToPublish(authStory(nowMs, { harness: 'silent', lastHeardMs: nowMs - 7 * MINUTE }))),
  offline: (nowMs) => {
    const story = fleetStory(nowMs, authStory(nowMs, { harness: 'silent', lastHeardMs: nowMs - 7 * MINUTE }));
    const state = { phase: 'waiting', reason: 'connection refused', retryAtMs: nowMs + 8_000, sinceMs: nowMs } as const;
    return { ...story, events: [...story.events, { type: 'relay', url: RELAY, state }] };
  },
  inbox: (nowMs) => fleetStory(nowMs, askToPublish(authStory(nowMs)), [...others(nowMs), ...asking(nowMs)]),
  kinds: (nowMs) => fleetStory(nowMs, kindsStory(nowMs), []),
  usage: usageStory,
  hostile: (nowMs) => fleetStory(nowMs, hostileStory(nowMs), []),
  long: (nowMs) => fleetStory(nowMs, longStory(nowMs), []),
  new: (nowMs) =>
    fleetStory(
      nowMs,
      new StoryAgent({
        name: 'Claude',
        host: 'build-box',
        cwd: '/home/dev/src/api',
        startMs: nowMs - MINUTE,
        modes: MODES,
      }),
      [],
    ),
  empty: (nowMs) => ({ session: READY, events: [relayReady(nowMs)] }),
  'first-run': () => ({
    session: {
      phase: 'first-run',
      server: 'host',
      relay: undefined,
      problem: 'This link was used before, or is from an earlier run.',
    },
    events: [],
  }),
  away: () => ({ session: { phase: 'first-run', server: 'away', relay: undefined, problem: undefined }, events: [] }),
  import: () => ({
    session: { phase: 'first-run', server: 'other', relay: undefined, problem: undefined },
    events: [],
  }),
  landing: () => ({
    session: {
      phase: 'first-run',
      server: 'other',
      relay: { url: 'wss://relay.example.org/agents', name: 'Our relay' },
      problem: undefined,
    },
    events: [],
  }),
  'landing-here': () => ({
    session: {
      phase: 'first-run',
      server: 'other',
      relay: { url: 'ws://127.0.0.1:7447', name: 'Our relay' },
      problem: undefined,
    },
    events: [],
  }),
  device: (nowMs) => ({
    session: {
      ...READY,
      relays: ['ws://build-box:7447', 'wss://relay.example.org'],
      homeRelay: 'ws://build-box:7447',
      keptBy: 'device',
    },
    events: [relayReady(nowMs)],
  }),
  locked: () => ({ session: { phase: 'locked', keptBy: 'device', replaces: false, problem: undefined }, events: [] }),
  moved: () => ({ session: { phase: 'locked', keptBy: 'link', replaces: true, problem: undefined }, events: [] }),
};
