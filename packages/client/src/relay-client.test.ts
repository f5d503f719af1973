import { nobleCrypto } from '@heliograph/crypto/noble';
import { type EventTemplate, localSigner, type VerifiedEvent } from '@heliograph/wire';
import { describe, expect, it } from 'vitest';
import { createRelayClient, type RelayClient, type SubscriptionItem } from './relay-client.ts';
import type { RelayState } from './relay-state.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { MemoryRelay } from './testing/memory-relay.ts';

const signer = localSigner(new Uint8Array(32).fill(7), nobleCrypto);

function sign(content: string, kind = 1): VerifiedEvent {
  const template: EventTemplate = { kind, created_at: 1_800_000_000, tags: [], content };
  return signer.sign(template);
}

function setup(change: (relay: MemoryRelay) => void = () => {}) {
  const relay = new MemoryRelay();
  change(relay);
  const clock = new FakeClock(1_800_000_000_000);
  const states: RelayState[] = [];
  const client = createRelayClient({
    url: 'ws://relay.test',
    signer,
    openSocket: relay.open,
    clock,
    random: () => 1,
    onState: (state) => states.push(state),
  });
  return { relay, clock, client, states };
}

/** Collects what a subscription yields, as it comes. */
function collect(client: RelayClient, filters = [{ kinds: [1] }]) {
  const abort = new AbortController();
  const items: SubscriptionItem[] = [];
  const ended = (async () => {
    for await (const item of client.subscribe(filters, { signal: abort.signal })) items.push(item);
  })();
  return { items, abort, ended };
}

const types = (said: readonly string[]) => said.map((text) => JSON.parse(text)[0] as string);

