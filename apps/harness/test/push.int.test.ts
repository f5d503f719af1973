import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PermissionPending, PushReason, PushSubscription } from '@heliograph/wire';
import { localSigner } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PushDesk } from '../src/push/push-desk.ts';
import { SealedFile } from '../src/sealed-file.ts';
import { ManualClock } from './support/manual-clock.ts';
import { PushService } from './support/push-service.ts';
import { Stage, type StageOptions } from './support/stage.ts';
import { until } from './support/until.ts';
import type { Watcher } from './support/watcher.ts';

const SUBJECT = 'mailto:me@heliograph.dev';

let stage: Stage;
let service: PushService;
beforeEach(async () => {
  stage = await Stage.open();
  service = await PushService.listen();
});
afterEach(async () => {
  service.close();
  await stage.close();
});

/** A harness, a viewer, and a browser that is subscribed there under that name. */
async function subscribed(options: StageOptions = {}, over: { reasons?: readonly PushReason[]; device?: string } = {}) {
  const harness = await stage.harness({ pushSubject: SUBJECT, script: 'asks-permission.mjs', ...options });
  const viewer = await stage.watch();
  const subscription = service.subscribe(viewer.snapshot?.push?.key ?? '');
  const done = await viewer.ask({ type: 'push_subscribe', subscription, ...over });
  expect(done.result).toMatchObject({ status: 'applied' });
  return { harness, viewer, subscription };
}

/** The devices as the harness tells them now. */
async function devices(viewer: Watcher) {
  viewer.snapshot = undefined;
  viewer.resync();
  return (await viewer.until('the snapshot', () => viewer.snapshot)).push?.devices;
}

const told = (subscription: PushSubscription, count: number) =>
  until(`${count} calls`, () => {
    const calls = service.told(subscription);
    return calls.length >= count && calls;
  });

