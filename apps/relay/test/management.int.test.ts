import { withAccessStore } from '@heliograph/relay';
import { hexEncode } from '@heliograph/wire';
import { expect, it } from 'vitest';
import { authorize, type Call, call } from './management-call.ts';
import {
  agent,
  connectAs,
  crypto,
  nowSec,
  otherOwner,
  owner,
  RawClient,
  startTestRelay,
  stranger,
  template,
  vouch,
} from './relay-under-test.ts';

it('RL38: NIP-86 lets owners decide on keys and events while the relay runs, and says what it can', async () => {
  const relay = await startTestRelay();
  expect((await call(relay, 'supportedmethods')).result).toEqual(
    expect.arrayContaining(['allowpubkey', 'banpubkey', 'banevent', 'changerelayname', 'stats']),
  );
  const refused = new RawClient(relay.url);
  expect((await refused.authenticate(stranger))[2]).toBe(false);
  expect(await call(relay, 'allowpubkey', [stranger.publicKey, 'a friend'])).toEqual({ status: 200, result: true });
  const member = await connectAs(stranger, relay);
  const { id } = await member.publish(stranger, template({ content: 'hello' }));
  expect((await call(relay, 'listallowedpubkeys')).result).toEqual([
    { pubkey: stranger.publicKey, reason: 'a friend' },
  ]);

  expect(await call(relay, 'banevent', [id, 'spam'])).toEqual({ status: 200, result: true });
  expect((await call(relay, 'listbannedevents')).result).toEqual([{ id, reason: 'spam' }]);
  expect(await member.ask('a', {})).toEqual([]);
  await call(relay, 'unbanevent', [id]);
  expect((await call(relay, 'listbannedevents')).result).toEqual([]);

  await call(relay, 'banpubkey', [stranger.publicKey, 'no friend']);
  expect(await member.closed).toEqual({ code: 1008, reason: expect.stringMatching(/^blocked: /) });
  expect((await call(relay, 'listallowedpubkeys')).result).toEqual([]);
  expect((await call(relay, 'listbannedpubkeys')).result).toEqual([
    { pubkey: stranger.publicKey, reason: 'no friend' },
  ]);
  await call(relay, 'unallowpubkey', [stranger.publicKey]);
  expect((await call(relay, 'listbannedpubkeys')).result).toHaveLength(1);
  await call(relay, 'unbanpubkey', [stranger.publicKey]);
  expect((await call(relay, 'listbannedpubkeys')).result).toEqual([]);

  await call(relay, 'changerelayname', ['Home <b>']);
  await call(relay, 'changerelaydescription', ['Mine']);
  const document = await fetch(relay.httpUrl, { headers: { accept: 'application/nostr+json' } });
  expect(await document.json()).toMatchObject({
    name: 'Home <b>',
    description: 'Mine',
    supported_nips: expect.arrayContaining([86]),
  });
  expect((await call(relay, 'stats')).result).toMatchObject({ connections: expect.any(Number), events: 1 });
});

it('RL38: a call that can not be served says why', async () => {
  const relay = await startTestRelay();
  expect((await call(relay, 'nonsense')).error).toMatch(/supportedmethods/);
  expect((await call(relay, 'constructor')).error).toMatch(/no such method/);
  expect((await call(relay, 'banpubkey', ['xyz'])).error).toMatch(/64 lower-case hex/);
  expect((await call(relay, 'banpubkey', [owner.publicKey])).error).toMatch(/owner/);
  expect((await call(relay, 'changerelayname', [' '])).error).toMatch(/text/);
  expect((await call(relay, 'changerelayname', [{}])).error).toMatch(/strings/);
  const broken = '{';
  const response = await fetch(relay.httpUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/nostr+json+rpc', authorization: authorize(relay, broken) },
    body: broken,
  });
  expect(await response.json()).toEqual({ error: expect.stringMatching(/JSON/) });
});

it('RL38: a call without the signature of an owner for this very request is answered 401', async () => {
  const relay = await startTestRelay();
  const tags = (...changed: string[][]) => {
    const payload = hexEncode(crypto.sha256(Buffer.from('{"method":"stats","params":[]}')));
    const all = new Map([
      ['u', relay.httpUrl],
      ['method', 'POST'],
      ['payload', payload],
      ...changed.map((tag) => tag as [string, string]),
    ]);
    return { change: { tags: [...all] } };
  };
  const cases: [Call, RegExp][] = [
    [{ key: stranger }, /no owner/],
    [{ change: { kind: 1 } }, /27235/],
    [{ change: { created_at: nowSec() - 61 } }, /created_at/],
    [{ sentBody: '{"method":"listbannedpubkeys"}' }, /payload/],
    [tags(['u', 'http://evil.test/']), /u tag/],
    [tags(['method', 'GET']), /method tag/],
    [{ change: { tags: [] } }, /u tag/],
  ];
  for (const [how, reason] of cases) {
    expect(await call(relay, 'stats', [], how)).toEqual({ status: 401, error: expect.stringMatching(reason) });
  }
  const body = '{"method":"stats"}';
  const post = (authorization?: string) =>
    fetch(relay.httpUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/nostr+json+rpc', ...(authorization ? { authorization } : {}) },
      body,
    });
  expect((await post()).status).toBe(401);
  expect((await post('Nostr e30=')).status).toBe(401);
  const once = authorize(relay, body);
  expect((await post(once)).status).toBe(200);
  expect((await post(once)).status).toBe(401);
});

