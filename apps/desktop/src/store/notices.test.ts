import { expect, test } from 'vitest';
import {
  isQuiet,
  type NotifySettings,
  parseNotifySettings,
  reasonsFor,
  wantsNotice,
  withAgentReasons,
} from '../notify-settings.ts';
import type { FleetGroup, FleetStatus } from './fleet.ts';
import { noticesSince } from './notices.ts';

const groups = (statuses: Readonly<Record<string, FleetStatus>>): readonly FleetGroup[] => [
  {
    name: 'all',
    entries: Object.entries(statuses).map(([channelId, status]) => ({
      ref: { agent: 'a', channelId },
      status,
      asks: status === 'needs' ? 'permission' : undefined,
      title: channelId,
      who: 'Claude',
      words: '',
      joins: true,
      since: undefined,
      heardMs: undefined,
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
  expect(third.notices.map(({ kind }) => kind)).toEqual(['offline', 'permission', 'ended']);
  expect(noticesSince(third.seen, groups({ x: 'quiet', y: 'needs' })).notices).toEqual([]);
});

test('DT84: quiet hours may go over midnight, and equal ones are none', () => {
  const at = (hour: number) => new Date(2026, 10, 30, hour, 30);
  const quiet = (quietFrom: string, quietTo: string, hour: number) => isQuiet({ quietFrom, quietTo }, at(hour));
  expect([quiet('22:00', '07:00', 23), quiet('22:00', '07:00', 6), quiet('22:00', '07:00', 7)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([quiet('09:00', '17:00', 9), quiet('09:00', '17:00', 17)]).toEqual([true, false]);
  expect(quiet('22:00', '22:00', 22)).toBe(false);
});

const AGENT = 'a1'.repeat(32);
const OTHER = 'b2'.repeat(32);

test('DT120: an agent without a choice of its own is as every agent; taken back, it is so again', () => {
  const common = parseNotifySettings({ on: ['question', 'failed'], quietFrom: '22:00', quietTo: '07:00' });
  const own = withAgentReasons(common, AGENT, ['ended']);
  expect([wantsNotice(own, AGENT, 'ended'), wantsNotice(own, AGENT, 'failed')]).toEqual([true, false]);
  expect([wantsNotice(own, OTHER, 'ended'), wantsNotice(own, OTHER, 'failed')]).toEqual([false, true]);
  expect(reasonsFor(withAgentReasons(own, AGENT, []), AGENT)).toEqual([]);
  expect(withAgentReasons(own, AGENT, undefined)).toEqual(common);
});

test('DT120: settings are read out of anything, bounded, and the one kind of earlier versions is both', () => {
  const nothing: NotifySettings = { on: [], agents: {}, quietFrom: '22:00', quietTo: '22:00' };
  for (const value of [null, 1, 'x', [], { on: 1, agents: 'x', quietFrom: '24:00' }]) {
    expect(parseNotifySettings(value)).toEqual(nothing);
  }
  expect(parseNotifySettings({ on: ['needs', 'offline', 'made up'] }).on).toEqual([
    'permission',
    'question',
    'offline',
  ]);
  const many = Array.from({ length: 300 }, (_, at) => [at.toString(16).padStart(64, '0'), ['ended']] as const);
  const kept = parseNotifySettings({ agents: Object.fromEntries([...many, ['__proto__x', ['ended']]]) }).agents;
  expect(Object.keys(kept)).toHaveLength(200);
  expect(Object.keys(kept).at(-1)).toBe(many.at(-1)?.[0]);
});
