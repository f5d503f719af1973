import { nobleCrypto } from '@heliograph/crypto/noble';
import { eventSigner } from '@heliograph/wire';
import { expect, it } from 'vitest';
import { Metrics } from '../metrics.ts';
import { CatchUp } from './catch-up.ts';

const key = eventSigner(new Uint8Array(32).fill(1), nobleCrypto);
const event = key.sign({ kind: 1, created_at: 1, tags: [], content: '' });

/** A catch-up over a storage of so many events, whose reads end when they are let; `given` are the places that were read. */
function scripted(stored: number) {
  const state = { nowMs: 0, end: stored, fails: false };
  const given: number[] = [];
  const said: string[] = [];
  const line = (_: object, message: string): void => void said.push(message);
  const metrics = new Metrics();
  const catchUp = new CatchUp({
    journal: {
      end: async () => (state.fails ? Promise.reject(new Error('away')) : state.end),
      after: async (place, maxEvents) => {
        if (state.fails) throw new Error('away');
        const count = Math.min(maxEvents, state.end - place);
        given.push(place);
        return { entries: Array.from({ length: count }, () => ({ json: event.json, ageMs: 5 })), place: place + count };
      },
    },
    onEvent: () => undefined,
    log: { debug: line, info: line, warn: line, error: line },
    metrics,
    nowMs: () => state.nowMs,
  });
  return { state, catchUp, given, said, metrics };
}

it('RL131: the place to go on from is that of a quarter of a minute before the last time all was well', async () => {
  const { state, catchUp } = scripted(7);
  expect(catchUp.surePlace).toBeUndefined();
  for (let beat = 0; beat <= 10; beat++) {
    state.nowMs = beat * 2_000;
    state.end = 100 + beat;
    await catchUp.note();
  }
  // 20 s have passed: 5 s is the last note that is 15 s old at least, and the one at 4 s is that.
  expect(catchUp.surePlace).toBe(102);
  state.nowMs = 900_000;
  expect(catchUp.surePlace).toBe(102);
  state.fails = true;
  await catchUp.note();
  expect(catchUp.surePlace).toBe(102);
});

it('RL131: all of it is read, page by page, one read at a time, and no more than it can tell apart', async () => {
  const { state, catchUp, given, said, metrics } = scripted(450);
  catchUp.from(10);
  catchUp.from(400);
  catchUp.from(5);
  await expect.poll(() => metrics.total('cluster_caught_up_total')).toBe(440 + 445);
  expect(given).toEqual([10, 210, 410, 5, 205, 405]);
  given.length = 0;
  state.end = 250_000;
  catchUp.from(0);
  await expect.poll(() => metrics.total('cluster_caught_up_total')).toBe(885 + 100_000);
  expect(given[0]).toBe(150_000);
  expect(given).toHaveLength(500);
  expect(said.filter((message) => /comes to who asks/.test(message))).toHaveLength(1);
  state.fails = true;
  catchUp.from(249_000);
  await expect.poll(() => said.filter((message) => /could not be read/.test(message))).toHaveLength(1);
  // Once the storage is there again the next beat goes on from the same place.
  state.fails = false;
  given.length = 0;
  await catchUp.note();
  await expect.poll(() => given[0]).toBe(249_000);
  await catchUp.close();
});