describe('the relay client', () => {
  it('RC1: authenticates before it asks or sends anything', async () => {
    const { relay, clock, client } = setup();
    collect(client);
    await clock.settle();
    expect(client.state.phase).toBe('ready');
    expect(types(relay.peers[0]?.said ?? [])).toEqual(['AUTH', 'REQ']);
  });

  it('RC2: goes on without AUTH at a relay that does not ask for it', async () => {
    const { relay, clock, client } = setup((r) => {
      r.challenges = false;
      r.requiresAuth = false;
    });
    collect(client);
    await clock.advance(1_000);
    expect(types(relay.peers[0]?.said ?? [])).toEqual(['REQ']);
    expect(await client.publish(sign('a'), { timeoutMs: 1_000 })).toMatchObject({ ok: true });
  });

  it("RC3: answers a publish with the relay's own word, a timeout, or that it is offline", async () => {
    const { relay, clock, client } = setup();
    expect(await client.publish(sign('early'), { timeoutMs: 1_000 })).toMatchObject({ error: { code: 'offline' } });
    await clock.settle();
    relay.answer = (event) => (event.content === 'lost' ? 'silence' : [false, `${event.content}: because`]);
    for (const code of ['restricted', 'rate-limited', 'mute', 'invalid', 'error', 'pow', 'blocked']) {
      expect(await client.publish(sign(code), { timeoutMs: 1_000 })).toMatchObject({ error: { code } });
    }
    expect(await client.publish(sign('duplicate'), { timeoutMs: 1_000 })).toMatchObject({ ok: true });
    expect(await client.publish(sign('whatever'), { timeoutMs: 1_000 })).toMatchObject({ error: { code: 'refused' } });
    const lost = client.publish(sign('lost'), { timeoutMs: 1_000 });
    await clock.advance(1_000);
    expect(await lost).toMatchObject({ error: { code: 'timeout' } });
  });

  it('RC4: sends an event refused for lack of AUTH once more after AUTH, and only once', async () => {
    const { relay, clock, client } = setup();
    await clock.settle();
    const peer = relay.peers[0] as NonNullable<(typeof relay.peers)[0]>;
    peer.authenticated = false;
    expect(await client.publish(sign('again'), { timeoutMs: 1_000 })).toMatchObject({ ok: true });
    relay.answer = () => [false, 'auth-required: never enough'];
    expect(await client.publish(sign('never'), { timeoutMs: 1_000 })).toMatchObject({
      error: { code: 'auth-required' },
    });
    expect(types(peer.said).filter((type) => type === 'EVENT')).toHaveLength(4);
  });

  it('RC5: asks again after a CLOSED that wanted AUTH', async () => {
    const { relay, clock, client } = setup((r) => {
      r.challenges = false;
    });
    const { items } = collect(client);
    await clock.advance(1_000);
    relay.peers[0]?.socket.onMessage('["AUTH","late challenge"]');
    await clock.advance(6_000);
    expect(items.at(-1)).toEqual({ type: 'eose' });
    expect(items.filter((item) => item.type === 'eose').length).toBeGreaterThanOrEqual(1);
  });

  it('RC6: comes back after a broken connection, asks for the same again and says since when it may have missed events', async () => {
    const { relay, clock, client, states } = setup();
    const { items } = collect(client);
    await clock.settle();
    for (let outage = 0; outage < 3; outage++) {
      relay.down = true;
      for (const peer of [...relay.peers]) relay.drop(peer, 'gone');
      await clock.advance(15_000);
      expect(client.state).toMatchObject({ phase: 'waiting', reason: 'connection refused' });
      relay.down = false;
      await clock.advance(31_000);
      expect(client.state.phase).toBe('ready');
    }
    relay.deliver(sign('back'));
    await clock.settle();
    expect(items.map((item) => item.type)).toEqual(['eose', 'gap', 'eose', 'gap', 'eose', 'gap', 'eose', 'event']);
    expect(states.filter((state) => state.phase === 'waiting').every((state) => state.retryAtMs !== undefined)).toBe(
      true,
    );
  });

  it('RC7: tells why the relay refused the key, and hurries less then', async () => {
    const { relay, clock, client } = setup((r) => {
      r.authRefusal = 'restricted: npub1… is not admitted';
    });
    await clock.settle();
    expect(client.state).toMatchObject({ phase: 'waiting', reason: 'restricted: npub1… is not admitted' });
    expect((client.state.retryAtMs ?? 0) - clock.nowMs()).toBe(5_000);
    relay.authRefusal = undefined;
    await clock.advance(5_000);
    expect(client.state.phase).toBe('ready');
  });

  it('RC8: finds a half-open connection by asking', async () => {
    const { relay, clock, client } = setup();
    await clock.settle();
    relay.deaf = true;
    await clock.advance(29_000);
    expect(client.state.phase).toBe('ready');
    await clock.advance(12_000);
    expect(client.state.phase).not.toBe('ready');
    relay.deaf = false;
    await clock.advance(31_000);
    expect(client.state.phase).toBe('ready');
    await clock.advance(120_000);
    expect(client.state.phase).toBe('ready');
  });

  it('RC8: counts from when it last heard something', async () => {
    const { relay, clock, client } = setup();
    await clock.settle();
    await clock.advance(5_000);
    relay.peers[0]?.socket.onMessage('["NOTICE","hello"]');
    relay.deaf = true;
    await clock.advance(39_000);
    expect(client.state.phase).toBe('ready');
    await clock.advance(2_000);
    expect(client.state.phase).not.toBe('ready');
  });

  it('RC9: survives whatever a relay says', async () => {
    const { relay, clock, client } = setup();
    const { items } = collect(client);
    await clock.settle();
    for (const text of ['', 'null', '{"a":1}', '["EVENT"]', '["EVENT","s1",{}]', '["OK",1,2,3]', '["AUTH"]', '[[[[']) {
      relay.peers[0]?.socket.onMessage(text);
    }
    await clock.settle();
    expect(client.state.phase).toBe('ready');
    expect(items).toEqual([{ type: 'eose' }]);
  });

  it('RC10: ends a subscription and itself when told', async () => {
    const { relay, clock, client } = setup();
    const one = collect(client);
    const two = collect(client);
    await clock.settle();
    one.abort.abort();
    await one.ended;
    expect(relay.peers[0]?.subscriptions.size).toBe(1);
    client.close();
    await two.ended;
    await clock.advance(60_000);
    expect(client.state.phase).toBe('stopped');
    expect(relay.peers).toHaveLength(0);
  });
});
