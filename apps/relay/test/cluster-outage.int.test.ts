import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { verifyEvent } from '@heliograph/wire';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NatsServer } from '../../../fixtures/servers/nats-server.ts';
import { PostgresServer } from '../../../fixtures/servers/postgres-server.ts';
import { NatsCluster } from '../src/cluster/nats-cluster.ts';
import { Metrics } from '../src/metrics.ts';
import {
  agent,
  connectAs,
  crypto,
  otherOwner,
  owner,
  startTestRelay,
  telemetry,
  template,
  vouch,
} from './relay-under-test.ts';
import { ClusterUnderTest, clusterOf, metric, readyz } from './support/cluster-under-test.ts';
import { TcpRoad } from './support/tcp-road.ts';

const cluster = new ClusterUnderTest();

describe('when NATS is away', () => {
  it('RL105: each relay serves its own connections, tells it in log, /readyz and /metrics, and goes on when it is back', async () => {
    const own = await NatsServer.start();
    onTestFinished(() => own.close());
    const nodes = await Promise.all([cluster.start({ nats: own.url }), cluster.start({ nats: own.url })]);
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
      cluster.start({ nats: own.url.replace(`:${own.port}`, `:${road.port}`) }),
      cluster.start({ nats: own.url }),
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
    const relay = await startTestRelay({ postgres: cluster.database, nats: 'nats://127.0.0.1:1' });
    const client = await connectAs(owner, relay);
    expect(await client.publish(owner, template())).toMatchObject({ ok: true });
    await expect
      .poll(() => clusterOf(relay))
      .toMatchObject({ connected: false, reason: expect.stringMatching(/refused/i) });
    expect(await metric(relay, 'cluster_connect_failures_total')).toBeGreaterThan(0);
  });

  it('RL105: a wrong password is told without being repeated', async () => {
    const relay = await startTestRelay({
      postgres: cluster.database,
      nats: `nats://relay:not-it@127.0.0.1:${cluster.nats.port}`,
    });
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
  const alone = new NatsCluster({
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
  onTestFinished(() => alone.close());
  await expect.poll(() => alone.state.connected).toBe(true);
  const verified = verifyEvent(owner.sign(template({ content: 'x'.repeat(190_000) })), crypto);
  if (!verified.ok) throw new Error(verified.error.message);
  for (let n = 0; n < 200; n++) alone.share(verified.value);
  const dropped = metrics.total('cluster_dropped_total');
  expect(dropped).toBeGreaterThan(100);
  expect(dropped).toBeLessThan(130);
  expect(said.filter((message) => /too slow/.test(message))).toHaveLength(1);
  // It answers no ping either, so it is left for another try.
  await expect.poll(() => alone.state.connected, { timeout: 30_000 }).toBe(false);
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
