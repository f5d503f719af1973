import { createPublicKey, verify } from 'node:crypto';
import type { PushReason } from '@heliograph/wire';
import { expect, test } from 'vitest';
import { PushCalls } from './push-calls.ts';
import { callFor, isQuiet, isTimeZone, readDevices, type SubscribedDevice, withDevice } from './push-devices.ts';
import { isInnerAddress, parsePushEndpoint } from './push-endpoint.ts';
import { encryptPush } from './push-message.ts';
import { outcomeOf } from './push-service.ts';
import { parsePushSubject, subjectOfRelays, VapidKey } from './vapid-key.ts';

const KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};
const SUBSCRIPTION = { endpoint: 'https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV', keys: KEYS };

test('PU10: a message is encrypted as RFC 8291 shows (section 5)', () => {
  const body = encryptPush('When I grow up, I want to be a watermelon', SUBSCRIPTION, {
    salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
    secretKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
    textBytes: 41,
  });
  expect(body.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('PU10: all messages are of one length, each for one subscription, and a longer text is refused', () => {
  const sizes = ['{}', 'x'.repeat(100), 'x'.repeat(160)].map((text) => encryptPush(text, SUBSCRIPTION).length);
  expect(new Set(sizes).size).toBe(1);
  expect(encryptPush('a', SUBSCRIPTION)).not.toEqual(encryptPush('a', SUBSCRIPTION));
  expect(() => encryptPush('x'.repeat(161), SUBSCRIPTION)).toThrow(RangeError);
  const bad = { ...SUBSCRIPTION, keys: { ...KEYS, p256dh: `B${'A'.repeat(86)}` } };
  expect(() => encryptPush('a', bad)).toThrow();
});

test('PU11: the sender’s word is signed for one service and half a day, and the key comes back from its file', () => {
  const made = VapidKey.make();
  const key = VapidKey.read(JSON.parse(JSON.stringify(made)));
  expect(key?.publicKey).toBe(made.publicKey);
  expect(made.publicKey).toMatch(/^B[\w-]{86}$/);
  for (const other of [undefined, {}, { kty: 'EC', crv: 'P-256', x: 'a', y: 'b', d: 'c' }, { kty: 'RSA' }, 'x'])
    expect(VapidKey.read(other)).toBeUndefined();
  const header = made.authorization('https://push.example.net', 'mailto:me@heliograph.dev', 1_000);
  const [, signed = '', claims = '', signature = '', point = ''] =
    /^vapid t=([\w-]+\.([\w-]+))\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  expect(point).toBe(made.publicKey);
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    aud: 'https://push.example.net',
    exp: 1_000 + 43_200,
    sub: 'mailto:me@heliograph.dev',
  });
  const { d: _, ...jwk } = made.toJSON() as Record<string, string>;
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  expect(verify('sha256', Buffer.from(signed), by, Buffer.from(signature, 'base64url'))).toBe(true);
});

test.each([
  ['mailto:me@heliograph.dev', true],
  ['https://heliograph.dev/contact', true],
  ['mailto:me@localhost', false],
  ['mailto:%zz@x.org', true],
  ['mailto:me@box.local', false],
  ['mailto:', false],
  ['https://localhost/', false],
  ['https://10.0.0.1/', false],
  ['http://heliograph.dev/', false],
  ['me@heliograph.dev', false],
  ['', false],
])('PU12: the contact %j is accepted: %s', (text, isOk) => {
  expect(parsePushSubject(text).ok).toBe(isOk);
});

test('PU12: without one it is the first relay with a public name and TLS', () => {
  expect(subjectOfRelays(['ws://192.168.1.5:7447', 'wss://10.0.0.1', 'wss://relay.heliograph.dev:8443/x'])).toBe(
    'https://relay.heliograph.dev/',
  );
  expect(subjectOfRelays(['ws://127.0.0.1:7447', 'wss://box.local', 'wss://[::1]'])).toBeUndefined();
});

test.each([
  ['https://fcm.googleapis.com/fcm/send/x', true],
  ['https://[2001:db8::1]/x', true],
  ['http://127.0.0.1:9/x', true],
  ['http://localhost:9/x', true],
  ['http://[::1]:9/x', true],
  ['http://push.example.net/x', false],
  ['http://192.168.1.1/x', false],
  ['https://192.168.1.1/x', false],
  ['https://169.254.169.254/latest/meta-data', false],
  ['https://127.0.0.1/x', false],
  ['https://0x7f000001/x', false],
  ['https://[::ffff:10.0.0.1]/x', false],
  ['https://[fe80::1]/x', false],
  ['https://[fd00::1]/x', false],
  ['https://user:secret@push.example.net/x', false],
  ['ftp://push.example.net/x', false],
  ['not an address', false],
])('PU13: to the endpoint %s it may be sent: %s', (endpoint, isOk) => {
  expect(parsePushEndpoint(endpoint).ok).toBe(isOk);
});

test('PU13: an address inside is known as one, however it is written', () => {
  for (const inner of ['64:ff9b::a00:1', '::7f00:1', '2002:7f00:1::', 'fec0::1', '::ffff:0:a00:1', '64:ff9b::7f00:1'])
    expect(isInnerAddress(inner), inner).toBe(true);
  for (const inner of ['10.1.2.3', '172.31.0.1', '100.64.0.1', '::1', '::ffff:192.168.0.1', 'fd12::1', '224.0.0.1'])
    expect(isInnerAddress(inner), inner).toBe(true);
  for (const outer of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '64:ff9b::808:808'])
    expect(isInnerAddress(outer), outer).toBe(false);
});

