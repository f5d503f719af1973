import { expect, test } from 'vitest';
import { ASIDE, isAside, putAside, takeBack, withAside } from './aside.ts';
import type { FleetEntry, FleetStatus } from './fleet.ts';
import { mergeSeen, type SeenMarks } from './seen.ts';

const NOTHING: SeenMarks = { sinceMs: 0, at: {} };
const entry = (channelId: string, status: FleetStatus, at: number): FleetEntry => ({
  ref: { agent: 'a', channelId },
  status,
  asks: undefined,
  title: channelId,
  who: 'x',
  words: '',
  joins: false,
  code: undefined,
  heardMs: undefined,
  at,
  since: at,
});

test('DT137: what was put aside stands last until something comes in it; what waits or works never does', () => {
  const groups = [
    { name: 'Needs you', entries: [entry('asks', 'needs', 5)] },
    { name: 'Quiet', entries: [entry('old', 'quiet', 5), entry('gone', 'off', 5)] },
  ];
  let marks = NOTHING;
  for (const channelId of ['asks', 'old', 'gone']) marks = putAside(marks, { agent: 'a', channelId }, 5);
  const told = (now: typeof groups) =>
    withAside(now, marks).map(({ name, entries }) => [name, entries.map(({ title }) => title)]);
  expect(told(groups)).toEqual([
    ['Needs you', ['asks']],
    [ASIDE, ['old', 'gone']],
  ]);
  expect(told([{ name: 'Quiet', entries: [entry('old', 'quiet', 6)] }])).toEqual([['Quiet', ['old']]]);
  expect(withAside(groups, NOTHING)).toBe(groups);
});

test('DT137: it is taken back and put aside again, also where another page of the browser knows the older mark', () => {
  const ref = { agent: 'a', channelId: 'c' };
  const aside = putAside(NOTHING, ref, 5);
  const back = mergeSeen(takeBack(aside, ref), aside);
  expect([isAside(aside, ref, 5), isAside(back, ref, 5)]).toEqual([true, false]);
  const again = mergeSeen(back, putAside(back, ref, 5));
  expect([isAside(again, ref, 5), isAside(again, ref, 9)]).toEqual([true, false]);
  expect(isAside(NOTHING, ref, 0)).toBe(false);
  expect(isAside(putAside(NOTHING, ref, 0), ref, 0)).toBe(true);
});
