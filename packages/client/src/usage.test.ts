import { nobleCrypto } from '@heliograph/crypto/noble';
import { KIND_USAGE, localSigner, NO_FIGURES, type UsageReport } from '@heliograph/wire';
import { describe, expect, it } from 'vitest';
import { createRelayClient } from './relay-client.ts';
import { readStored } from './stored-events.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { MemoryRelay } from './testing/memory-relay.ts';
import { TinyAgent } from './testing/tiny-agent.ts';
import { createViewer } from './viewer.ts';
import type { KnownAgent, ViewerEvent } from './viewer-event.ts';

const OWNER = new Uint8Array(32).fill(1);
const START_MS = 1_800_000_000_000;
const DAY_SEC = 86_400;

const report = (turnId: string): UsageReport => ({
  harness: 'tiny',
  model: null,
  channelId: 'c',
  sessionId: 's',
  turnId,
  turnSeq: 1,
  timestamp: '2027-01-15T08:00:00.000000Z',
  turn: { ...NO_FIGURES, inputTokens: 10 },
  cumulative: NO_FIGURES,
  deltaReliable: true,
  stopReason: 'end_turn',
});

function setup(list: (agent: TinyAgent) => KnownAgent[] = (a) => [{ publicKey: a.publicKey, name: 'one' }]) {
  const relays = [new MemoryRelay(), new MemoryRelay()] as const;
  const [relay] = relays;
  const clock = new FakeClock(START_MS);
  const agent = new TinyAgent(2, OWNER, nobleCrypto, relay, clock);
  const events: ViewerEvent[] = [];
  const start = (urls = ['ws://0.test']) =>
    createViewer({
      signer: localSigner(OWNER, nobleCrypto),
      relays: urls,
      agents: list(agent),
      viewerId: 'viewer-1',
      openSocket: (url) => relays[Number(url.at(5))]?.open(url) ?? relay.open(url),
      clock,
      crypto: nobleCrypto,
      random: () => 1,
      uuid: () => '00000000-0000-4000-8000-000000000000',
      onEvent: (event) => events.push(event),
    });
  const turns = () => events.flatMap((e) => (e.type === 'usage' ? [e.report.turnId] : []));
  const warnings = () => events.filter((e) => e.type === 'warning');
  /** Deciphering takes more turns of the event loop than one. */
  const settle = async () => {
    for (let round = 0; round < 40; round++) await clock.settle();
  };
  return { relay, relays, clock, agent, events, start, turns, warnings, settle };
}

describe('usage', () => {
  it('US12: stored and live usage of admitted agents is told, each turn once whichever relay brings it', async () => {
    const { relays, agent, start, turns, settle, events } = setup();
    const stored = await agent.usage(report('stored'), 3_600);
    for (const relay of relays) relay.stored.push(stored);
    start(['ws://0.test', 'ws://1.test']);
    await settle();
    const live = await agent.usage(report('live'));
    for (const relay of relays) relay.deliver(live);
    await settle();
    expect(turns()).toEqual(['stored', 'live']);
    expect(events.find((e) => e.type === 'usage')).toEqual({
      type: 'usage',
      agent: agent.publicKey,
      id: stored.id,
      report: report('stored'),
    });
  });

  it('US12: not that of strangers, revoked agents, other owners or forgers, nor what is malformed', async () => {
    const { relay, clock, agent, start, turns, warnings, settle } = setup();
    const good = await agent.usage(report('good'));
    const forged = { ...(await agent.usage(report('forged'))), sig: good.sig };
    const stranger = await new TinyAgent(3, OWNER, nobleCrypto, relay, clock).usage(report('stranger'));
    const foreign = await new TinyAgent(2, new Uint8Array(32).fill(9), nobleCrypto, relay, clock).usage(
      report('foreign'),
    );
    const broken = await agent.usage({ ...report('broken'), turn: { ...NO_FIGURES, inputTokens: -1 } });
    relay.stored.push(good, forged, stranger, foreign, broken);
    start();
    await settle();
    expect(turns()).toEqual(['good']);
    expect(warnings()).toEqual([expect.objectContaining({ code: 'undecodable', agent: agent.publicKey })]);

    const revoked = setup((a) => [{ publicKey: a.publicKey, name: 'x', revoked: true }]);
    revoked.relay.stored.push(await revoked.agent.usage(report('revoked')));
    revoked.start();
    await revoked.settle();
    expect(revoked.turns()).toEqual([]);
  });

  it('US12: that of an agent somebody vouches for later is read then; an attestation for frames alone does not cover it', async () => {
    const { relay, agent, start, turns, settle } = setup(() => []);
    relay.stored.push(await agent.usage(report('before')));
    const viewer = start();
    await settle();
    expect(turns()).toEqual([]);
    relay.deliver(await agent.profile('named'));
    await settle();
    expect(turns()).toEqual(['before']);
    viewer.close();

    const bound = setup(() => []);
    const framesOnly = new TinyAgent(4, OWNER, nobleCrypto, bound.relay, bound.clock, 'kind=24200');
    bound.relay.stored.push(await framesOnly.profile('frames'), await framesOnly.usage(report('uncovered')));
    bound.start();
    await bound.settle();
    expect(bound.turns()).toEqual([]);
  });

  it('US13: it is read again after the connection broke, and nothing older than a month', async () => {
    const { relay, agent, start, turns, clock, settle } = setup();
    relay.stored.push(await agent.usage(report('new')), await agent.usage(report('old'), 32 * DAY_SEC));
    start();
    await settle();
    expect(turns()).toEqual(['new']);
    relay.stored.push(await agent.usage(report('while away')));
    for (const peer of [...relay.peers]) relay.drop(peer, 'broken');
    await clock.advance(5_000);
    await settle();
    expect(turns()).toEqual(['new', 'while away']);
  });

  it('US13: it is read page by page, newest first', async () => {
    const { relay, clock, settle } = setup();
    relay.challenges = false;
    relay.requiresAuth = false;
    // What a page holds is none of its business: it is verified elsewhere.
    const event = { pubkey: 'a'.repeat(64), kind: KIND_USAGE, tags: [], content: '', sig: 'b'.repeat(128) };
    for (let at = 0; at < 450; at++) {
      relay.stored.push({
        ...event,
        id: at.toString(16).padStart(64, '0'),
        created_at: 1_000_000 - Math.floor(at / 2),
      });
    }
    const signer = localSigner(OWNER, nobleCrypto);
    const client = createRelayClient({ url: 'ws://r', signer, openSocket: relay.open, clock, random: () => 1 });
    await clock.advance(1_000);
    const seen: string[] = [];
    const reading = readStored(
      client,
      { kinds: [KIND_USAGE] },
      async ({ id }) => void seen.push(id),
      new AbortController().signal,
    );
    await settle();
    await reading;
    expect([...new Set(seen)]).toEqual(relay.stored.map(({ id }) => id));
    expect(seen.length).toBeLessThan(470);
    client.close();
  });
});
