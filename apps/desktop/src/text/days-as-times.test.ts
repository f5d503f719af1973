import { expect, it } from 'vitest';
import { daysAsTimes } from './days-as-times.ts';

it('DT217: days bound a search from the first moment of the one to the last of the other, where the page is', () => {
  const { from = '', to = '' } = daysAsTimes('2026-11-23', '2026-11-29');
  expect([from, to].map((time) => new Date(time).toISOString())).toEqual([from, to]);
  expect([new Date(from).getHours(), new Date(from).getDate()]).toEqual([0, 23]);
  expect([new Date(to).getHours(), new Date(to).getMilliseconds(), new Date(to).getDate()]).toEqual([23, 999, 29]);
  expect(daysAsTimes('', '')).toEqual({});
  expect(daysAsTimes('', '2026-11-29')).toEqual({ to });
});
