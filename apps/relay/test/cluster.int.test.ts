import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import { openPostgresStore } from '@heliograph/relay/postgres';
import { verifyEvent } from '@heliograph/wire';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { NatsServer } from '../../../fixtures/servers/nats-server.ts';
import { PostgresServer } from '../../../fixtures/servers/postgres-server.ts';
import { NatsCluster } from '../src/cluster/nats-cluster.ts';
import { Metrics } from '../src/metrics.ts';
import { call } from './management-call.ts';
import {
  agent,
  connectAs,
  crypto,
  otherOwner,
  owner,
  type RelayUnderTest,
  startTestRelay,
  stranger,
  telemetry,
  template,
  vouch,
} from './relay-under-test.ts';

let postgres: PostgresServer;
let nats: NatsServer;
let database: string;
beforeAll(async () => {
  [postgres, nats] = await Promise.all([PostgresServer.start(), NatsServer.start()]);
});
beforeEach(() => {
  database = postgres.database();
});
afterAll(async () => {
  await Promise.all([postgres.close(), nats.close()]);
});

/** A TCP port that leads to another one, until it is cut. */
class TcpRoad {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(target: number) {
    this.#server = createServer((near) => {
      if (this.#isCut) {
        near.destroy();
        return;
      }
      const far = createConnection(target, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
  }

