import { nobleCrypto } from '@heliograph/crypto/noble';
import {
  eventSigner,
  type FrameRoute,
  KIND_OBSERVER,
  localSigner,
  type NostrEvent,
  parseControl,
  sealContent,
} from '@heliograph/wire';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { LedgerInMemory } from '../../test/support/ledger-in-memory.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { type AdmittedControl, ControlIntake } from './control-intake.ts';
import type { ControlLedger } from './control-ledger.ts';

const agent = localSigner(new Uint8Array(32).fill(1), nobleCrypto);
const owner = localSigner(new Uint8Array(32).fill(2), nobleCrypto);
const signer = eventSigner(new Uint8Array(32).fill(2), nobleCrypto);
const route: FrameRoute = { frame: 'control', agent: agent.publicKey, owner: owner.publicKey };
const clock = new ManualClock();
const nowSec = Math.floor(clock.nowMs() / 1_000);
const TAGS = [
  ['p', agent.publicKey],
  ['agent', agent.publicKey],
  ['frame', 'control'],
];
const cancel = {
  type: 'cancel_turn',
  requestId: '11111111-1111-4111-8111-111111111111',
  issuedAt: new Date(clock.nowMs()).toISOString(),
  run: 'run-1',
  channelId: 'ch',
};

function door() {
  const acted: AdmittedControl[] = [];
  const intake = new ControlIntake({
    clock,
    crypto: nobleCrypto,
    signer: agent,
    owner: owner.publicKey,
    run: 'run-1',
    ledger: new LedgerInMemory() as unknown as ControlLedger,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    tell() {},
    act: (admitted) => void acted.push(admitted),
  });
  return { intake, acted };
}

let content: string;
let good: NostrEvent;
beforeAll(async () => {
  content = await sealContent(JSON.stringify(cancel), route, owner);
  good = signer.sign({ kind: KIND_OBSERVER, created_at: nowSec, tags: TAGS, content });
});

const word = fc.oneof(fc.constantFrom('p', 'agent', 'frame', 'control', 'telemetry', '', agent.publicKey), fc.string());
const tags = fc.oneof(
  fc.shuffledSubarray(TAGS),
  fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
  fc
    .tuple(fc.nat(2), fc.nat(2), word)
    .map(([at, of, text]) => TAGS.map((tag, i) => (i === at ? tag.with(of % 2, text) : tag))),
  fc.array(word, { minLength: 1, maxLength: 3 }).map((more) => [...TAGS, more]),
);

test('HA27: of a frame of the owner’s with any member changed on its way nothing is acted on', async () => {
  const member = fc.oneof(
    tags.map((value) => ({ tags: value })),
    fc.integer().map((value) => ({ created_at: value })),
    fc.integer({ min: 0, max: 65_535 }).map((value) => ({ kind: value })),
    fc.tuple(fc.nat(), fc.constantFrom('A', 'b', '=', '')).map(([at, char]) => ({ contentAt: at, char })),
    fc.tuple(fc.nat(127), fc.constantFrom('0', '1', 'f')).map(([at, char]) => ({ sigAt: at, char })),
    fc.constant({ pubkey: agent.publicKey }),
  );
  await fc.assert(
    fc.asyncProperty(member, async (change) => {
      const { intake, acted } = door();
      const put = (text: string, at: number, char: string) =>
        text.slice(0, at % text.length) + char + text.slice((at % text.length) + 1);
      const event =
        'contentAt' in change
          ? { ...good, content: put(content, change.contentAt, change.char) }
          : 'sigAt' in change
            ? { ...good, sig: put(good.sig, change.sigAt, change.char) }
            : { ...good, ...change };
      await intake.receive(event as NostrEvent);
      expect(acted).toHaveLength(JSON.stringify(event) === JSON.stringify(good) ? 1 : 0);
      await intake.receive(good);
      expect(acted).toHaveLength(1);
    }),
    { numRuns: 300 },
  );
});

test('HA27: tags that the owner signed count only where they are the three of a control to this agent', async () => {
  await fc.assert(
    fc.asyncProperty(tags, async (odd) => {
      const { intake, acted } = door();
      await intake.receive(signer.sign({ kind: KIND_OBSERVER, created_at: nowSec, tags: odd, content }));
      const of = (name: string) => odd.filter(([first]) => first === name);
      const isStrict = TAGS.every(([name = '', value]) => of(name).length === 1 && of(name)[0]?.[1] === value);
      if (!isStrict) expect(acted).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('HA27: whatever the owner’s key says, nothing throws, and what is acted on is a control as it reads, for this run', async () => {
  const value = fc.oneof(fc.json(), fc.constantFrom(...Object.values(cancel)), fc.constant(undefined), fc.integer());
  const said = fc.oneof(
    fc.json(),
    fc.string({ minLength: 1 }),
    fc
      .record({ key: fc.constantFrom(...Object.keys(cancel), 'turnId', 'force', 'extra'), value })
      .map((change) => JSON.stringify({ ...cancel, [change.key]: change.value })),
  );
  await fc.assert(
    fc.asyncProperty(said, async (text) => {
      const { intake, acted } = door();
      const sealed = await sealContent(text, route, owner).catch(() => undefined);
      if (sealed === undefined) return;
      await intake.receive(signer.sign({ kind: KIND_OBSERVER, created_at: nowSec, tags: TAGS, content: sealed }));
      const parsed = parseControl(text);
      for (const { control } of acted) {
        expect(parsed.ok && parsed.value).toEqual(control);
        if (control.run !== undefined) expect(control.run).toBe('run-1');
      }
    }),
    { numRuns: 200 },
  );
});
