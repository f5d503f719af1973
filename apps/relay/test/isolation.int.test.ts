import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeNpub } from '@heliograph/wire';
import { expect, it } from 'vitest';
import {
  agent,
  connectAs,
  otherOwner,
  owner,
  RawClient,
  startTestRelay,
  stranger,
  telemetry,
  template,
  vouch,
} from './relay-under-test.ts';

it('RL13: a stranger neither writes nor reads, by ids, authors, empty filter or #p, while the owner does both', async () => {
  const relay = await startTestRelay();
  const mine = await connectAs(owner, relay);
  const kept = await mine.publish(owner, template({ content: 'mine', tags: [['p', owner.publicKey]] }));
  expect(kept).toMatchObject({ ok: true, reason: '' });
  const filters = {
    ids: { ids: [kept.id] },
    authors: { authors: [owner.publicKey] },
    empty: {},
    p: { '#p': [owner.publicKey] },
  };
  for (const [id, filter] of Object.entries(filters)) expect(await mine.ask(id, filter), id).toEqual([kept.id]);

  const silent = new RawClient(relay.url);
  await silent.until('AUTH');
  const refused = new RawClient(relay.url);
  const [, , ok, reason] = (await refused.authenticate(stranger)) as ['OK', string, boolean, string];
  expect(ok).toBe(false);
  expect(reason).toMatch(/^restricted: /);
  expect(reason).toContain(encodeNpub(stranger.publicKey));
  for (const [client, prefix] of [
    [silent, 'auth-required: '],
    [refused, 'restricted: '],
  ] as const) {
    for (const [id, filter] of Object.entries(filters)) expect(await client.ask(id, filter), id).toContain(prefix);
    const written = await client.publish(stranger, template({ content: 'theirs' }));
    expect(written).toMatchObject({ ok: false });
    expect(written.reason).toContain(prefix);
    const relayed = await client.publish(owner, template({ content: "the owner's words in a stranger's mouth" }));
    expect(relayed).toMatchObject({ ok: false });
  }

  const live = await mine.publish(owner, template({ content: 'while they listen', tags: [['p', owner.publicKey]] }));
  for (const id of Object.keys(filters))
    if (id !== 'ids')
      await expect.poll(() => mine.heard).toContainEqual(['EVENT', id, expect.objectContaining({ id: live.id })]);
  for (const client of [silent, refused]) expect(client.heard.filter(([type]) => type === 'EVENT')).toEqual([]);
});

it('RL8: another owner of the same relay gets neither frames nor usage of an agent that is not theirs, nor requests to a signer', async () => {
  const relay = await startTestRelay();
  const sender = await connectAs(agent, relay, vouch());
  const mine = await connectAs(owner, relay);
  const theirs = await connectAs(otherOwner, relay);
  const filters = {
    authors: { authors: [agent.publicKey] },
    empty: {},
    p: { '#p': [owner.publicKey] },
    kinds: { kinds: [24_133, 24_200, 44_200] },
  };
  for (const [id, filter] of Object.entries(filters)) {
    expect(await mine.ask(id, filter)).toEqual([]);
    expect(await theirs.ask(id, filter)).toEqual([]);
  }
  const frame = await sender.publish(agent, telemetry('A'.repeat(200)));
  const usage = await sender.publish(
    agent,
    template({ kind: 44_200, tags: [['p', owner.publicKey]], content: 'sealed' }),
  );
  const asked = await sender.publish(
    agent,
    template({ kind: 24_133, tags: [['p', owner.publicKey]], content: 'sealed' }),
  );
  const profile = await sender.publish(agent, template({ kind: 0, content: '{"name":"agent"}' }));
  expect([frame.ok, usage.ok, asked.ok, profile.ok]).toEqual([true, true, true, true]);
  // The profile went out last: what others got before it is all they get.
  const last = ['EVENT', 'empty', expect.objectContaining({ id: profile.id })];
  await expect.poll(() => mine.heard).toContainEqual(last);
  await expect.poll(() => theirs.heard).toContainEqual(last);
  const idsOf = (client: RawClient) =>
    new Set(client.heard.flatMap((message) => (message[0] === 'EVENT' ? [message[2].id] : [])));
  expect(idsOf(mine)).toEqual(new Set([frame.id, usage.id, asked.id, profile.id]));
  expect(idsOf(theirs)).toEqual(new Set([profile.id]));
  expect(await theirs.ask('stored', { ids: [usage.id, frame.id, asked.id] })).toEqual([]);
  expect(await mine.ask('stored', { ids: [usage.id, frame.id] })).toEqual([usage.id]);
});

it('RL31: a frame the viewer received is in no file of the relay and in no line of its log', async () => {
  const relay = await startTestRelay();
  const sender = await connectAs(agent, relay, vouch());
  const viewer = await connectAs(owner, relay);
  await viewer.ask('live', { kinds: [24_200], '#p': [owner.publicKey], limit: 0 });
  const canary = 'canary-5f1b'.repeat(20);
  const frame = await sender.publish(agent, telemetry(canary));
  await expect
    .poll(() => viewer.heard)
    .toContainEqual(['EVENT', 'live', expect.objectContaining({ id: frame.id, content: canary })]);
  // Something durable after it, so that files are written at all.
  const note = await sender.publish(agent, template({ content: 'durable' }));
  expect(note.ok).toBe(true);

  const forms = (text: string) => [
    Buffer.from(text),
    Buffer.from(Buffer.from(text).toString('base64').slice(2, -4)),
    Buffer.from(Buffer.from(text).toString('hex')),
  ];
  const needles = [...forms('canary-5f1bcanary'), Buffer.from(frame.id), Buffer.from(frame.id, 'hex')];
  const search = () => {
    const files = readdirSync(relay.dataDir, { recursive: true }).map((name) =>
      readFileSync(join(relay.dataDir, `${name}`)),
    );
    return [...files, Buffer.from(JSON.stringify(relay.log))];
  };
  expect(search().some((bytes) => bytes.includes(Buffer.from(note.id)))).toBe(true);
  for (const bytes of search()) for (const needle of needles) expect(bytes.includes(needle)).toBe(false);
  await relay.close();
  for (const bytes of search()) for (const needle of needles) expect(bytes.includes(needle)).toBe(false);
});

it('RL14: an attested agent is admitted, an attestation that is over is refused, both on real sockets', async () => {
  const relay = await startTestRelay();
  const now = Math.floor(Date.now() / 1_000);
  const client = new RawClient(relay.url);
  expect(await client.authenticate(agent, vouch(`created_at<${now - 5}`))).toEqual([
    'OK',
    expect.any(String),
    false,
    expect.stringMatching(/^restricted: .*ended/),
  ]);
  expect(await client.authenticate(agent, vouch(`created_at<${now + 3_600}`))).toEqual([
    'OK',
    expect.any(String),
    true,
    '',
  ]);
});
