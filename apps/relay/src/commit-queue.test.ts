import { nobleCrypto } from '@heliograph/crypto/noble';
import { type StorableEvent, type StoreEffect, storableEvent, type WriteOutcome } from '@heliograph/relay';
import { eventSigner } from '@heliograph/wire';
import { expect, it } from 'vitest';
import { CommitQueue } from './commit-queue.ts';

const key = eventSigner(new Uint8Array(32).fill(1), nobleCrypto);

function request(content: string): StoreEffect {
  const event = storableEvent(key.sign({ kind: 1, created_at: 1, tags: [], content }));
  if (event === undefined) throw new TypeError('kind 1 is durable');
  return { type: 'store', connection: 1, event };
}

/** A queue before a store whose writes end when they are told to. */
function lateQueue() {
  const batches: { contents: string[]; end(outcome: WriteOutcome | Error): void }[] = [];
  const settled: [string, string][] = [];
  const failures: unknown[] = [];
  const queue = new CommitQueue({
    store: {
      write: (events: readonly StorableEvent[]) =>
        new Promise<readonly WriteOutcome[]>((resolve, reject) => {
          batches.push({
            contents: events.map(({ content }) => content),
            end: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(events.map(() => outcome))),
          });
        }),
    },
    settle: ({ event }, outcome) => settled.push([event.content, outcome]),
    failed: (cause) => failures.push(cause),
  });
  return { queue, batches, settled, failures };
}

it('RL91: one transaction at a time; what comes meanwhile is the next one, in order', async () => {
  const { queue, batches, settled } = lateQueue();
  for (const content of ['1', '2']) queue.add(request(content));
  queue.commit();
  for (const content of ['3', '4']) queue.add(request(content));
  queue.commit();
  expect(batches.map(({ contents }) => contents)).toEqual([['1', '2']]);
  expect(settled).toEqual([]);
  batches[0]?.end('stored');
  await expect.poll(() => batches.length).toBe(2);
  expect(batches[1]?.contents).toEqual(['3', '4']);
  batches[1]?.end('duplicate');
  await queue.idle();
  expect(settled).toEqual([
    ['1', 'stored'],
    ['2', 'stored'],
    ['3', 'duplicate'],
    ['4', 'duplicate'],
  ]);
});

it('RL91: a transaction that fails fails its own events alone, and says why', async () => {
  const { queue, batches, settled, failures } = lateQueue();
  queue.add(request('lost'));
  queue.commit();
  queue.add(request('kept'));
  batches[0]?.end(new Error('connection reset'));
  await expect.poll(() => batches.length).toBe(2);
  batches[1]?.end('stored');
  await queue.idle();
  expect(settled).toEqual([
    ['lost', 'failed'],
    ['kept', 'stored'],
  ]);
  expect(failures).toEqual([new Error('connection reset')]);
});

it('RL91: what waits is bounded in bytes and a transaction in events', async () => {
  const { queue, batches, settled } = lateQueue();
  queue.add(request('first'));
  queue.commit();
  const large = request('x'.repeat(190_000));
  for (let n = 0; n < 400; n++) queue.add(large);
  const refused = settled.filter(([, outcome]) => outcome === 'failed').length;
  expect(refused).toBeGreaterThan(30);
  expect(refused).toBeLessThan(80);
  batches[0]?.end('stored');
  await expect.poll(() => batches.length).toBe(2);
  expect(batches[1]?.contents.length).toBeLessThan(60);
});

it('RL129: a transaction begins once a turn brings nothing more, and after a few turns in any case', () => {
  const { queue, batches } = lateQueue();
  const sizes = () => batches.map(({ contents }) => contents.length);
  queue.add(request('1'));
  expect(queue.commitWhenQuiet()).toBe(false);
  queue.add(request('2'));
  expect(queue.commitWhenQuiet()).toBe(false);
  expect(sizes()).toEqual([]);
  expect(queue.commitWhenQuiet()).toBe(true);
  expect(sizes()).toEqual([2]);
  expect(queue.commitWhenQuiet()).toBe(true);
  const busy = lateQueue();
  let turns = 0;
  do {
    busy.queue.add(request(`${turns}`));
    turns += 1;
  } while (!busy.queue.commitWhenQuiet());
  expect(turns).toBe(5);
  expect(busy.batches[0]?.contents).toHaveLength(5);
});
