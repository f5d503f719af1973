import { expect, test } from 'vitest';
import { isQuiet } from '../notify-settings.ts';
import type { FleetGroup, FleetStatus } from './fleet.ts';
import { noticesSince } from './notices.ts';

const groups = (statuses: Readonly<Record<string, FleetStatus>>): readonly FleetGroup[] => [
  {
    name: 'all',
    entries: Object.entries(statuses).map(([channelId, status]) => ({
      ref: { agent: 'a', channelId },
      status,
      title: channelId,
      words: '',
      code: undefined,
      at: undefined,
    })),
  },
];

test('DT84: what changed is told once; what was so at first, or only comes to light, is no news', () => {
  const first = noticesSince(undefined, groups({ x: 'needs', y: 'running', z: 'quiet' }));
  expect(first.notices).toEqual([]);
  const second = noticesSince(first.seen, groups({ x: 'running', y: 'quiet', z: 'failed', new: 'needs' }));
  expect(second.notices.map(({ kind, entry }) => [entry.ref.channelId, kind])).toEqual([
    ['y', 'ended'],
    ['z', 'failed'],
  ]);
  const third = noticesSince(second.seen, groups({ x: 'off', y: 'needs', z: 'failed', new: 'quiet' }));
  expect(third.notices.map(({ kind }) => kind)).toEqual(['offline', 'needs', 'ended']);
  expect(noticesSince(third.seen, groups({ x: 'quiet', y: 'needs' })).notices).toEqual([]);
});

test('DT84: quiet hours may go over midnight, and equal ones are none', () => {
  const at = (hour: number) => new Date(2026, 10, 30, hour, 30);
  const quiet = (quietFrom: string, quietTo: string, hour: number) => isQuiet({ on: [], quietFrom, quietTo }, at(hour));
  expect([quiet('22:00', '07:00', 23), quiet('22:00', '07:00', 6), quiet('22:00', '07:00', 7)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([quiet('09:00', '17:00', 9), quiet('09:00', '17:00', 17)]).toEqual([true, false]);
  expect(quiet('22:00', '22:00', 22)).toBe(false);
});
