import type { ControlDraft } from '@heliograph/client';
import { err, ok, type PushDevice, type PushState } from '@heliograph/wire';
import { expect, test } from 'vitest';
import type { PushBrowser } from './push-browser.ts';
import { type CallingAgent, PushLink } from './push-link.ts';

const A = 'a1'.repeat(32);
const ME = 'Chrome on Android (3f2a)';
const KEYS = { p256dh: 'p', auth: 'a' };

function world() {
  const seen = { wanted: true, reasons: ['permission'] as ('permission' | 'ended')[], quiet: false, refuses: false };
  const sent: ControlDraft[] = [];
  const did: string[] = [];
  const browser: PushBrowser = {
    askLeave: async () => true,
    async subscribe(_agent, key, name) {
      did.push(`subscribe ${key} ${name}`);
      if (seen.refuses) return err({ message: 'no push service' });
      return ok({ subscription: { endpoint: `https://p/${key}`, keys: KEYS }, endpointSha256: `hash of ${key}` });
    },
    unsubscribe: async () => void did.push('unsubscribe'),
  };
  const link = new PushLink({
    browser,
    send: (_agent, draft) => sent.push(draft),
    isWanted: () => seen.wanted,
    wishes: () => ({
      reasons: seen.reasons,
      quiet: seen.quiet ? { from: '22:00', to: '07:00', timeZone: 'UTC' } : undefined,
    }),
  });
  const agent = (push: PushState | undefined, over: Partial<CallingAgent> = {}): CallingAgent => ({
    publicKey: A,
    name: 'build-box',
    run: 'r1',
    isLive: true,
    isRevoked: false,
    push,
    ...over,
  });
  /** Tells how the agent is, and waits for what comes of it. */
  const tell = async (push: PushState | undefined, over?: Partial<CallingAgent>) => {
    link.update([agent(push, over)], ME);
    await link.changed(false);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { seen, sent, did, link, tell };
}

const mine = (over: Partial<PushDevice> = {}): PushDevice => ({
  device: ME,
  service: 'p',
  endpointSha256: 'hash of K1',
  reasons: ['permission'],
  ...over,
});
const state = (...devices: PushDevice[]): PushState => ({ key: 'K1', devices });

test('PU23: a device is subscribed once, and on when the harness says it has this very subscription', async () => {
  const { sent, did, link, tell } = world();
  await tell(state());
  await tell(state());
  expect(did).toEqual(['subscribe K1 build-box']);
  expect(sent).toEqual([
    { type: 'push_subscribe', subscription: { endpoint: 'https://p/K1', keys: KEYS }, reasons: ['permission'] },
  ]);
  expect(link.phase(A)).toEqual({ phase: 'working' });
  await tell(state(mine()));
  expect(link.phase(A)).toEqual({ phase: 'on' });
  await tell(state(mine({ failing: 'p answered 403' })));
  expect(link.phase(A)).toEqual({ phase: 'failed', message: 'p answered 403' });
  expect(sent).toHaveLength(1);
});

test('PU23: what is chosen otherwise, a subscription that changed, and a new key are told again', async () => {
  const { seen, sent, did, tell } = world();
  await tell(state(mine()));
  expect(sent).toEqual([]);
  seen.quiet = true;
  await tell(state(mine()));
  expect(sent.at(-1)).toMatchObject({ quiet: { from: '22:00', to: '07:00', timeZone: 'UTC' } });
  await tell(state(mine({ endpointSha256: 'another', quiet: { from: '22:00', to: '07:00', timeZone: 'UTC' } })));
  await tell({ ...state(), key: 'K2' });
  expect(did).toEqual(['subscribe K1 build-box', 'subscribe K2 build-box']);
  expect(sent.at(-1)).toMatchObject({ subscription: { endpoint: 'https://p/K2' } });
  // The same, to a harness that was restarted.
  const before = sent.length;
  await tell({ ...state(), key: 'K2' }, { run: 'r2' });
  expect(sent).toHaveLength(before + 1);
});

test('PU23: switched off it is unsubscribed here first, then there; also where the agent is revoked', async () => {
  const { seen, sent, did, link, tell } = world();
  await tell(state(mine()));
  seen.wanted = false;
  await tell(state(mine()));
  expect(did.slice(0, 2)).toEqual(['subscribe K1 build-box', 'unsubscribe']);
  expect(sent).toEqual([{ type: 'push_subscribe', subscription: null }]);
  expect(link.phase(A)).toEqual({ phase: 'off' });
  seen.wanted = true;
  await tell(state(mine()), { isRevoked: true, isLive: false });
  expect(did.at(-1)).toBe('unsubscribe');
  expect(sent).toHaveLength(1);
});

test('PU23: what a browser or a harness can’t do is said, and not tried again until the owner says so', async () => {
  const { seen, sent, did, link, tell } = world();
  await tell({ ...state(), problem: 'no contact' });
  expect(link.phase(A)).toEqual({ phase: 'failed', message: 'no contact' });
  expect(did).toEqual([]);
  seen.refuses = true;
  await tell(state());
  await tell(state());
  expect(link.phase(A)).toEqual({ phase: 'failed', message: 'no push service' });
  expect(did).toHaveLength(1);
  await tell(undefined);
  await tell(state(), { isLive: false });
  expect(sent).toEqual([]);
  seen.refuses = false;
  await link.changed(true);
  await tell(state());
  expect(sent).toHaveLength(1);
});
