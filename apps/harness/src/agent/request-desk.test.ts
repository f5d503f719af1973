import { nobleCrypto } from '@heliograph/crypto/noble';
import type { PermissionDecisionControl, PermissionPending, PermissionTerminal } from '@heliograph/wire';
import { expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { RequestDesk } from './request-desk.ts';
import type { ReadLine } from './tap.ts';

const OPTIONS = [
  { optionId: 'yes', kind: 'allow_once' },
  { optionId: 'no', kind: 'reject_once' },
];

/** A desk whose turn `t1` is open in channel `ch`. */
function open() {
  const written: string[] = [];
  const told: { readonly kind: string; readonly payload: object }[] = [];
  const pins: unknown[] = [];
  let nonces = 0;
  let seq = 0;
  let cancelledBy: 'owner' | 'harness' | undefined;
  const desk = new RequestDesk({
    policy: () => ({ policy: 'ask' }),
    clock: new ManualClock(),
    timeoutMs: 0,
    nonce: () => `nonce-${++nonces}`,
    sha256: (bytes) => nobleCrypto.sha256(bytes),
    write: async (lines) => {
      written.push(...lines.map(({ text }) => text));
      return [];
    },
    emitUrgent: (place, kind, payload) => {
      told.push({ kind, payload });
      return { stream: place.stream, firstSeq: ++seq, lastSeq: seq, timestamp: '', whole: true };
    },
    pin: (span) => {
      pins.push(span);
      return () => void pins.splice(pins.indexOf(span), 1);
    },
    cancelledBy: () => cancelledBy,
  });
  const ask = ({
    id = '7',
    params = {},
    recorded = '{}',
  }: {
    id?: string;
    params?: object;
    recorded?: string;
  } = {}) => {
    const message = {
      type: 'request',
      id,
      method: 'session/request_permission',
      params: { toolCall: { toolCallId: 'T' }, options: OPTIONS, ...params },
    } as const;
    seq++;
    const emitted = { stream: 'st', firstSeq: seq, lastSeq: seq, timestamp: '', whole: true };
    const place = { stream: 'st', sessionId: 'S', turnId: 't1' };
    const route = { channelId: 'ch', sessionId: 'S' };
    desk.ask({ message, text: recorded, recorded, route, place, emitted, redacted: false } as ReadLine & {
      message: typeof message;
    });
    return of<PermissionPending>('permission_pending').at(-1) as PermissionPending;
  };
  const of = <P>(kind: string) => told.filter((t) => t.kind === kind).map(({ payload }) => payload as P);
  const ends = () =>
    of<PermissionTerminal>('permission_terminal').map(({ reason, decidedBy }) => [reason, decidedBy.who]);
  const decide = ({ requestNonce, requestSha256 }: PermissionPending, optionId: string) => {
    const results: string[] = [];
    const control = { type: 'permission_decision', channelId: 'ch', requestNonce, requestSha256, optionId } as const;
    desk.decide(control satisfies PermissionDecisionControl, ({ status }) => void results.push(status));
    return results;
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const cancelling = (who: typeof cancelledBy) => {
    cancelledBy = who;
  };
  return { desk, written, pins, ask, ends, decide, settled, cancelling };
}

test('HA102: a request that comes while the turn is being cancelled is answered `cancelled` at once', async () => {
  const { written, ask, ends, decide, settled, cancelling } = open();
  cancelling('owner');
  const pending = ask();
  await settled();
  expect(written).toEqual(['{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}']);
  expect(ends()).toEqual([['cancelled', 'owner']]);
  expect(decide(pending, 'yes')).toEqual(['already_decided']);
  expect(written).toHaveLength(1);
});

test('HA102: a request still open when its turn ends is closed, and a decision afterwards writes nothing', async () => {
  const { desk, written, pins, ask, ends, decide, settled } = open();
  const pending = ask();
  desk.turnEnded('another');
  expect(desk.isWaiting('ch')).toBe(true);
  desk.turnEnded('t1');
  await settled();
  expect(ends()).toEqual([['cancelled', 'harness']]);
  expect(desk.isWaiting('ch')).toBe(false);
  expect(decide(pending, 'yes')).toEqual(['already_decided']);
  expect(written).toEqual(['{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}']);
  expect(pins).toEqual([]);
});

test('HA105: what is too large to look at can still be rejected, and only rejected', () => {
  const long = 'x'.repeat(1_025);
  const many = [...Array.from({ length: 64 }, (_, i) => ({ optionId: `o${i}`, kind: 'allow_once' })), ...OPTIONS];
  for (const asked of [
    { params: { toolCall: { toolCallId: long } } },
    { params: { options: many } },
    { params: { options: [...OPTIONS, { optionId: long, kind: 'allow_once' }] } },
    { recorded: 'x'.repeat(1_024 * 1_024 + 1) },
    { id: `"${long}"` },
  ]) {
    const { desk, ask, decide } = open();
    const pending = ask(asked);
    expect(pending.actionable).toBe(false);
    const kept = desk.pending()[0]?.ask;
    expect(kept?.kind === 'permission' && kept.options.length).toBeLessThanOrEqual(64);
    expect(decide(pending, 'yes')).toEqual(['invalid_option']);
    expect(decide(pending, 'no')).toEqual([]);
    expect(desk.pending()).toEqual([]);
  }
});

test('HA105: an id over 4,096 characters is refused at once and not kept', async () => {
  const { desk, ask, written, settled } = open();
  ask({ id: `"${'x'.repeat(4_096)}"` });
  await settled();
  expect(desk.pending()).toEqual([]);
  expect(JSON.parse(written[0] as string)).toMatchObject({ error: { code: -32603 } });
});

test('HA105: what open requests hold together is bounded: one beyond it is answered `cancelled`, visibly', async () => {
  const { desk, ask, ends, settled } = open();
  const options = Array.from({ length: 64 }, (_, i) => ({
    optionId: String(i).padStart(1_024, 'o'),
    kind: 'x'.repeat(64),
  }));
  for (let i = 0; i < 256; i++) ask({ id: `"${i}-${'x'.repeat(4_000)}"`, params: { options } });
  await settled();
  expect(desk.pending().length).toBeLessThan(256);
  expect(desk.pending().length).toBeGreaterThan(200);
  expect(ends()).toHaveLength(256 - desk.pending().length);
  expect(ends()[0]).toEqual(['cancelled', 'harness']);
});
