import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Recipient, SocketWriter, waitingBytes } from './socket-writer.ts';

/** A recipient whose writes are kept as they were made. */
function recipient(): Recipient & { readonly writes: Buffer[]; readyState: number } {
  const stream = new PassThrough();
  const writes: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => writes.push(chunk));
  const socket = { readyState: WebSocket.OPEN as number };
  return {
    socket: socket as WebSocket,
    stream,
    burst: undefined,
    writes,
    set readyState(state: number) {
      socket.readyState = state;
    },
  };
}

const [a, b, c] = [Buffer.from('first '), Buffer.from('second '), Buffer.from('third')];

it('RL120: peers that are sent the same frames in one turn get one write each, of the same bytes', () => {
  const writer = new SocketWriter();
  const peers = [recipient(), recipient(), recipient()];
  for (const frame of [a, b, c]) for (const each of peers) writer.send(each, frame);
  expect(peers.flatMap(({ writes }) => writes)).toEqual([]);
  expect(writer.flush()).toBe(3 * 18);
  const [first] = peers[0]?.writes ?? [];
  expect(first?.toString()).toBe('first second third');
  for (const { writes } of peers) {
    expect(writes.length).toBe(1);
    expect(writes[0]?.buffer).toBe(first?.buffer);
  }
});

it('RL120: each recipient gets its own frames in their order, whatever the others are sent', () => {
  const writer = new SocketWriter();
  const [one, two, three] = [recipient(), recipient(), recipient()];
  writer.send(one, a);
  writer.send(two, b);
  writer.send(two, a);
  writer.send(one, c);
  writer.send(three, a);
  writer.send(one, a);
  writer.send(two, a);
  expect(waitingBytes(one)).toBe(17);
  writer.flush();
  writer.send(one, b);
  writer.flush();
  const text = ({ writes }: ReturnType<typeof recipient>): string[] => writes.map(String);
  expect(text(one)).toEqual(['first thirdfirst ', 'second ']);
  expect(text(two)).toEqual(['second first first ']);
  expect(text(three)).toEqual(['first ']);
});

it('RL120: flushOne goes ahead of the turn, and nothing is written to who is closing', () => {
  const writer = new SocketWriter();
  const [one, two] = [recipient(), recipient()];
  writer.send(one, a);
  writer.send(two, a);
  writer.flushOne(one);
  expect(one.writes.map(String)).toEqual(['first ']);
  two.readyState = WebSocket.CLOSING;
  expect(writer.flush()).toBe(6);
  expect([one.writes.length, two.writes.length, waitingBytes(two)]).toEqual([1, 0, 0]);
});