  static async open(target: number): Promise<TcpRoad> {
    const road = new TcpRoad(target);
    road.#server.listen(0, '127.0.0.1');
    await once(road.#server, 'listening');
    return road;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

/** One relay of a cluster, once it reaches the others. */
async function startNode(options: Parameters<typeof startTestRelay>[0] = {}): Promise<RelayUnderTest> {
  const relay = await startTestRelay({ postgres: database, nats: nats.url, ...options });
  await expect
    .poll(() => relay.log.map(({ message }) => message))
    .toContainEqual(expect.stringMatching(/^connected to NATS/));
  return relay;
}

async function startTwo(): Promise<[RelayUnderTest, RelayUnderTest]> {
  const nodes = await Promise.all([startNode(), startNode()]);
  for (const node of nodes) await expect.poll(() => clusterOf(node)).toMatchObject({ connected: true, peers: 1 });
  return nodes;
}

async function readyz(relay: RelayUnderTest) {
  return (await (await fetch(`${relay.httpUrl}/readyz`)).json()) as { ready: boolean; cluster?: object };
}

async function clusterOf(relay: RelayUnderTest): Promise<object | undefined> {
  return (await readyz(relay)).cluster;
}

async function metric(relay: RelayUnderTest, name: string): Promise<number> {
  const text = await (await fetch(`${relay.httpUrl}/metrics`)).text();
  return Number(new RegExp(`^heliograph_relay_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** A connection of a key that is allowed as soon as the relay knows it. */
async function comeIn(key: typeof stranger, relay: RelayUnderTest) {
  let client: Awaited<ReturnType<typeof connectAs>> | undefined;
  await expect
    .poll(async () => {
      client = await connectAs(key, relay).catch(() => undefined);
      return client;
    })
    .toBeDefined();
  return client as Awaited<ReturnType<typeof connectAs>>;
}

describe('relays that act as one', () => {
  it('RL103: a frame and a stored event published on one reach subscribers on the other, once, and only those who may see them', async () => {
    const [first, second] = await startTwo();
    const sender = await connectAs(agent, first, vouch());
    const viewer = await connectAs(owner, second);
    const other = await connectAs(otherOwner, second);
    for (const client of [viewer, other]) await client.ask('live', { kinds: [1, 24_200] });
    const frame = await sender.publish(agent, telemetry('A'.repeat(200)));
    expect(frame).toMatchObject({ ok: true, reason: '' });
    const note = await sender.publish(agent, template({ content: 'durable' }));
    const event = (id: string) => ['EVENT', 'live', expect.objectContaining({ id })];
    await expect.poll(() => viewer.heard).toContainEqual(event(note.id));
    await expect.poll(() => other.heard).toContainEqual(event(note.id));
    const idsOf = (client: typeof viewer) =>
      client.heard.flatMap((message) => (message[0] === 'EVENT' ? [message[2].id] : []));
    expect(idsOf(viewer)).toEqual([frame.id, note.id]);
    expect(idsOf(other)).toEqual([note.id]);
    expect(await other.ask('stored', { ids: [note.id, frame.id] })).toEqual([note.id]);
    expect(await metric(first, 'cluster_peers')).toBe(1);
    expect(await metric(second, 'cluster_received_total')).toBeGreaterThan(1);
  });

  it('RL103: a REQ answered while the other relay writes loses nothing and gives nothing twice', async () => {
    const [first, second] = await startTwo();
    const writer = await connectAs(owner, first);
    const reader = await connectAs(otherOwner, second);
    const published: Promise<{ id: string; ok: boolean }>[] = [];
    for (let n = 0; n < 60; n++) {
      published.push(writer.publish(owner, template({ content: `${n}`, tags: [['t', 'race']] })));
      if (n % 6 === 0) void reader.ask(`${n}`, { '#t': ['race'] });
      if (n % 3 === 0) await published[n];
    }
    const ids = (await Promise.all(published)).map(({ id }) => id);
    const asked = Array.from({ length: 10 }, (_, n) => `${n * 6}`);
    for (const name of asked) {
      const got = () =>
        reader.heard.flatMap((message) => (message[0] === 'EVENT' && message[1] === name ? [message[2].id] : []));
      await expect.poll(() => [...got()].sort()).toEqual([...ids].sort());
    }
  });

  it('RL104: a ban on one relay cuts open connections of that key on all of them at once, and allowing lets it in again', async () => {
    const [first, second] = await startTwo();
    expect(await call(first, 'allowpubkey', [stranger.publicKey])).toMatchObject({ result: true });
    const member = await comeIn(stranger, second);
    expect(await call(first, 'banpubkey', [stranger.publicKey, 'enough'])).toMatchObject({ result: true });
    expect(await member.closed).toEqual({ code: 1008, reason: expect.stringMatching(/^blocked: /) });
    await expect(connectAs(stranger, second)).rejects.toThrow(/banned/);
    expect(await call(second, 'allowpubkey', [stranger.publicKey])).toMatchObject({ result: true });
    await comeIn(stranger, first);
    expect(await call(first, 'changerelayname', ['All of us'])).toMatchObject({ result: true });
    const name = async () => {
      const response = await fetch(second.httpUrl, { headers: { accept: 'application/nostr+json' } });
      return ((await response.json()) as { name: string }).name;
    };
    await expect.poll(name).toBe('All of us');
  });

  it('RL101: what somebody else says on the NATS server, malformed, forged or too large, reaches nobody and is counted', async () => {
    const [first] = await startTwo();
    const viewer = await connectAs(owner, first);
    await viewer.ask('live', { kinds: [1] });
    const store = await openPostgresStore(database);
    if (!store.ok) throw new Error(store.error.message);
    const { cluster } = store.value;
    await store.value.close();
    const intruder = await connect({ servers: `127.0.0.1:${nats.port}`, user: 'relay', pass: 'secret' });
    const subject = `heliograph.${cluster}.events`;
    const event = owner.sign(template({ content: 'true' }));
    const { json, ...members } = event;
    const forged = JSON.stringify({ ...members, content: 'forged' });
    for (const text of ['{', '[]', 'null', `${json.slice(0, -1)}`, 'x'.repeat(300_000), forged, json, json]) {
      intruder.publish(subject, text);
    }
    await intruder.flush();
    await expect.poll(() => viewer.heard).toContainEqual(['EVENT', 'live', expect.objectContaining({ id: event.id })]);
    const received = viewer.heard.filter(([type]) => type === 'EVENT');
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject(['EVENT', 'live', { content: 'true' }]);
    expect(await metric(first, 'cluster_refused_total{reason="malformed"}')).toBe(5);
    expect(await metric(first, 'cluster_refused_total{reason="forged"}')).toBe(1);
    await intruder.close();
  });

  it('RL103: relays on another database do not hear each other on the same NATS server', async () => {
    const mine = await startNode();
    database = postgres.database();
    const theirs = await startNode();
    const reader = await connectAs(owner, theirs);
    await reader.ask('live', {});
    const writer = await connectAs(owner, mine);
    expect(await writer.publish(owner, template())).toMatchObject({ ok: true });
    expect(await reader.publish(owner, template({ content: 'own' }))).toMatchObject({ ok: true });
    await expect.poll(() => reader.heard.filter(([type]) => type === 'EVENT')).toHaveLength(1);
    expect(await clusterOf(theirs)).toMatchObject({ peers: 0 });
  });
});

describe('when NATS is away', () => {
  it('RL105: each relay serves its own connections, tells it in log, /readyz and /metrics, and goes on when it is back', async () => {
    const own = await NatsServer.start();
    onTestFinished(() => own.close());
    const nodes = await Promise.all([startNode({ nats: own.url }), startNode({ nats: own.url })]);
    const [first, second] = nodes;
    const [writer, here, there] = [
      await connectAs(agent, first, vouch()),
      await connectAs(owner, first),
      await connectAs(owner, second),
    ];
    await there.ask('live', { kinds: [1, 24_200] });
    await own.end();
    for (const node of nodes) {
      await expect
        .poll(() => clusterOf(node), { timeout: 20_000 })
        .toMatchObject({ connected: false, reason: expect.any(String) });
      expect(await readyz(node)).toMatchObject({ ready: true });
      expect(await metric(node, 'cluster_connected')).toBe(0);
      expect(node.log).toContainEqual(
        expect.objectContaining({ level: 'error', message: expect.stringMatching(/only own connections are served/) }),
      );
    }
    const unheard = await writer.publish(agent, telemetry('B'.repeat(200)));
    expect(unheard).toMatchObject({ ok: false, reason: expect.stringMatching(/^error: .*can't be reached/) });
    await here.ask('live', { kinds: [1, 24_200] });
    expect(await writer.publish(agent, telemetry('C'.repeat(200)))).toMatchObject({ ok: true });
    const kept = await writer.publish(agent, template({ content: 'durable' }));
    expect(kept).toMatchObject({ ok: true });
    await expect.poll(() => here.heard).toContainEqual(['EVENT', 'live', expect.objectContaining({ id: kept.id })]);
    expect(await there.ask('stored', { ids: [kept.id] })).toEqual([kept.id]);
    await own.resume();
    for (const node of nodes) {
      await expect.poll(() => clusterOf(node), { timeout: 30_000 }).toMatchObject({ connected: true, peers: 1 });
      expect(node.log.at(-1)?.fields).toBeDefined();
      expect(await metric(node, 'cluster_connected')).toBe(1);
    }
    const again = await writer.publish(agent, telemetry('D'.repeat(200)));
    await expect.poll(() => there.heard).toContainEqual(['EVENT', 'live', expect.objectContaining({ id: again.id })]);
  });

  it('RL131: what was stored meanwhile comes live to both sides once it is back, and not again to who asked for it', async () => {
    const own = await NatsServer.start();
    onTestFinished(() => own.close());
    // Only the first relay loses the server: the way to it goes through here.
    const road = await TcpRoad.open(own.port);
    onTestFinished(() => road.close());
    const [first, second] = await Promise.all([
      startNode({ nats: own.url.replace(`:${own.port}`, `:${road.port}`) }),
      startNode({ nats: own.url }),
    ]);
    for (const node of [first, second]) await expect.poll(() => clusterOf(node)).toMatchObject({ peers: 1 });
    const [here, there] = [await connectAs(owner, first), await connectAs(owner, second)];
    for (const client of [here, there]) await client.ask('live', { kinds: [1] });
    road.cut();
    await expect.poll(() => clusterOf(first), { timeout: 20_000 }).toMatchObject({ connected: false });
    const writers = [await connectAs(otherOwner, first), await connectAs(otherOwner, second)] as const;
    const missed = [
      await writers[0].publish(otherOwner, template({ content: 'stored by the one that is cut' })),
      await writers[1].publish(otherOwner, template({ content: 'stored by the other' })),
    ] as const;
    expect(missed).toMatchObject([{ ok: true }, { ok: true }]);
    // Who asks now has both in the answer, and is given neither again.
    const asker = await connectAs(owner, second);
    expect(await asker.ask('live', { kinds: [1] })).toHaveLength(2);
    road.mend();
    const idsOf = (client: typeof here) =>
      client.heard.flatMap((message) => (message[0] === 'EVENT' && message[1] === 'live' ? [message[2].id] : []));
    for (const client of [here, there]) {
      await expect.poll(() => idsOf(client).sort(), { timeout: 30_000 }).toEqual(missed.map(({ id }) => id).sort());
    }
    // What is published now comes after everything that was to come.
    const last = await writers[0].publish(otherOwner, template({ content: 'last' }));
    for (const client of [here, there, asker]) {
      await expect.poll(() => idsOf(client), { timeout: 30_000 }).toContain(last.id);
      expect(idsOf(client)).toHaveLength(3);
    }
    expect(await metric(second, 'cluster_caught_up_total')).toBeGreaterThan(0);
  });

  it('RL105: a relay starts and serves without it, and says so', async () => {
    const relay = await startTestRelay({ postgres: database, nats: 'nats://127.0.0.1:1' });
    const client = await connectAs(owner, relay);
    expect(await client.publish(owner, template())).toMatchObject({ ok: true });
    await expect
      .poll(() => clusterOf(relay))
      .toMatchObject({ connected: false, reason: expect.stringMatching(/refused/i) });
    expect(await metric(relay, 'cluster_connect_failures_total')).toBeGreaterThan(0);
  });

  it('RL105: a wrong password is told without being repeated', async () => {
    const relay = await startTestRelay({ postgres: database, nats: `nats://relay:not-it@127.0.0.1:${nats.port}` });
    await expect
      .poll(() => clusterOf(relay))
      .toMatchObject({ connected: false, reason: expect.stringMatching(/authorization/i) });
    expect(JSON.stringify(relay.log)).not.toContain('not-it');
  });
});

it('RL105: what waits for a NATS server that takes nothing more is bounded, and what is over it is counted', async () => {
  // Greets as a NATS server does, answers the first PING, and never reads again.
  const deaf = createServer((socket) => {
    socket.write('INFO {"server_id":"deaf","version":"2.9.0","proto":1,"headers":true,"max_payload":1048576}\r\n');
    socket.once('data', () => {
      socket.write('PONG\r\n');
      socket.pause();
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  onTestFinished(() => void deaf.close());
  const { port } = deaf.address() as AddressInfo;
  const metrics = new Metrics();
  const said: string[] = [];
  const line = (_: object, message: string): void => void said.push(message);
  const cluster = new NatsCluster({
    url: `nats://127.0.0.1:${port}`,
    cluster: 'slow',
    maxEventBytes: () => 262_144,
    log: { debug: line, info: line, warn: line, error: line },
    metrics,
    onEvent: () => undefined,
    onAccess: () => undefined,
    onPeers: () => undefined,
    catchUp: { note: async () => undefined, surePlace: undefined, from: () => undefined },
  });
  onTestFinished(() => cluster.close());
  await expect.poll(() => cluster.state.connected).toBe(true);
  const verified = verifyEvent(owner.sign(template({ content: 'x'.repeat(190_000) })), crypto);
  if (!verified.ok) throw new Error(verified.error.message);
  for (let n = 0; n < 200; n++) cluster.share(verified.value);
  const dropped = metrics.total('cluster_dropped_total');
  expect(dropped).toBeGreaterThan(100);
  expect(dropped).toBeLessThan(130);
  expect(said.filter((message) => /too slow/.test(message))).toHaveLength(1);
  // It answers no ping either, so it is left for another try.
  await expect.poll(() => cluster.state.connected, { timeout: 30_000 }).toBe(false);
});

it('RL132: two relays on one database, of which one has no --nats, both say so with the mend, until one is gone', async () => {
  const [joined, apart] = [await startNode(), await startTestRelay({ postgres: database })];
  for (const node of [joined, apart]) {
    const told = { message: expect.stringMatching(/another relay uses this database.*--nats/), level: 'error' };
    await expect.poll(() => node.log, { timeout: 20_000 }).toContainEqual(expect.objectContaining(told));
    await expect.poll(() => readyz(node)).toMatchObject({ ready: true, warning: expect.stringMatching(/--nats/) });
  }
  // Looking in with the command line is no relay.
  const visitor = await openPostgresStore(database);
  await apart.close();
  await expect
    .poll(() => joined.log.map(({ message }) => message), { timeout: 20_000 })
    .toContainEqual(expect.stringMatching(/^no other relay uses this database/));
  await expect.poll(() => readyz(joined)).not.toHaveProperty('warning');
  if (visitor.ok) await visitor.value.close();
});

describe('when PostgreSQL is away', () => {
  it('RL94: questions are CLOSED and events answered OK false with error:, frames go on, /readyz says why, and all is well once it is back', async () => {
    const own = await PostgresServer.start();
    onTestFinished(() => own.close());
    const url = own.database();
    const relay = await startTestRelay({ postgres: url });
    const [client, viewer] = [await connectAs(agent, relay, vouch()), await connectAs(owner, relay)];
    const kept = await client.publish(agent, template({ content: 'kept' }));
    await viewer.ask('live', { kinds: [24_200], limit: 0 });
    await own.end('crash');
    expect(await client.publish(agent, template({ content: 'lost' }))).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^error: .*storage/),
    });
    expect(await client.ask('stored', {})).toMatch(/^error: .*storage/);
    const frame = await client.publish(agent, telemetry('A'.repeat(200)));
    await expect.poll(() => viewer.heard).toContainEqual(['EVENT', 'live', expect.objectContaining({ id: frame.id })]);
    await expect
      .poll(() => readyz(relay))
      .toMatchObject({ ready: false, check: 'storage', reason: expect.stringMatching(/PostgreSQL at 127/) });
    const about = (pattern: RegExp) => relay.log.filter(({ message }) => pattern.test(message)).length;
    // Looked for once a second: else PostgreSQL could be back before anything was missed.
    await expect.poll(() => about(/could not be looked after/)).toBeGreaterThan(0);
    expect(JSON.stringify(relay.log)).not.toContain(new URL(url).password);
    await own.resume();
    expect(await client.ask('again', { kinds: [1] })).toEqual([kept.id]);
    expect(await client.publish(agent, template({ content: 'after' }))).toMatchObject({ ok: true });
    await expect.poll(() => readyz(relay)).toMatchObject({ ready: true });
    // The log tells the beginning and the end of it, not every second between.
    await expect.poll(() => about(/looked after again/)).toBeGreaterThan(0);
    expect(about(/could not be looked after/)).toBeLessThanOrEqual(2);
  });
});
