import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { connectAs, crypto, otherOwner, owner, RawClient, startTestRelay, template } from './relay-under-test.ts';

it.each([
  ['one byte more', (limit: number) => 'x'.repeat(limit + 1)],
  ['two megabytes', () => 'x'.repeat(2_000_000)],
  ['fewer characters but more bytes', (limit: number) => 'é'.repeat(limit / 2 + 1)],
])(
  'RL23: a message over the limit (%s) gets a NOTICE with the limit and 1009, and nobody else notices',
  async (_, make) => {
    const relay = await startTestRelay();
    const document = (await (await fetch(relay.httpUrl, { headers: { accept: 'application/nostr+json' } })).json()) as {
      limitation: { max_message_length: number };
    };
    const limit = document.limitation.max_message_length;
    const other = await connectAs(otherOwner, relay);
    const client = await connectAs(owner, relay);
    client.socket.send('x'.repeat(limit));
    expect(await client.until('NOTICE')).toEqual(['NOTICE', expect.stringMatching(/^invalid: .*JSON/)]);
    client.heard.length = 0;
    client.socket.send(make(limit));
    expect(await client.until('NOTICE')).toEqual(['NOTICE', expect.stringContaining(`${limit} bytes`)]);
    expect(await client.closed).toMatchObject({ code: 1009, reason: expect.stringContaining(`${limit}`) });
    expect(await other.publish(otherOwner, template())).toMatchObject({ ok: true });
  },
);

it('RL23: takes the largest observer frame there can be', async () => {
  const relay = await startTestRelay();
  const client = await connectAs(owner, relay);
  expect(await client.publish(owner, template({ content: 'x'.repeat(87_472) }))).toMatchObject({ ok: true });
});

it('RL32: text that is not UTF-8 gets a NOTICE and 1007, and nobody else notices', async () => {
  const relay = await startTestRelay();
  const other = await connectAs(otherOwner, relay);
  const client = await connectAs(owner, relay);
  client.socket.send(Buffer.from([0x5b, 0x22, 0xff, 0xfe]), { binary: false });
  expect(await client.until('NOTICE')).toEqual(['NOTICE', expect.stringMatching(/UTF-8/)]);
  expect(await client.closed).toMatchObject({ code: 1007 });
  expect(await other.publish(otherOwner, template())).toMatchObject({ ok: true });
});

it('RL32: binary messages get a NOTICE, and the connection goes on', async () => {
  const relay = await startTestRelay();
  const client = await connectAs(owner, relay);
  client.socket.send(Buffer.from('["REQ","a",{}]'), { binary: true });
  expect(await client.until('NOTICE')).toEqual(['NOTICE', expect.stringMatching(/text frames/)]);
  expect(await client.ask('b', {})).toEqual([]);
});

it('RL32: bytes that are no WebSocket frame end that connection only', async () => {
  const relay = await startTestRelay();
  const other = await connectAs(otherOwner, relay);
  const { port } = new URL(relay.url);
  const raw = connect(Number(port), '127.0.0.1');
  raw.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n`);
  raw.write('Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n');
  await new Promise((resolve) => raw.once('data', resolve));
  raw.write(Buffer.alloc(64, 0xff));
  raw.resume();
  await new Promise((resolve) => raw.once('end', resolve));
  raw.destroy();
  const rude = connect(Number(port), '127.0.0.1');
  rude.on('error', () => undefined);
  rude.write('\x00\x01\x02\r\n\r\n');
  rude.resume();
  await new Promise((resolve) => rude.once('close', resolve));
  expect(await other.publish(otherOwner, template())).toMatchObject({ ok: true });
});

it('RL32: a fault of our own met by one message ends that connection only, and is logged without the message', async () => {
  let isBroken = false;
  const schnorrVerify: typeof crypto.schnorrVerify = (sig, hash, key) => {
    if (isBroken) throw new Error('engine on fire');
    return crypto.schnorrVerify(sig, hash, key);
  };
  const relay = await startTestRelay({ crypto: { ...crypto, schnorrVerify } });
  const other = await connectAs(otherOwner, relay);
  const client = await connectAs(owner, relay);
  isBroken = true;
  client.say('EVENT', owner.sign(template({ content: 'unlucky' })));
  expect(await client.closed).toMatchObject({ code: 1011 });
  isBroken = false;
  expect(await other.publish(otherOwner, template())).toMatchObject({ ok: true });
  const faults = relay.log.filter(({ level }) => level === 'error');
  expect(faults).toMatchObject([{ fields: { reason: 'engine on fire' } }]);
  expect(JSON.stringify(relay.log)).not.toContain('unlucky');
});

it('RL27: who does not read is dropped with a reason once too much waits, and other readers get everything', async () => {
  const relay = await startTestRelay({ limits: { maxOutboundBytes: 1_000_000 } });
  const publisher = await connectAs(owner, relay);
  const reader = await connectAs(otherOwner, relay);
  const slow = await connectAs(otherOwner, relay);
  await reader.ask('live', { limit: 0 });
  await slow.ask('live', { limit: 0 });
  slow.socket.pause();
  const sent: string[] = [];
  const isDropped = () => relay.log.some(({ message }) => message === 'slow reader dropped');
  // What the system itself buffers for a socket comes first, and differs from machine to machine.
  while (!isDropped() && sent.length < 500) {
    const { id, ok } = await publisher.publish(
      owner,
      template({ kind: 20_001, content: `${sent.length}`.padEnd(190_000) }),
    );
    expect(ok).toBe(true);
    sent.push(id);
  }
  expect(isDropped()).toBe(true);
  await expect.poll(() => reader.heard.filter(([type]) => type === 'EVENT').length).toBe(sent.length);
  slow.socket.resume();
  expect(await slow.closed).toEqual({ code: 1013, reason: expect.stringMatching(/too slow/) });
});

it('RL28: a connection that answers no ping is ended, one that does stays', async () => {
  const relay = await startTestRelay({ limits: { pingIntervalMs: 50 } });
  const alive = await connectAs(owner, relay);
  const dead = new RawClient(relay.url);
  await dead.until('AUTH');
  dead.socket.pause();
  await expect.poll(() => relay.log.some(({ message }) => message === 'connection gave no sign of life')).toBe(true);
  dead.socket.resume();
  expect((await dead.closed).code).toBe(1006);
  expect(await alive.publish(owner, template())).toMatchObject({ ok: true });
});

it('RL26: who does not authenticate in time is closed with a reason', async () => {
  const relay = await startTestRelay({ limits: { unauthenticatedMs: 100 } });
  const client = new RawClient(relay.url);
  expect(await client.closed).toEqual({ code: 1008, reason: expect.stringMatching(/^auth-required: /) });
});
