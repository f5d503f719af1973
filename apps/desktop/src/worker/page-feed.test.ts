import { expect, test } from 'vitest';
import { PageFeed } from './page-feed.ts';
import type { PageEvent } from './session-told.ts';

const stranger = (frames: number): PageEvent => ({ type: 'stranger', publicKey: 'k', frames });
const changesOf = (agent: string): PageEvent => ({ type: 'changes', changes: { agent, transcripts: [] } });

function open() {
  const posted: (readonly PageEvent[])[] = [];
  const changes: PageEvent[] = [];
  const feed = new PageFeed({ post: (events) => posted.push(events), changes: () => changes.splice(0) });
  return { feed, posted, changes };
}

test('DT19: the first after quiet goes at once, the rest in one message each time the page has painted, in order', async () => {
  const { feed, posted } = open();
  feed.add(stranger(1));
  expect(posted).toEqual([]);
  await Promise.resolve();
  expect(posted).toEqual([[stranger(1)]]);

  feed.add(stranger(2));
  await Promise.resolve();
  feed.add(stranger(3));
  await Promise.resolve();
  expect(posted).toHaveLength(1);
  feed.painted();
  expect(posted[1]).toEqual([stranger(2), stranger(3)]);

  feed.painted();
  expect(posted).toHaveLength(2);
  feed.add(stranger(4));
  await Promise.resolve();
  expect(posted[2]).toEqual([stranger(4)]);
});

test('DT170: what is told of sessions is what they are when it is sent, whatever happened since the page painted last', async () => {
  const { feed, posted, changes } = open();
  changes.push(changesOf('a'));
  feed.changed();
  feed.changed();
  await Promise.resolve();
  expect(posted).toEqual([[changesOf('a')]]);
  for (let n = 0; n < 100; n++) feed.changed();
  await Promise.resolve();
  expect(posted).toHaveLength(1);
  changes.push(changesOf('b'));
  feed.add(stranger(1));
  feed.painted();
  expect(posted[1]).toEqual([stranger(1), changesOf('b')]);
  // Nothing came of it after all: nothing is sent, and the next is the first after quiet again.
  feed.changed();
  feed.painted();
  expect(posted).toHaveLength(2);
  feed.add(stranger(2));
  await Promise.resolve();
  expect(posted).toHaveLength(3);
});

test('DT110: an answer about what was told comes after all it speaks of, painted or not', async () => {
  const { feed, posted, changes } = open();
  feed.add(stranger(1));
  await Promise.resolve();
  changes.push(changesOf('a'));
  feed.changed();
  feed.flush();
  expect(posted).toEqual([[stranger(1)], [changesOf('a')]]);
});
