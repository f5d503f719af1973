import { nobleCrypto } from '@heliograph/crypto/noble';
import {
  type ControlResult,
  eventSigner,
  type FrameRoute,
  KIND_OBSERVER,
  localSigner,
  type NostrEvent,
  parseEvent,
  sealContent,
  sealFrame,
} from '@heliograph/wire';
import { beforeEach, describe, expect, test } from 'vitest';
import { LedgerInMemory } from '../../test/support/ledger-in-memory.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { type AdmittedControl, ControlIntake } from './control-intake.ts';
import type { ControlLedger } from './control-ledger.ts';

const agent = localSigner(new Uint8Array(32).fill(1), nobleCrypto);
const owner = localSigner(new Uint8Array(32).fill(2), nobleCrypto);
const stranger = localSigner(new Uint8Array(32).fill(3), nobleCrypto);
const route: FrameRoute = { frame: 'control', agent: agent.publicKey, owner: owner.publicKey };
const REQUEST = '11111111-1111-4111-8111-111111111111';

let clock: ManualClock;
let ledger: LedgerInMemory;
let told: (ControlResult & { channelId: string | null | undefined })[];
let acted: AdmittedControl[];
let intake: ControlIntake;

beforeEach(() => {
  clock = new ManualClock();
  ledger = new LedgerInMemory();
  told = [];
  acted = [];
  intake = new ControlIntake({
    clock,
    crypto: nobleCrypto,
    signer: agent,
    owner: owner.publicKey,
    run: 'run-1',
    ledger: ledger as unknown as ControlLedger,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    tell: (result, channelId) => void told.push({ ...result, channelId }),
    act: (admitted) => void acted.push(admitted),
  });
});

const nowSec = () => Math.floor(clock.nowMs() / 1_000);
const cancel = (over: object = {}) => ({
  type: 'cancel_turn',
  requestId: REQUEST,
  issuedAt: new Date(clock.nowMs()).toISOString(),
  run: 'run-1',
  channelId: 'ch',
  ...over,
});
const frame = async (control: object, atSec = nowSec()): Promise<NostrEvent> =>
  sealFrame(JSON.stringify(control), route, atSec, owner);
/** A frame with other tags or another signer, well signed. */
async function odd(over: { tags?: string[][]; kind?: number; signer?: typeof owner }): Promise<NostrEvent> {
  const content = await sealContent(JSON.stringify(cancel()), route, owner);
  const tags = [
    ['p', agent.publicKey],
    ['agent', agent.publicKey],
    ['frame', 'control'],
  ];
  return (over.signer ?? owner).sign({ kind: KIND_OBSERVER, created_at: nowSec(), tags, content, ...over });
}

