import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { textFrame } from '../src/text-frame.ts';
import { connectAs, owner, RawClient, startTestRelay, template } from './relay-under-test.ts';

it('RL120: a frame of any length is read by a WebSocket client as the text it was', async () => {
  const texts = [0, 1, 124, 125, 126, 127, 128, 65_534, 65_535, 65_536, 65_537, 300_000].map((n) => 'x'.repeat(n));
  texts.push('hé😀\u2028', 'é'.repeat(62), 'é'.repeat(63), '😀'.repeat(16_384));
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, stream, head) => {
    sockets.handleUpgrade(request, stream, head, () => {
      for (const text of texts) stream.write(textFrame(text));
    });
  });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => client.terminate());
  const heard: string[] = [];
  client.on('message', (data, isBinary) => heard.push(isBinary ? 'binary' : data.toString()));
  await expect.poll(() => heard.length).toBe(texts.length);
  expect(heard.every((text, n) => text === texts[n])).toBe(true);
});

it('RL120: what was answered before a connection is ended comes before its end', async () => {
  const relay = await startTestRelay({ limits: { maxMessageBytes: 2_000 } });
  const client = await connectAs(owner, relay);
  const events = Array.from({ length: 20 }, (_, n) => owner.sign(template({ content: `${n}` })));
  // All in one write, so that the relay reads the message that is too long in the same turn as the others.
  client.socket.pause();
  const stream = (client.socket as unknown as { _socket: { cork(): void; uncork(): void } })._socket;
  stream.cork();
  client.say('REQ', 'live', { kinds: [1] });
  for (const event of events) client.say('EVENT', event);
  client.socket.send('x'.repeat(3_000));
  stream.uncork();
  client.socket.resume();
  expect((await client.closed).code).toBe(1009);
  const types = client.heard.map(([type]) => type);
  expect(types.filter((type) => type === 'EOSE').length).toBe(1);
  expect(types.at(-1)).toBe('NOTICE');
  const reader = await connectAs(owner, relay);
  // A frame that ws can't take ends the connection at once: what is not committed yet is not acknowledged either.
  const acknowledged = client.heard.flatMap((message) =>
    message[0] === 'OK' && message[3] === '' ? [message[1]] : [],
  );
  expect(await reader.ask('all', { kinds: [1] })).toEqual(expect.arrayContaining(acknowledged.slice(1)));
});

it('RL120: a client that is refused hears why before the close', async () => {
  const relay = await startTestRelay({ limits: { maxConnectionsPerAddress: 1 } });
  await connectAs(owner, relay);
  const second = new RawClient(relay.url);
  expect(await second.closed).toEqual({ code: 1013, reason: expect.stringMatching(/^too many connections/) });
  expect(second.heard).toEqual([['NOTICE', expect.stringMatching(/^too many connections/)]]);
});
