import { openPostgresStore } from '@heliograph/relay/postgres';
import { connect } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { call } from './management-call.ts';
import {
  agent,
  connectAs,
  otherOwner,
  owner,
  type RelayUnderTest,
  startTestRelay,
  stranger,
  telemetry,
  template,
  vouch,
} from './relay-under-test.ts';
import { ClusterUnderTest, clusterOf, metric, readyz } from './support/cluster-under-test.ts';

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

const cluster = new ClusterUnderTest();

describe('relays that act as one', () => {
  it('RL103: a frame and a stored event published on one reach subscribers on the other, once, and only those who may see them', async () => {
    const [first, second] = await cluster.startTwo();
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
    const [first, second] = await cluster.startTwo();
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
    const [first, second] = await cluster.startTwo();
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
    const [first] = await cluster.startTwo();
    const viewer = await connectAs(owner, first);
    await viewer.ask('live', { kinds: [1] });
    const store = await openPostgresStore(cluster.database);
    if (!store.ok) throw new Error(store.error.message);
    const subject = `heliograph.${store.value.cluster}.events`;
    await store.value.close();
    const intruder = await connect({ servers: `127.0.0.1:${cluster.nats.port}`, user: 'relay', pass: 'secret' });
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
    const mine = await cluster.start();
    cluster.changeDatabase();
    const theirs = await cluster.start();
    const reader = await connectAs(owner, theirs);
    await reader.ask('live', {});
    const writer = await connectAs(owner, mine);
    expect(await writer.publish(owner, template())).toMatchObject({ ok: true });
    expect(await reader.publish(owner, template({ content: 'own' }))).toMatchObject({ ok: true });
    await expect.poll(() => reader.heard.filter(([type]) => type === 'EVENT')).toHaveLength(1);
    expect(await clusterOf(theirs)).toMatchObject({ peers: 0 });
  });
});

it('RL132: two relays on one database, of which one has no --nats, both say so with the mend, until one is gone', async () => {
  const [joined, apart] = [await cluster.start(), await startTestRelay({ postgres: cluster.database })];
  for (const node of [joined, apart]) {
    const told = { message: expect.stringMatching(/another relay uses this database.*--nats/), level: 'error' };
    await expect.poll(() => node.log, { timeout: 20_000 }).toContainEqual(expect.objectContaining(told));
    await expect.poll(() => readyz(node)).toMatchObject({ ready: true, warning: expect.stringMatching(/--nats/) });
  }
  // Looking in with the command line is no relay.
  const visitor = await openPostgresStore(cluster.database);
  await apart.close();
  await expect
    .poll(() => joined.log.map(({ message }) => message), { timeout: 20_000 })
    .toContainEqual(expect.stringMatching(/^no other relay uses this database/));
  await expect.poll(() => readyz(joined)).not.toHaveProperty('warning');
  if (visitor.ok) await visitor.value.close();
});
