import { type Crypto, localSigner } from '@heliograph/wire';
import { createViewer } from '../viewer.ts';
import type { KnownAgent, ViewerEvent } from '../viewer-event.ts';
import { FakeClock } from './fake-clock.ts';
import { MemoryRelay } from './memory-relay.ts';
import { TinyAgent } from './tiny-agent.ts';

export const OWNER = new Uint8Array(32).fill(1);
export const START_MS = 1_800_000_000_000;

/** A viewer, an agent it may know, and the relay between them. */
export function viewerStage(
  crypto: Crypto,
  list: (agent: TinyAgent) => KnownAgent[] = (a) => [{ publicKey: a.publicKey, name: 'one' }],
) {
  const relay = new MemoryRelay();
  const clock = new FakeClock(START_MS);
  const agent = new TinyAgent(2, OWNER, crypto, relay, clock);
  const events: ViewerEvent[] = [];
  const lost: unknown[] = [];
  let ids = 0;
  const viewer = createViewer({
    signer: localSigner(OWNER, crypto),
    relays: ['ws://relay.test'],
    agents: list(agent),
    viewerId: 'viewer-1',
    version: '0.2.0',
    openSocket: relay.open,
    clock,
    crypto,
    random: () => 1,
    uuid: () => `00000000-0000-4000-8000-${String(ids++).padStart(12, '0')}`,
    onEvent: (event) => events.push(event),
    onLost: (...what) => lost.push(what),
  });
  const of = <T extends ViewerEvent['type']>(type: T) =>
    events.filter((e): e is Extract<ViewerEvent, { type: T }> => e.type === type);
  const shown = () =>
    of('events').flatMap((e) => e.events.map((o) => `${e.agent === agent.publicKey}:${o.stream}:${o.seq}`));
  const presence = () => of('presence').at(-1)?.presence;
  return { relay, clock, agent, viewer, events, lost, of, shown, presence };
}
