import { expect, it } from 'vitest';
import { RunTimes } from './run-times.ts';

const at = (minute: number) => `2026-01-01T00:${`${minute}`.padStart(2, '0')}:00.000000Z`;

it('VI12: a harness started anew after its clock was set back is no second one; one that goes on beside it is', () => {
  const runs = new RunTimes();
  for (const minute of [10, 40]) expect(runs.note('a', at(minute))).toBe(false);
  for (const minute of [20, 21, 50]) expect(runs.note('b', at(minute))).toBe(false);
  expect(runs.note('a', at(30))).toBe(false);
  expect(runs.note('a', at(45))).toBe(true);
});
