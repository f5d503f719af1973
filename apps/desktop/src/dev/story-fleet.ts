import type { ViewerEvent } from '@heliograph/client';
import type { Session } from '../worker/protocol.ts';
import { MINUTE, StoryAgent } from './story-agent.ts';
import { DEPLOY_FORM } from './story-forms.ts';

/** A state of the page to look at: what its worker would have told. */
export interface Story {
  readonly session: Session;
  readonly events: readonly ViewerEvent[];
  readonly selected?: { readonly agent: string; readonly channelId: string };
}

export const RELAY = 'ws://build-box:7447';

export const READY: Session = {
  phase: 'ready',
  publicKey: 'a1'.repeat(32),
  npub: 'npub15xs6rgdp5xs6rgdp5xs6rgdp5xs6rgdp5xs6rgdp5xs6rgdp5xsqg0zjg6',
  relays: [RELAY],
  agents: [],
  homeRelay: undefined,
  device: 'Chrome on Linux (3f2a)',
  keptBy: 'host',
};

export const relayReady = (nowMs: number): ViewerEvent => ({
  type: 'relay',
  url: RELAY,
  state: { phase: 'ready', sinceMs: nowMs - 40 * MINUTE },
});

/** One of the fleet, for whoever lets it go on. */
export function gooseOf(nowMs: number): StoryAgent {
  return new StoryAgent({ name: 'goose', host: 'laptop', cwd: '/home/dev/docs', startMs: nowMs - 3 * MINUTE })
    .prompt('Docs: self-hosting guide')
    .wait(2 * MINUTE)
    .tool('t', { kind: 'edit', title: 'Edit README.md', locations: [{ path: '/home/dev/docs/README.md' }] }, 0, {
      status: 'completed',
    });
}

/** The rest of the fleet, so that the list is read as one. */
export function others(nowMs: number): readonly StoryAgent[] {
  const codex = new StoryAgent({
    name: 'Codex',
    host: 'build-box',
    cwd: '/home/dev/billing',
    startMs: nowMs - 9 * MINUTE,
  })
    .prompt('Migrate billing to v3')
    .wait(4 * MINUTE)
    .ask(
      {
        toolCallId: 'e',
        title: 'Edit rates.ts',
        kind: 'edit',
        locations: [{ path: '/home/dev/billing/src/rates.ts' }],
      },
      [
        { optionId: 'a', name: 'Yes', kind: 'allow_once' },
        { optionId: 'r', name: 'No', kind: 'reject_once' },
      ],
    );
  const gemini = new StoryAgent({ name: 'Gemini', host: 'laptop', cwd: '/home/dev/web', startMs: nowMs - 2 * MINUTE })
    .prompt('Upgrade Vite to 8')
    .wait(108_000)
    .tool('t', { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test' } }, 0);
  const nightly = new StoryAgent({
    name: 'Claude',
    host: 'build-box',
    cwd: '/home/dev/deps',
    startMs: nowMs - 420 * MINUTE,
  })
    .prompt('Nightly dependency check')
    .fail({ outcome: 'auth', error: 'Claude must sign in again on build-box', hint: 'Run claude login there.' });
  const quiet = new StoryAgent({
    name: 'Claude',
    host: 'build-box',
    cwd: '/home/dev/queue',
    startMs: nowMs - 190 * MINUTE,
  })
    .prompt('Refactor queue worker')
    .say('Done: the worker is one file now.')
    .update({ sessionUpdate: 'usage_update', used: 41_000, size: 200_000, cost: { amount: 0.62, currency: 'USD' } })
    .end('end_turn');
  const off = new StoryAgent({
    name: 'OpenCode',
    host: 'old-laptop',
    cwd: '/home/dev/scratch',
    startMs: nowMs - 2880 * MINUTE,
    harness: 'silent',
    lastHeardMs: nowMs - 2880 * MINUTE,
  })
    .prompt('Scratch')
    .say('…');
  return [codex, gemini, gooseOf(nowMs), nightly, quiet, off];
}

export function fleetStory(nowMs: number, main: StoryAgent, rest = others(nowMs)): Story {
  return {
    session: READY,
    events: [relayReady(nowMs), ...rest.flatMap((agent) => agent.viewerEvents()), ...main.viewerEvents()],
    selected: { agent: main.publicKey, channelId: main.channelId },
  };
}

/** Agents that ask something else than leave. */
export function asking(nowMs: number): readonly StoryAgent[] {
  const at = (cwd: string, minutes: number, more = {}) =>
    new StoryAgent({ name: 'goose', host: 'laptop', cwd, startMs: nowMs - minutes * MINUTE, ...more });
  return [
    at('/home/dev/deploy', 12).prompt('Deploy the fix').elicit(DEPLOY_FORM),
    at('/home/dev/early', 30, { early: true }).elicit({ ...DEPLOY_FORM, message: 'Which branch?' }),
  ];
}
