import { expect, test } from 'vitest';
import {
  formatAge,
  formatBytes,
  formatClock,
  formatCost,
  formatCount,
  formatDay,
  formatDuration,
  plural,
} from './human.ts';

test('DT5: ages, durations, counts and costs are short and never invent precision', () => {
  expect([0, 12_000, 240_000, 3 * 3_600_000, 50 * 3_600_000].map(formatAge)).toEqual([
    'now',
    '12 s',
    '4 m',
    '3 h',
    '2 d',
  ]);
  expect([120, 41_400, 200_000, 7_500_000].map(formatDuration)).toEqual(['0.1 s', '41 s', '3 m 20 s', '2 h 5 m']);
  expect([940, 4_250, 76_213, 1_234_567].map(formatCount)).toEqual(['940', '4.3 k', '76 k', '1.2 M']);
  expect([12, 31_400, 1_234_567].map(formatBytes)).toEqual(['12 B', '31 KB', '1.2 MB']);
  expect(formatCost({ amount: 0.41, currency: 'USD' })).toBe('$0.41');
  expect(formatCost({ amount: 0.0123, currency: 'EUR' })).toBe('EUR 0.0123');
  expect([plural(1, 'line'), plural(4117, 'line')]).toEqual(['1 line', '4,117 lines']);
});

test('DT5: a time of another day says which', () => {
  const now = Date.parse('2026-11-30T20:00:00');
  expect(formatClock('2026-11-30T14:02:59', now)).toBe('14:02');
  expect(formatClock('2026-11-28T02:14:00', now)).toBe('28 Nov 02:14');
  expect(formatClock('nonsense', now)).toBe('');
});

test('US15: a day is named by how near it is', () => {
  const now = Date.parse('2026-11-30T00:20:00');
  const midnight = (day: string) => Date.parse(`2026-11-${day}T00:00:00`);
  expect(['30', '29', '08'].map((day) => formatDay(midnight(day), now))).toEqual(['Today', 'Yesterday', '8 Nov']);
});
