import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import {
  connectAs,
  nowSec,
  otherOwner,
  owner,
  RawClient,
  type RelayUnderTest,
  startTestRelay,
  stranger,
  telemetry,
  template,
} from './relay-under-test.ts';

/** A TCP connection to the relay, from an address of this machine. */
function dial(relay: RelayUnderTest, localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port: Number(new URL(relay.url).port), host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

/** Publishes and receives back, as someone who notices nothing. */
async function isWell(client: RawClient): Promise<boolean> {
  return (await client.publish(otherOwner, template({ content: `${Math.random()}` }))).ok;
}

it('RL32: what is hostile in a message is answered by what was understood of it, and the connection goes on', async () => {
  const relay = await startTestRelay();
  const other = await connectAs(otherOwner, relay);
  const client = await connectAs(owner, relay);
  const event = owner.sign(template({ content: 'x' }));
  const ok = (fields: string) => `["EVENT",{${fields}}]`;
  const members = event.json.slice(1, -1);
  const cases: [string, RegExp][] = [
    [`${'['.repeat(100_000)}`, /^\["NOTICE","invalid: /],
    [`["REQ","deep",${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}]`, /^\["CLOSED","deep","unsupported: /],
    [`["REQ","big",{"since":1e400}]`, /^\["CLOSED","big","invalid: /],
    [`["REQ","big",{"kinds":[1e20]}]`, /^\["CLOSED","big","invalid: /],
    [`["REQ","big",{"limit":-1}]`, /^\["CLOSED","big","invalid: /],
    [
      ok(members.replace(`"created_at":${event.created_at}`, '"created_at":99999999999999999999')),
      /^\["OK","[0-9a-f]{64}",false,"invalid: /,
    ],
    [ok(members.replace(/"kind":1/, '"kind":65536')), /,false,"invalid: /],
    [ok(members.replace(/"content":"x"/, '"content":"\\ud800"')), /,false,"invalid: /],
    // The last of two members counts, here and in what is sent on: nobody can be shown another.
    [ok(`${members},"content":"forged"`), /,false,"invalid: id is not the hash/],
    [ok(`"content":"forged",${members}`), /,true,/],
    [
      ok(
        members.replace(
          event.id,
          event.id.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
        ),
      ),
      /,false,"invalid: id is not the hash/,
    ],
    [ok(members.replace(/"sig":"....../, '"sig":"000000')), /,false,"invalid: signature does not verify/],
    [ok(members.replace(event.pubkey, stranger.publicKey)), /,false,"invalid: id is not the hash/],
    ['["EVENT"]', /^\["NOTICE","invalid: /],
    ['["NEG-MSG","n","61"]', /^\["NEG-ERR","n","closed: /],
    ['{}', /^\["NOTICE","invalid: /],
    ['', /^\["NOTICE","invalid: /],
    [`["${'X'.repeat(1_000)}"]`, /^\["NOTICE","invalid: .{0,200}"\]$/],
    ['["COUNT","c",{"ids":["xyz"]}]', /^\["CLOSED","c","invalid: /],
  ];
  for (const [text, answer] of cases) {
    const heard = once(client.socket, 'message');
    client.socket.send(text);
    expect(String((await heard)[0]), text.slice(0, 80)).toMatch(answer);
  }
  expect(await isWell(other)).toBe(true);
});

it('RL25: a flood of one key is answered one by one with when to come back, and others do not notice', async () => {
  const relay = await startTestRelay({ limits: { eventsPerSec: 1, eventBurst: 100 } });
  const other = await connectAs(otherOwner, relay);
  const flooder = await connectAs(owner, relay);
  const events = Array.from({ length: 1_000 }, (_, n) => owner.sign(template({ kind: 20_001, content: `${n}` })));
  for (const event of events) flooder.say('EVENT', event);
  await flooder.until('OK', events.at(-1)?.id);
  const answers = flooder.heard.filter(([type]) => type === 'OK').map((message) => String(message[3]));
  expect(answers.filter((reason) => /^rate-limited: .*retry in \d+ s$/.test(reason)).length).toBeGreaterThan(850);
  expect(await isWell(other)).toBe(true);
});

it('RL25: a flood of REQs is answered CLOSED with when to come back', async () => {
  const relay = await startTestRelay({ limits: { requestsPerSec: 1, requestBurst: 10 } });
  const other = await connectAs(otherOwner, relay);
  const flooder = await connectAs(owner, relay);
  for (let n = 0; n < 500; n++) flooder.say('REQ', `${n % 50}`, { limit: 0 });
  await expect.poll(() => flooder.heard.filter(([type]) => type === 'CLOSED').length).toBeGreaterThan(480);
  expect(await isWell(other)).toBe(true);
});

it('RL63: who sends a request drop by drop is cut off, and so is who opens and says nothing', async () => {
  const relay = await startTestRelay({ limits: { headersMs: 500, unauthenticatedMs: 500 } });
  const other = await connectAs(otherOwner, relay);
  const slow = dial(relay);
  slow.write('GET / HTTP/1.1\r\nHost: x\r\nX-A');
  const drops = setInterval(() => slow.write('a'), 50);
  onTestFinished(() => clearInterval(drops));
  const idle = dial(relay);
  const silent = new RawClient(relay.url);
  slow.resume();
  idle.resume();
  await Promise.all([once(slow, 'close'), once(idle, 'close')]);
  expect(await silent.closed).toEqual({ code: 1008, reason: expect.stringMatching(/^auth-required: /) });
  expect(await isWell(other)).toBe(true);
}, 30_000);

it('RL133: connections that never ask for a WebSocket are bounded, per address and in all, and others come in past them', async () => {
  const limits = { maxHttpConnections: 12, maxHttpConnectionsPerAddress: 8, headersMs: 600_000 };
  const relay = await startTestRelay({ limits });
  const other = await connectAs(otherOwner, relay);
  const cut: Socket[] = [];
  const open = async (address: string): Promise<void> => {
    const socket = dial(relay, address);
    socket.on('close', () => cut.push(socket));
    await once(socket, 'connect');
    socket.resume();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-A');
  };
  for (let n = 0; n < 30; n++) await open('127.0.0.1');
  await expect.poll(() => cut.length, { timeout: 20_000 }).toBe(22);
  // Linux has all of 127.0.0.0/8: other addresses have room of their own, up to the whole.
  for (let n = 0; n < 20; n++) await open(`127.0.0.${2 + (n % 5)}`);
  await expect.poll(() => cut.length, { timeout: 20_000 }).toBe(38);
  expect(await (await fetch(`${relay.httpUrl}/healthz`)).json()).toEqual({ status: 'ok' });
  const late = await connectAs(owner, relay);
  expect(await late.publish(owner, template())).toMatchObject({ ok: true });
  expect(await isWell(other)).toBe(true);
  const metrics = await (await fetch(`${relay.httpUrl}/metrics`)).text();
  expect(Number(/dropped_total\{reason="http"\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThanOrEqual(38);
}, 60_000);

/** A socket that has shaken hands and speaks WebSocket by hand. */
async function dialWebSocket(relay: RelayUnderTest): Promise<Socket> {
  const raw = dial(relay);
  raw.write('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n');
  raw.write('Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n');
  await once(raw, 'data');
  return raw;
}

/** Writes the same bytes again and again, as fast as timers go. */
function keepWriting(raw: Socket, bytes: Buffer): void {
  const more = setInterval(() => raw.write(bytes), 5);
  onTestFinished(() => clearInterval(more));
}

function repeated(frame: Buffer, count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => frame));
}

it('RL63: a message that never ends is counted against the limit while it comes', async () => {
  const relay = await startTestRelay();
  const other = await connectAs(otherOwner, relay);
  const raw = await dialWebSocket(relay);
  // A text frame that does not end (no FIN), then pieces of 1,000 bytes without end.
  const piece = (opcode: number) =>
    Buffer.concat([Buffer.from([opcode, 0xfe, 0x03, 0xe8, 0, 0, 0, 0]), Buffer.alloc(1_000, 0x61)]);
  raw.write(piece(0x01));
  const chunks: Buffer[] = [];
  raw.on('data', (chunk: Buffer) => chunks.push(chunk));
  keepWriting(raw, repeated(piece(0x00), 50));
  await once(raw, 'close');
  expect(Buffer.concat(chunks).toString()).toMatch(/NOTICE.*262144 bytes/);
  expect(await isWell(other)).toBe(true);
}, 30_000);

it('RL127: a message in more pieces than a thousand gets a NOTICE and 1008, even when they are empty', async () => {
  const relay = await startTestRelay();
  const other = await connectAs(otherOwner, relay);
  const raw = await dialWebSocket(relay);
  const chunks: Buffer[] = [];
  raw.on('data', (chunk: Buffer) => chunks.push(chunk));
  raw.write(Buffer.from([0x01, 0x80, 0, 0, 0, 0]));
  keepWriting(raw, repeated(Buffer.from([0x00, 0x80, 0, 0, 0, 0]), 100));
  await once(raw, 'close');
  expect(Buffer.concat(chunks).toString()).toMatch(/NOTICE.*too many pieces/);
  expect(Buffer.concat(chunks).includes(Buffer.from([0x03, 0xf0]))).toBe(true);
  expect(await isWell(other)).toBe(true);
}, 30_000);

it('RL127: who sends pings and reads no pongs is dropped like any slow reader', async () => {
  const relay = await startTestRelay({ limits: { maxOutboundBytes: 100_000 } });
  const other = await connectAs(otherOwner, relay);
  const raw = await dialWebSocket(relay);
  raw.pause();
  keepWriting(raw, repeated(Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)]), 2_000));
  const isDropped = () => relay.log.some(({ message }) => message === 'slow reader dropped');
  await expect.poll(isDropped, { timeout: 25_000 }).toBe(true);
  expect(await isWell(other)).toBe(true);
  const polite = await connectAs(owner, relay);
  const pong = once(polite.socket, 'pong');
  polite.socket.ping('hello');
  expect(String((await pong)[0])).toBe('hello');
}, 40_000);

it('RL127: an HTTP body over 64 KiB is answered 413 while it comes, and the connection ends', async () => {
  const relay = await startTestRelay();
  const other = await connectAs(otherOwner, relay);
  const raw = dial(relay);
  raw.write(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/nostr+json+rpc\r\nContent-Length: 9000000\r\n\r\n',
  );
  keepWriting(raw, Buffer.alloc(30_000, 0x61));
  expect(String((await once(raw, 'data'))[0])).toMatch(/^HTTP\/1.1 413 [\s\S]*Connection: close/);
  await once(raw, 'close');
  expect(await isWell(other)).toBe(true);
}, 30_000);

it('RL26: connections of one address are bounded, told so, and counted down when they go', async () => {
  const relay = await startTestRelay({ limits: { maxConnectionsPerAddress: 3 } });
  const other = await connectAs(otherOwner, relay);
  const more = [await connectAs(owner, relay), await connectAs(owner, relay)];
  const refused = new RawClient(relay.url);
  expect(await refused.closed).toEqual({ code: 1013, reason: expect.stringMatching(/too many connections/) });
  more[0]?.socket.close();
  await more[0]?.closed;
  const again = new RawClient(relay.url);
  expect(await again.until('AUTH')).toHaveLength(2);
  expect(await isWell(other)).toBe(true);
});

it('RL122: a flood of connections without a key, from the address of a user too, keeps no user out', async () => {
  const relay = await startTestRelay({ limits: { maxConnectionsPerAddress: 50 } });
  const other = await connectAs(otherOwner, relay);
  const flood = Array.from({ length: 200 }, () => new RawClient(relay.url));
  await Promise.all(flood.map((client) => client.until('AUTH')));
  expect((await new RawClient(relay.url).authenticate(owner))[2]).toBe(true);
  await expect.poll(() => flood.filter(({ socket }) => socket.readyState === socket.OPEN).length).toBeLessThan(50);
  expect((await fetch(`${relay.httpUrl}/readyz`)).status).toBe(200);
  expect(await isWell(other)).toBe(true);
});

it('RL49: an owner whose telemetry readers flood still gets a cancel through', async () => {
  const relay = await startTestRelay({ limits: { eventsPerSec: 0.001, eventBurst: 50 } });
  const client = await connectAs(owner, relay);
  for (let n = 0; n < 60; n++) client.say('EVENT', owner.sign(template({ kind: 20_001, content: `${n}` })));
  const tags = telemetry('').tags.map(([name, value]) =>
    name === 'frame'
      ? [name, 'control']
      : name === 'p'
        ? ['p', telemetry('').tags[1]?.[1] ?? '']
        : [name ?? '', value ?? ''],
  );
  const answer = await client.publish(
    owner,
    template({ kind: 24_200, created_at: nowSec(), tags, content: 'A'.repeat(132) }),
  );
  expect(answer.reason).toMatch(/^mute: /);
});
