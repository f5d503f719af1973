import type { ViewerEvent } from '@heliograph/client';
import { expect, test } from 'vitest';
import { EventBatcher } from './event-batcher.ts';

const stranger = (frames: number): ViewerEvent => ({ type: 'stranger', publicKey: 'k', frames });

test('DT19: the first event after quiet goes at once, the rest once per frame and in order', async () => {
  const posted: (readonly ViewerEvent[])[] = [];
  const timers: { delayMs: number; fire: () => void }[] = [];
  const clock = {
    nowMs: () => 0,
    setTimer(delayMs: number, fire: () => void) {
      timers.push({ delayMs, fire });
      return () => undefined;
    },
  };
  const batcher = new EventBatcher(clock, (events) => posted.push(events));

  batcher.add(stranger(1));
  expect(posted).toEqual([]);
  await Promise.resolve();
  expect(posted).toEqual([[stranger(1)]]);

  batcher.add(stranger(2));
  batcher.add(stranger(3));
  await Promise.resolve();
  expect(posted).toHaveLength(1);
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([16]);
  timers.shift()?.fire();
  expect(posted[1]).toEqual([stranger(2), stranger(3)]);

  timers.shift()?.fire();
  expect(posted).toHaveLength(2);
  batcher.add(stranger(4));
  await Promise.resolve();
  expect(posted[2]).toEqual([stranger(4)]);
});
