import { type Snapshot, utf8Length } from '@heliograph/wire';
import { expect, test } from 'vitest';
import { encodeSnapshot } from './snapshot.ts';

const at = (second: number) =>
  `2026-11-30T09:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}.000000Z`;
const uuid = (of: number) => `11111111-1111-4111-8111-${String(of).padStart(12, '0')}`;

function snapshot(channels: number, turns: number, pending: number): Snapshot {
  const ids = Array.from({ length: channels }, (_, i) => uuid(i));
  return {
    requestIds: [uuid(0)],
    wire: 1,
    run: uuid(1),
    now: at(0),
    agent: { name: 'agent', process: 'running' },
    host: 'host',
    policy: 'ask',
    streams: [null, ...ids].map((channelId, i) => ({
      stream: uuid(i),
      channelId,
      seq: 1,
      hash: 'a'.repeat(64),
      openedAt: at(i),
    })),
    channels: ids.map((channelId, i) => ({
      channelId,
      sessionId: 's',
      cwd: '/',
      title: null,
      turns: Array.from({ length: turns }, (_, n) => ({ turnId: uuid(n), firstSeq: n + 1 })),
      queue: [],
      pending: Array.from({ length: pending }, (_, n) => ({
        ask: 'permission' as const,
        requestNonce: String(n),
        requestSeq: n,
        requestSha256: 'a'.repeat(64),
        rpcId: String(n),
        toolCallId: 'T',
        actionable: true,
        stream: uuid(i),
        askedAt: at(n),
      })),
      lastActivity: at(i),
    })),
  };
}

test.each([
  [1, 50, 256],
  [65, 50, 3],
  [1, 5_000, 0],
])('HA106: with %i channels of %i turns and %i open requests a snapshot fits one frame', (channels, turns, pending) => {
  const whole = snapshot(channels, turns, pending);
  const payload = encodeSnapshot(whole, 7_000);
  expect(utf8Length(payload)).toBeLessThanOrEqual(7_000);
  const told = JSON.parse(payload) as Snapshot;
  const count = told.channels.reduce((sum, channel) => sum + channel.pending.length, 0);
  expect(told.pendingOmitted ?? 0).toBe(channels * pending - count);
  expect(told.channels.at(-1)?.channelId).toBe(whole.channels.at(-1)?.channelId);
});

test('HA106: turns go first, then the oldest open requests; the newest stay', () => {
  const told = JSON.parse(encodeSnapshot(snapshot(1, 50, 100), 7_000)) as Snapshot;
  expect(told.channels[0]?.turns).toEqual([]);
  expect(told.channels[0]?.pending.at(-1)?.requestNonce).toBe('99');
  expect(JSON.parse(encodeSnapshot(snapshot(1, 50, 1), 7_000))).toMatchObject({ channels: [{ pending: [{}] }] });
});
