import { expect, test } from 'vitest';
import { readResult, readSnapshot } from './read-snapshot.ts';

const WHOLE = {
  requestIds: ['r'],
  wire: 1,
  run: 'run',
  now: '2026-11-30T09:00:00.000000Z',
  agent: { name: 'a', process: 'running', accepts: ['image'] },
  host: 'h',
  policy: 'allow',
  streams: [{ stream: 's', seq: 1, hash: 'x', channelId: null, openedAt: '' }],
  channels: [
    {
      channelId: 'c',
      sessionId: 'S',
      cwd: '/',
      title: 't',
      turns: [{ turnId: 't1', firstSeq: 1 }],
      queue: [{ promptRequestId: 'p', position: 1 }],
      config: { modes: {} },
      policy: 'reject',
      closed: true,
      pending: [],
      lastActivity: '',
    },
  ],
  pending: [],
};

test('VI31: a snapshot of the right shape is taken as it is', () => {
  expect(readSnapshot(WHOLE)).toEqual(WHOLE);
});

test.each([[5], ['x'], [null], [[null]], [[5]], [[[]]], [[{}]], [{}], [undefined]])(
  'VI31: whatever stands in a snapshot’s members (%j), what viewers read of it is there and of its type',
  (value) => {
    for (const member of Object.keys(WHOLE)) {
      const read = readSnapshot({ ...WHOLE, [member]: value });
      expect([typeof read.host, typeof read.now, typeof read.agent.name, typeof read.agent.process]).toEqual(
        Array(4).fill('string'),
      );
      for (const list of [read.streams, read.channels, read.pending ?? [], read.agent.accepts ?? []])
        for (const entry of list) expect(entry).toBeTruthy();
      expect(['ask', 'allow', 'reject']).toContain(read.policy);
    }
    for (const member of Object.keys(WHOLE.channels[0] ?? {})) {
      const [channel] = readSnapshot({ ...WHOLE, channels: [{ ...WHOLE.channels[0], [member]: value }] }).channels;
      if (channel === undefined) continue;
      expect([typeof channel.channelId, typeof channel.cwd, typeof channel.lastActivity]).toEqual(
        Array(3).fill('string'),
      );
      for (const list of [channel.turns, channel.queue, channel.pending])
        for (const entry of list) expect(typeof entry).toBe('object');
    }
  },
);

test('VI31: of a result only texts are taken for what is shown as text', () => {
  const result = { type: 'prompt', status: 'rejected', reason: { a: 1 }, turnId: 7, missing: [[1, 2]], value: true };
  expect(readResult(result)).toEqual({ type: 'prompt', status: 'rejected', missing: [[1, 2]], value: true });
  expect(readResult({ type: 'prompt', status: 5 })).toBeUndefined();
  expect(readResult(undefined)).toBeUndefined();
});