describe('push', () => {
  test('HA240: a device is called when its agent asks and when the turn ends, with agent and reason and nothing else', async () => {
    const { harness, viewer, subscription } = await subscribed();
    viewer.prompt(harness.channelId, 'the canary');
    expect(await told(subscription, 1)).toEqual([{ agent: stage.agent, reason: 'permission' }]);
    const { payload } = await viewer.until('the request', () => viewer.find<PermissionPending>('permission_pending'));
    const { requestNonce, requestSha256 } = payload as PermissionPending;
    const draft = { type: 'permission_decision', channelId: harness.channelId, requestNonce, requestSha256 } as const;
    await viewer.ask({ ...draft, optionId: 'id-of-allow_once' });
    expect(await told(subscription, 2)).toEqual([
      { agent: stage.agent, reason: 'permission' },
      { agent: stage.agent, reason: 'ended' },
    ]);
    const [first, second] = service.received;
    expect(first?.headers).toMatchObject({ ttl: '43200', urgency: 'high', 'content-encoding': 'aes128gcm' });
    expect(second?.headers).toMatchObject({ ttl: '14400', urgency: 'normal' });
    expect(first?.headers.topic).toMatch(/^[\w-]{32}$/);
    expect(first?.headers.topic).not.toBe(second?.headers.topic);
    expect(first?.size).toBe(second?.size);
    expect(first?.claims).toMatchObject({ sub: SUBJECT, aud: service.url });
    const aheadSec = (first?.claims.exp as number) - Date.now() / 1_000;
    expect(aheadSec).toBeGreaterThan(11 * 3_600);
    expect(aheadSec).toBeLessThan(24 * 3_600);
  });

  test('HA240: it is called for what it chose, and no more once it is unsubscribed; an old order brings nothing back', async () => {
    const { harness, viewer, subscription } = await subscribed({ script: 'echoes.mjs' }, { reasons: ['permission'] });
    const other = service.subscribe(viewer.snapshot?.push?.key ?? '');
    await viewer.ask({ type: 'push_subscribe', subscription: other, device: 'another', reasons: ['ended'] });
    expect(await devices(viewer)).toMatchObject([
      { device: viewer.viewerId, reasons: ['permission'], service: new URL(service.url).host },
      { device: 'another', reasons: ['ended'] },
    ]);
    viewer.prompt(harness.channelId, 'hello');
    await told(other, 1);
    expect(service.told(subscription)).toEqual([]);

    const line = await stage.ownerLine();
    const said = { issuedAt: new Date().toISOString(), run: harness.run, viewer: 'another', device: 'another' };
    const subscribe = {
      ...said,
      type: 'push_subscribe',
      requestId: '6f1c0e4e-0000-4000-8000-00000000000a',
      subscription: other,
    } as const;
    const results = () =>
      viewer.events().filter(({ kind, payload }) => kind === 'control_result' && payload.includes(subscribe.requestId));
    await line.publish(await stage.frame(subscribe));
    await viewer.until('its result', () => results().length === 1);
    await viewer.ask({ type: 'push_subscribe', subscription: null, device: 'another' });
    expect(await devices(viewer)).toHaveLength(1);
    await line.publish(await stage.frame(subscribe, Math.floor(Date.now() / 1_000) + 1));
    await viewer.until('the old result', () => results().length === 2);
    expect(await devices(viewer)).toHaveLength(1);
  });

  test('HA241: key and devices outlive the harness, in a file that only it and the owner can read', async () => {
    const { harness, viewer, subscription } = await subscribed({ script: 'echoes.mjs' });
    const key = viewer.snapshot?.push?.key;
    await harness.close();
    for (const name of readdirSync(stage.stateDir, { recursive: true, encoding: 'utf8' })) {
      const path = join(stage.stateDir, name);
      if (!statSync(path).isFile()) continue;
      expect(statSync(path).mode & 0o777, name).toBe(0o600);
      const text = readFileSync(path, 'latin1');
      for (const secret of [subscription.keys.auth, subscription.endpoint, 'P-256']) expect(text).not.toContain(secret);
    }
    const again = await stage.harness({ pushSubject: SUBJECT });
    const later = await stage.watch();
    expect(later.snapshot?.push?.key).toBe(key);
    expect(later.snapshot?.push?.devices).toHaveLength(1);
    later.prompt(again.channelId, 'hello');
    expect(await told(subscription, 1)).toEqual([{ agent: stage.agent, reason: 'ended' }]);
  });

  test('HA242: a test call tells what the push service made of it', async () => {
    const { viewer, subscription } = await subscribed();
    expect((await viewer.ask({ type: 'push_test' })).result?.status).toBe('applied');
    expect(service.told(subscription)).toEqual([{ agent: stage.agent, reason: 'test' }]);
    expect(service.received[0]?.headers.ttl).toBe('60');
    service.answers.push({ status: 403 });
    const refused = await viewer.ask({ type: 'push_test' });
    expect(refused.result).toMatchObject({ status: 'failure', reason: expect.stringContaining('answered 403') });
    const unknown = await viewer.ask({ type: 'push_test', device: 'nobody' });
    expect(unknown.result).toMatchObject({ status: 'failure', reason: 'this device is not subscribed here' });
  });

  test('HA243: what can’t be called is refused with the reason: no contact, an address inside, no point, too many', async () => {
    await stage.harness();
    const viewer = await stage.watch();
    const key = viewer.snapshot?.push?.key ?? '';
    expect(viewer.snapshot?.push?.problem).toContain('--push-subject');
    const subscribe = async (subscription: PushSubscription, device = 'd') =>
      (await viewer.ask({ type: 'push_subscribe', subscription, device })).result;
    expect(await subscribe(service.subscribe(key))).toMatchObject({
      status: 'failure',
      reason: expect.stringContaining('--push-subject'),
    });

    const desk = await openDesk();
    const ask = (subscription: PushSubscription, device: string, timeZone = 'UTC') =>
      new Promise(
        (resolve) =>
          void desk.subscribe(
            { type: 'push_subscribe', subscription, device, quiet: { from: '00:00', to: '00:00', timeZone } },
            resolve,
          ),
      );
    const good = service.subscribe(desk.describe().key);
    expect(await ask({ ...good, endpoint: 'https://10.0.0.1/x' }, 'd')).toMatchObject({
      reason: expect.stringContaining('private network'),
    });
    const point = `B${'A'.repeat(86)}`;
    expect(await ask({ ...good, keys: { ...good.keys, p256dh: point } }, 'd')).toMatchObject({
      reason: expect.stringContaining('no point'),
    });
    expect(await ask(good, 'd', 'Nowhere/Land')).toMatchObject({ reason: expect.stringContaining('no time zone') });
    for (let i = 0; i < 8; i++)
      expect(await ask(service.subscribe(desk.describe().key), `d${i}`)).toEqual({ status: 'applied' });
    expect(await ask(good, 'one more')).toMatchObject({
      status: 'failure',
      reason: expect.stringContaining('8 devices'),
    });
    expect(await ask(good, 'd0')).toEqual({ status: 'applied' });
    expect(desk.describe().devices).toHaveLength(8);
  });

  test('HA244: a subscription that is over is removed, a refusal is told, and a service in trouble is asked again, each time later', async () => {
    const clock = new ManualClock();
    const desk = await openDesk(clock);
    const subscription = service.subscribe(desk.describe().key);
    await new Promise((resolve) => void desk.subscribe({ type: 'push_subscribe', subscription, device: 'd' }, resolve));
    const fail = () => {
      desk.observe('s', 'turn_error', '{}');
      clock.advance(1_000);
    };
    const first = () => desk.describe().devices[0];
    service.answers.push({ status: 503 }, { status: 429, headers: { 'Retry-After': '60' } });
    fail();
    await until('the first refusal', () => first()?.failing?.endsWith('answered 503'));
    clock.advance(4_999);
    expect(service.received).toHaveLength(1);
    clock.advance(1);
    await until('the second refusal', () => first()?.failing?.endsWith('answered 429'));
    clock.advance(59_999);
    expect(service.received).toHaveLength(2);
    clock.advance(1);
    await until('success', () => service.received.length === 3 && first()?.failing === undefined);

    service.answers.push({ status: 403 });
    fail();
    await until('a refusal', () => first()?.failing?.includes('answered 403'));
    clock.advance(3_600_000);
    expect(service.received).toHaveLength(4);
    service.answers.push({ status: 410 });
    fail();
    await until('the end', () => desk.describe().devices.length === 0);
    // It is gone at once, and from the file as soon as that is written.
    await expect.poll(async () => (await openDesk(clock)).describe().devices, { timeout: 20_000 }).toEqual([]);
  });

  test('HA245: a device is called at most twenty times at once, then once a minute; a call that waits gives way to a newer one', async () => {
    const clock = new ManualClock();
    const desk = await openDesk(clock);
    const subscription = service.subscribe(desk.describe().key);
    await new Promise((resolve) => void desk.subscribe({ type: 'push_subscribe', subscription, device: 'd' }, resolve));
    for (let i = 0; i < 30; i++) {
      desk.observe('s', 'turn_error', '{}');
      clock.advance(1_000);
    }
    await until('twenty calls', () => service.received.length === 20);
    service.answers.push({ status: 503 }, { status: 503 });
    clock.advance(120_000);
    for (let i = 1; i <= 2; i++) {
      desk.observe('s', 'turn_error', '{}');
      clock.advance(1_000);
      await until('a call', () => service.received.length === 20 + i);
    }
    await desk.close(false, 1_000);
    clock.advance(3_600_000);
    expect(service.received).toHaveLength(22);
  });

  test('HA246: an agent that dies in a turn and one that can’t be started again are told; what the owner ended is not', async () => {
    const script = { script: 'exits.mjs', agentEnv: { AGENT_EXIT_AT: 'session/prompt' } };
    const { harness, viewer, subscription } = await subscribed(script, { reasons: ['offline'] });
    viewer.prompt(harness.channelId, 'die');
    expect(await told(subscription, 1)).toEqual([{ agent: stage.agent, reason: 'offline' }]);
    await harness.close();
    expect(service.told(subscription)).toHaveLength(1);
    const broken = await stage.harness({ pushSubject: SUBJECT, script: 'refuses-session.mjs' });
    expect((await broken.closed).code).toBe(1);
    expect(service.told(subscription)).toHaveLength(2);
  });
});

/** A desk of its own, with what an earlier one left. */
function openDesk(clock = new ManualClock()): Promise<PushDesk> {
  const signer = localSigner(stage.agentKey, stage.crypto);
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const options = { agent: stage.agent, relays: [stage.relayUrl], pushSubject: SUBJECT, clock, log: quiet };
  return PushDesk.open(options, new SealedFile({ stateDir: stage.folder, signer, owner: stage.owner }, 'push.sealed'));
}
