import { expect, test } from 'vitest';
import { parseControl } from './control-text.ts';
import { readPushState } from './push.ts';

const KEY = `B${'a'.repeat(86)}`;
const subscription = { endpoint: 'https://push.example.net/x', keys: { p256dh: KEY, auth: 'a'.repeat(22) } };
const base = { requestId: '6f1c0e4e-0000-4000-8000-000000000001', issuedAt: '2026-11-30T12:00:00Z', run: 'r' };
const say = (over: object) => parseControl(JSON.stringify({ ...base, type: 'push_subscribe', subscription, ...over }));

test('PU9: a device subscribes with its browser’s subscription, what it wants and its quiet hours, or ends it', () => {
  const quiet = { from: '22:00', to: '07:00', timeZone: 'America/Argentina/Buenos_Aires' };
  for (const over of [{}, { subscription: null }, { reasons: ['permission'], quiet, device: 'phone' }, { reasons: [] }])
    expect(say(over).ok, JSON.stringify(over)).toBe(true);
  expect(parseControl(JSON.stringify({ ...base, type: 'push_test', device: 'phone' })).ok).toBe(true);
});

test.each([
  [{ subscription: undefined }],
  [{ subscription: {} }],
  [{ subscription: { ...subscription, endpoint: 'push.example.net' } }],
  [{ subscription: { ...subscription, endpoint: 'file:///etc/passwd' } }],
  [{ subscription: { ...subscription, endpoint: `https://a/${'b'.repeat(2_048)}` } }],
  [{ subscription: { ...subscription, endpoint: 'https://a/b\r\nHost: c' } }],
  [{ subscription: { ...subscription, keys: { p256dh: KEY.slice(1), auth: 'a'.repeat(22) } } }],
  [{ subscription: { ...subscription, keys: { p256dh: KEY, auth: 'short' } } }],
  [{ reasons: ['content'] }],
  [{ reasons: 'all' }],
  [{ quiet: { from: '7', to: '22:00', timeZone: 'UTC' } }],
  [{ quiet: { from: '07:00', to: '22:00', timeZone: '../etc' } }],
  [{ device: 'x'.repeat(129) }],
])('PU9: a subscription with %j is refused', (over) => {
  expect(say(over)).toMatchObject({ ok: false, error: { code: 'malformed', type: 'push_subscribe' } });
});

test('PU9: what a snapshot tells of it is read as far as it is of its shape', () => {
  const device = { device: 'phone', service: 'push.example.net', endpointSha256: 'ab', reasons: ['ended'] };
  expect(readPushState({ key: KEY, devices: [device] })).toEqual({ key: KEY, devices: [device] });
  expect(readPushState({ key: KEY, problem: 'no contact', devices: [{ ...device, failing: '410' }] })).toMatchObject({
    problem: 'no contact',
    devices: [{ failing: '410' }],
  });
  expect(
    readPushState({ key: KEY, problem: 1, devices: [null, 5, {}, { ...device, reasons: [1, 'ended'], quiet: 3 }] }),
  ).toEqual({ key: KEY, devices: [device] });
  for (const other of [undefined, null, 5, 'x', [], {}, { key: 'x', devices: [] }])
    expect(readPushState(other)).toBeUndefined();
});