it('RL46: what another process decides in the store file is in force within a second, open connections too', async () => {
  const relay = await startTestRelay();
  const its = await connectAs(agent, relay, vouch());
  const bystander = await connectAs(otherOwner, relay);
  const decided = await withAccessStore(relay.dataDir, (access) => access.setKey(agent.publicKey, 'deny', ''));
  expect(decided).toEqual({ ok: true, value: true });
  expect(await its.closed).toEqual({ code: 1008, reason: expect.stringMatching(/^blocked: /) });
  await withAccessStore(relay.dataDir, (access) => access.setKey(stranger.publicKey, 'allow'));
  const client = new RawClient(relay.url);
  await expect.poll(async () => (await client.authenticate(stranger))[2], { interval: 250 }).toBe(true);
  expect(await bystander.publish(otherOwner, template())).toMatchObject({ ok: true });
});

it('RL121: limits, public URL, name and trusted proxies that are read again are in force and told', async () => {
  const relay = await startTestRelay({ limits: { eventBurst: 50 } });
  const client = await connectAs(owner, relay);
  const owners = [owner.publicKey];
  const limits = { maxMessageBytes: 2_000, eventsPerSec: 0.01, eventBurst: 3, maxConnectionsPerAddress: 1 };
  relay.reconfigure({ owners, limits, publicUrl: 'wss://new.test', name: 'New', trustedProxies: ['127.0.0.1'] });
  const document = await fetch(relay.httpUrl, { headers: { accept: 'application/nostr+json' } });
  expect(await document.json()).toMatchObject({ name: 'New', limitation: { max_message_length: 2_000 } });
  const answers = [];
  for (let n = 0; n < 4; n++) answers.push((await client.publish(owner, template({ content: `${n}` }))).ok);
  expect(answers).toEqual([true, true, true, false]);
  // This one's address was that of the proxy: whom the proxy names counts apart.
  const forwarded = new RawClient(relay.url, { 'x-forwarded-for': '203.0.113.9' });
  expect((await forwarded.authenticate(owner, undefined, 'wss://new.test'))[2]).toBe(true);
  forwarded.socket.send('x'.repeat(2_001));
  expect((await forwarded.closed).code).toBe(1009);
  expect(() => relay.reconfigure({ owners, limits: { eventsPerSecond: 1 } as object })).toThrow(/no "eventsPerSecond"/);
  expect(() => relay.reconfigure({ owners, limits: { eventBurst: '3' as unknown as number } })).toThrow(/got "3"/);
  expect(() => relay.reconfigure({ owners, publicUrl: 'http://x' })).toThrow(/--public-url/);
  expect(relay.log.findLast(({ message }) => /configured again/.test(message))?.fields).toMatchObject({
    url: 'wss://new.test',
  });
});

it('RL57: a configuration that is read again is in force at once: owners, open kinds, retention', async () => {
  const relay = await startTestRelay();
  const gone = await connectAs(otherOwner, relay);
  const stays = await connectAs(owner, relay);
  const old = await stays.publish(owner, template({ created_at: nowSec() - 100 }));
  relay.reconfigure({
    owners: [owner.publicKey],
    open: { read: [[1, 1]], write: [] },
    retention: [{ kinds: [[1, 1]], maxAgeSec: 50 }],
  });
  expect(await gone.closed).toMatchObject({ code: 1008 });
  const guest = new RawClient(relay.url);
  await guest.until('AUTH');
  await expect.poll(async () => guest.ask(`${Math.random()}`, {})).toEqual([]);
  expect(old.ok).toBe(true);
  const document = await fetch(relay.httpUrl, { headers: { accept: 'application/nostr+json' } });
  expect(await document.json()).toMatchObject({
    retention: [{ kinds: [1], time: 50 }],
    limitation: { auth_required: false },
  });
  expect(() => relay.reconfigure({ owners: ['nobody'] })).toThrow(/--owner/);
  expect(await stays.publish(owner, template())).toMatchObject({ ok: true });
});
