import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { Timestamps } from './timestamps.ts';

describe('timestamps', () => {
  test('HA2: six digits, strictly increasing, also while the clock stands still or goes back', () => {
    const clock = new ManualClock();
    const timestamps = new Timestamps(clock);
    const made = [timestamps.next(), timestamps.next()];
    clock.advance(-3_600_000);
    made.push(timestamps.next());
    clock.advance(3_600_000 + 900);
    made.push(timestamps.next());
    expect(made).toEqual([
      '2026-11-30T09:20:03.123000Z',
      '2026-11-30T09:20:03.123001Z',
      '2026-11-30T09:20:03.123002Z',
      '2026-11-30T09:20:04.023000Z',
    ]);
    const many = Array.from({ length: 2_000 }, () => timestamps.next());
    expect(many).toEqual([...new Set(many)].toSorted());
  });

  test('HA2: a backward step over a minute is told once', () => {
    const clock = new ManualClock();
    const timestamps = new Timestamps(clock);
    expect(timestamps.takeStep()).toBeUndefined();
    clock.advance(-59_999);
    expect(timestamps.takeStep()).toBeUndefined();
    clock.advance(-60_000);
    expect(timestamps.takeStep()).toBe(-60_000);
    expect(timestamps.takeStep()).toBeUndefined();
  });
});
