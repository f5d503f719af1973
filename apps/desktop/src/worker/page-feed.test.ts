import { expect, test } from 'vitest';
import { PageFeed } from './page-feed.ts';
import type { PageEvent } from './session-told.ts';

const stranger = (frames: number): PageEvent => ({ type: 'stranger', publicKey: 'k', frames });
const changesOf = (agent: string): PageEvent => ({ type: 'changes', changes: { agent, transcripts: [] } });

function open() {
  const posted: (readonly PageEvent[])[] = [];
  const changes: PageEvent[] = [];
  let nowMs = 0;
  let timer: { readonly atMs: number; readonly fire: () => void } | undefined;
  const clock = {
    nowMs: () => nowMs,
    setTimer(delayMs: number, fire: () => void) {
      timer = { atMs: nowMs + delayMs, fire };
      return () => {
        timer = undefined;
      };
    },
    async advance(byMs: number) {
      nowMs += byMs;
      const due = timer !== undefined && timer.atMs <= nowMs ? timer : undefined;
      if (due !== undefined) timer = undefined;
      due?.fire();
      await Promise.resolve();
    },
  };
  const feed = new PageFeed({ clock, post: (events) => posted.push(events), changes: () => changes.splice(0) });
  /** The page has painted at once, and needs no rest. */
  const painted = async () => {
    feed.painted(0);
    await clock.advance(0);
  };
  return { feed, posted, changes, clock, painted };
}

test('DT19: the first after quiet goes at once, the rest in one message each time the page has painted, in order', async () => {
  const { feed, posted, painted } = open();
  feed.add(stranger(1));
  expect(posted).toEqual([]);
  await Promise.resolve();
  expect(posted).toEqual([[stranger(1)]]);

  feed.add(stranger(2));
  await Promise.resolve();
  feed.add(stranger(3));
  await Promise.resolve();
  expect(posted).toHaveLength(1);
  await painted();
  expect(posted[1]).toEqual([stranger(2), stranger(3)]);

  await painted();
  expect(posted).toHaveLength(2);
  feed.add(stranger(4));
  await Promise.resolve();
  expect(posted[2]).toEqual([stranger(4)]);
});

test('DT170: what is told of sessions is what they are when it is sent, whatever happened since the page painted last', async () => {
  const { feed, posted, changes, painted } = open();
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
  await painted();
  expect(posted[1]).toEqual([stranger(1), changesOf('b')]);
  // Nothing came of it after all: nothing is sent, and the next is the first after quiet again.
  feed.changed();
  await painted();
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

test('DT175: after it painted the page rests four times as long as that took, 250 ms at most; what comes then is one message', async () => {
  const { feed, posted, clock } = open();
  feed.add(stranger(1));
  await clock.advance(0);
  feed.painted(20);
  feed.add(stranger(2));
  await clock.advance(79);
  feed.add(stranger(3));
  expect(posted).toHaveLength(1);
  await clock.advance(1);
  expect(posted.slice(1)).toEqual([[stranger(2), stranger(3)]]);

  feed.painted(10_000);
  feed.add(stranger(4));
  await clock.advance(249);
  expect(posted).toHaveLength(2);
  await clock.advance(1);
  expect(posted).toHaveLength(3);

  // Rested, with nothing to tell: what comes next is the first after quiet.
  feed.painted(20);
  await clock.advance(80);
  feed.add(stranger(5));
  await clock.advance(0);
  expect(posted).toHaveLength(4);
});

test('DT175: a rest ends where an answer has to be told what it speaks of, and is taken anew from what that took', async () => {
  const { feed, posted, changes, clock } = open();
  feed.add(stranger(1));
  await clock.advance(0);
  feed.painted(20);
  changes.push(changesOf('a'));
  feed.changed();
  feed.flush();
  expect(posted).toHaveLength(2);
  feed.add(stranger(2));
  await clock.advance(1_000);
  expect(posted).toHaveLength(2);
  feed.painted(10);
  await clock.advance(40);
  expect(posted).toHaveLength(3);
});