test('PU14: what a service’s status means', () => {
  expect(outcomeOf(201, 'h')).toEqual({ code: 'taken' });
  for (const status of [404, 410]) expect(outcomeOf(status, 'h')).toEqual({ code: 'gone' });
  for (const status of [301, 400, 401, 403, 413]) expect(outcomeOf(status, 'h').code).toBe('refused');
  expect(outcomeOf(403, 'web.push.apple.com')).toMatchObject({
    message: expect.stringMatching(/^web\.push\.apple\.com answered 403: .*--push-subject/),
  });
  expect(outcomeOf(429, 'h', '120')).toEqual({ code: 'later', message: 'h answered 429', afterMs: 120_000 });
  expect(outcomeOf(503, 'h', '999999')).toMatchObject({ code: 'later', afterMs: 3_600_000 });
  expect(outcomeOf(500, 'h', 'Wed, 21 Oct 2026 07:28:00 GMT')).toMatchObject({ code: 'later', afterMs: undefined });
});

const device = (over: Partial<SubscribedDevice> = {}): SubscribedDevice => ({
  device: 'phone',
  subscription: SUBSCRIPTION,
  reasons: ['permission', 'ended'],
  ...over,
});

test('PU15: a device is called for what it chose, the most important of it, and not in its quiet hours', () => {
  const noon = new Date('2026-11-30T12:00:00Z');
  const due = new Set<PushReason>(['ended', 'failed', 'permission']);
  expect(callFor(device(), due, noon)).toBe('permission');
  expect(callFor(device({ reasons: ['ended'] }), due, noon)).toBe('ended');
  expect(callFor(device({ reasons: [] }), due, noon)).toBeUndefined();
  const night = { from: '22:00', to: '07:00', timeZone: 'Asia/Tokyo' };
  expect(callFor(device({ quiet: night }), due, noon)).toBe('permission');
  expect(callFor(device({ quiet: night }), due, new Date('2026-11-30T13:00:00Z'))).toBeUndefined();
  expect(isQuiet(night, new Date('2026-11-30T21:59:00Z'))).toBe(true);
  expect(isQuiet(night, new Date('2026-11-30T22:00:00Z'))).toBe(false);
  expect(isQuiet({ ...night, to: '22:00' }, new Date('2026-11-30T13:00:00Z'))).toBe(false);
  expect([isTimeZone('Europe/Berlin'), isTimeZone('Nowhere/Land')]).toEqual([true, false]);
});

test('PU15: a browser is one device, whatever it is called; what a file holds beside devices is left out', () => {
  const phone = device();
  expect(withDevice([phone], device({ device: 'renamed' }))).toEqual([device({ device: 'renamed' })]);
  const other = device({ subscription: { ...SUBSCRIPTION, endpoint: 'https://push.example.net/2' } });
  expect(withDevice([phone], other)).toEqual([other]);
  expect(readDevices([phone, { device: 'x' }, null, { ...phone, quiet: { from: '1' } }])).toEqual([phone]);
  expect(readDevices('x')).toEqual([]);
});

function calls() {
  let fire: (() => void) | undefined;
  const called: PushReason[][] = [];
  const clock = {
    nowMs: () => 0,
    setTimer: (delayMs: number, then: () => void) => {
      expect(delayMs).toBe(1_000);
      fire = then;
      return () => {
        fire = undefined;
      };
    },
  };
  const watched = new PushCalls({ clock, call: (due) => called.push([...due]) });
  const see = (kind: string, payload: object, stream = 's') => watched.observe(stream, kind, JSON.stringify(payload));
  return { see, called, second: () => fire?.() };
}

test('PU16: the owner is called for what stands after a second: what a rule answered or the next turn followed is over', () => {
  const { see, called, second } = calls();
  see('permission_pending', { requestNonce: 'a' });
  see('permission_terminal', { requestNonce: 'a' });
  see('turn_completed', { outcome: 'completed' });
  see('turn_started', {});
  second();
  expect(called).toEqual([]);
  see('permission_pending', { requestNonce: 'b' });
  see('permission_pending', { requestNonce: 'c' });
  see('permission_terminal', { requestNonce: 'b' });
  see('elicitation_pending', { requestNonce: 'd' });
  second();
  expect(called).toEqual([['permission', 'question']]);
});

test('PU16: a turn that ended, failed or was cancelled, and an agent that died, are told apart', () => {
  const { see, called, second } = calls();
  see('turn_completed', { outcome: 'refused' });
  second();
  see('turn_completed', { outcome: 'cancelled' });
  see('turn_completed', { outcome: 'killed' });
  see('agent_exited', { expected: true });
  see('acp_read', {});
  second();
  see('turn_error', { outcome: 'exited' });
  see('turn_completed', { outcome: 'failed' });
  see('agent_exited', { expected: false });
  second();
  expect(called).toEqual([['ended'], ['failed', 'offline']]);
});