describe('the door for controls', () => {
  test('HA27: what the owner says to this run, freshly, is written down and then acted on once', async () => {
    const event = await frame(cancel());
    await intake.receive(event);
    await intake.receive(event);
    expect(acted).toHaveLength(1);
    expect(acted[0]).toMatchObject({ key: REQUEST, eventId: event.id, saidMs: clock.nowMs() });
    expect(ledger.notes).toEqual([`begin ${REQUEST}`]);
    acted[0]?.reply({ status: 'sent' });
    acted[0]?.reply({ status: 'cancelled' });
    expect(told).toMatchObject([
      { type: 'cancel_turn', requestId: REQUEST, status: 'sent', channelId: 'ch' },
      { status: 'cancelled' },
    ]);
  });

  test('HA28: the same requestId in a new event is answered with the latest result and not done again', async () => {
    await intake.receive(await frame(cancel()));
    await intake.receive(await frame(cancel(), nowSec() - 1));
    expect(told).toEqual([]);
    acted[0]?.reply({ status: 'cancelled' });
    await intake.receive(await frame(cancel(), nowSec() - 2));
    expect(acted).toHaveLength(1);
    expect(told.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  test('HA28: begun before a crash: uncertain, and not done again', async () => {
    ledger.controls.set(REQUEST, { phase: 'uncertain' });
    await intake.receive(await frame(cancel({ run: 'run-0' })));
    expect(acted).toEqual([]);
    expect(told).toMatchObject([{ status: 'uncertain', requestId: REQUEST }]);
  });

  test('HA28: what can not be written down is not done', async () => {
    ledger.failsToBegin = true;
    await intake.receive(await frame(cancel()));
    expect(acted).toEqual([]);
    expect(told).toMatchObject([{ status: 'failure' }]);
  });

  test('HA27: strangers, odd tags, forged signatures and foreign ciphertext are counted and never answered', async () => {
    const good = await frame(cancel());
    const events: NostrEvent[] = [
      await odd({ signer: stranger }),
      await odd({
        tags: [
          ['p', agent.publicKey],
          ['agent', agent.publicKey],
        ],
      }),
      await odd({
        tags: [
          ['p', agent.publicKey],
          ['p', agent.publicKey],
          ['agent', agent.publicKey],
          ['frame', 'control'],
        ],
      }),
      await odd({
        tags: [
          ['p', owner.publicKey],
          ['agent', agent.publicKey],
          ['frame', 'control'],
        ],
      }),
      await odd({
        tags: [
          ['p', agent.publicKey],
          ['agent', agent.publicKey],
          ['frame', 'telemetry'],
        ],
      }),
      await odd({ kind: 1 }),
      { ...good, sig: '0'.repeat(128) },
      { ...good, content: (await frame(cancel({ channelId: 'other' }))).content },
      { ...good, created_at: good.created_at + 1 },
      eventSigner(new Uint8Array(32).fill(2), nobleCrypto).sign({
        ...good,
        content: `${good.content.slice(0, -8)}AAAAAAA=`,
      }),
    ];
    for (const event of events) await intake.receive(event);
    expect(acted).toEqual([]);
    expect(told).toEqual([]);
    expect(intake.refused).toEqual({ tags: 5, stranger: 1, signature: 3, stale: 0, undecodable: 1, incomplete: 0 });
    // A forged copy has not kept the real one out.
    await intake.receive(good);
    expect(acted).toHaveLength(1);
  });

  test('HA29: a stale control of the owner gets one refusal in ten seconds that says whose clock is off', async () => {
    await intake.receive(await frame(cancel(), nowSec() - 360));
    await intake.receive(await frame(cancel(), nowSec() - 361));
    expect(told).toMatchObject([{ status: 'stale', reason: expect.stringContaining('your clock is 6 min behind') }]);
    clock.advance(10_000);
    await intake.receive(await frame(cancel(), nowSec() + 400));
    expect(told[1]).toMatchObject({ reason: expect.stringContaining('7 min ahead') });
    expect(acted).toEqual([]);
    await intake.receive(await frame(cancel(), nowSec() - 300));
    expect(acted).toHaveLength(1);
  });

  test('HA27: another run, and what was said a day ago, are refused in words', async () => {
    await intake.receive(await frame(cancel({ run: 'run-0' })));
    const issuedAt = new Date(clock.nowMs() - 24 * 3_600_000 - 1).toISOString();
    await intake.receive(await frame(cancel({ issuedAt, requestId: REQUEST.replace('1', '2') })));
    expect(told.map(({ status }) => status)).toEqual(['wrong_run', 'expired']);
    expect(ledger.notes).toEqual([]);
  });

  test('HA27: controls of other implementations work without requestId, issuedAt and run, once per event', async () => {
    const event = await frame({ type: 'cancel_turn', channelId: 'ch' });
    await intake.receive(event);
    expect(acted).toMatchObject([{ key: `event:${event.id}` }]);
    acted[0]?.reply({ status: 'sent' });
    expect(told).toEqual([{ type: 'cancel_turn', status: 'sent', channelId: 'ch' }]);
  });

  test('HA27: unknown and malformed controls are answered as far as they can be read', async () => {
    await intake.receive(await frame({ type: 'fly', requestId: REQUEST }));
    await intake.receive(await frame({ type: 'prompt', requestId: REQUEST, channelId: 'ch', content: [] }));
    await intake.receive(await frame([1]));
    expect(told).toMatchObject([
      { type: 'fly', requestId: REQUEST, status: 'unsupported' },
      { type: 'prompt', status: 'invalid', reason: expect.stringContaining('content') },
    ]);
    expect(intake.refused.undecodable).toBe(1);
  });

  test('HA28: hello and replay change nothing, so the disk is not asked', async () => {
    await intake.receive(
      await frame({ type: 'hello', requestId: REQUEST, issuedAt: cancel().issuedAt, viewer: 'v', features: [] }),
    );
    expect(acted).toHaveLength(1);
    expect(ledger.notes).toEqual([]);
  });

  test('HA104: what only we say must carry requestId, issuedAt and run; it is counted, or refused in words', async () => {
    const prompt = { ...cancel(), type: 'prompt', content: [{ type: 'text', text: 'x' }] };
    await intake.receive(await frame({ ...prompt, requestId: undefined }));
    expect(told).toEqual([]);
    expect(intake.refused.incomplete).toBe(1);
    await intake.receive(await frame({ ...prompt, issuedAt: undefined }));
    await intake.receive(await frame({ ...prompt, run: undefined }));
    await intake.receive(await frame(cancel({ run: undefined })));
    expect(told.map(({ status, reason }) => [status, reason])).toEqual([
      ['invalid', 'a prompt needs issuedAt'],
      ['invalid', 'a prompt needs run'],
      ['invalid', 'a cancel_turn needs run'],
    ]);
    expect(acted).toEqual([]);
  });

  test('HA104: what was said more than five minutes ahead of our clock is refused', async () => {
    const at = (ms: number) => new Date(clock.nowMs() + ms).toISOString();
    await intake.receive(await frame(cancel({ issuedAt: at(300_001) })));
    expect(told).toMatchObject([{ status: 'expired', reason: expect.stringContaining('clocks') }]);
    await intake.receive(await frame(cancel({ issuedAt: at(300_000) })));
    expect(acted).toHaveLength(1);
  });

  test('HA27: the events under test are well-formed but for what they test', async () => {
    expect(parseEvent(await odd({})).ok).toBe(true);
    await intake.receive(await odd({}));
    expect(acted).toHaveLength(1);
  });
});
