import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Outbox, type Recipient, waitingBytes } from './outbox.ts';

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
  const outbox = new Outbox();
  const peers = [recipient(), recipient(), recipient()];
  for (const frame of [a, b, c]) for (const each of peers) outbox.send(each, frame);
  expect(peers.flatMap(({ writes }) => writes)).toEqual([]);
  expect(outbox.flush()).toBe(3 * 18);
  const [first] = peers[0]?.writes ?? [];
  expect(first?.toString()).toBe('first second third');
  for (const { writes } of peers) {
    expect(writes.length).toBe(1);
    expect(writes[0]?.buffer).toBe(first?.buffer);
  }
});

it('RL120: each recipient gets its own frames in their order, whatever the others are sent', () => {
  const outbox = new Outbox();
  const [one, two, three] = [recipient(), recipient(), recipient()];
  outbox.send(one, a);
  outbox.send(two, b);
  outbox.send(two, a);
  outbox.send(one, c);
  outbox.send(three, a);
  outbox.send(one, a);
  outbox.send(two, a);
  expect(waitingBytes(one)).toBe(17);
  outbox.flush();
  outbox.send(one, b);
  outbox.flush();
  const text = ({ writes }: ReturnType<typeof recipient>): string[] => writes.map(String);
  expect(text(one)).toEqual(['first thirdfirst ', 'second ']);
  expect(text(two)).toEqual(['second first first ']);
  expect(text(three)).toEqual(['first ']);
});

it('RL120: flushOne goes ahead of the turn, and nothing is written to who is closing', () => {
  const outbox = new Outbox();
  const [one, two] = [recipient(), recipient()];
  outbox.send(one, a);
  outbox.send(two, a);
  outbox.flushOne(one);
  expect(one.writes.map(String)).toEqual(['first ']);
  two.readyState = WebSocket.CLOSING;
  expect(outbox.flush()).toBe(6);
  expect([one.writes.length, two.writes.length, waitingBytes(two)]).toEqual([1, 0, 0]);
});
