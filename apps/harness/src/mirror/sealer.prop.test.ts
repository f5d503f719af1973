import { selectNodeCrypto } from '@heliograph/crypto/node';
import { decodeEnvelope, encodeForEnvelope, FIRST_PREV, localSigner, type Signer } from '@heliograph/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { Lane, SealedEnvelope } from './sealed-envelope.ts';
import { Sealer } from './sealer.ts';

const { crypto } = selectNodeCrypto();
const agentKey = new Uint8Array(32).fill(1);
const ownerKey = new Uint8Array(32).fill(2);
const agent = localSigner(agentKey, crypto);
const owner = localSigner(ownerKey, crypto);

function open(over: { quiet?: () => boolean; signer?: Signer } = {}) {
  const clock = new ManualClock();
  const sealed: (SealedEnvelope & { lane: Lane })[] = [];
  const lost: unknown[] = [];
  const sealer = new Sealer({
    budgetBytes: 8_192,
    clock,
    crypto,
    signer: over.signer ?? agent,
    route: { frame: 'telemetry', agent: agent.publicKey, owner: owner.publicKey },
    room: async () => {},
    isQuiet: over.quiet ?? (() => false),
    onSealed: (envelope, lane) => void sealed.push({ ...envelope, lane }),
    onLost: (span, reason, hash) => void lost.push({ ...span, reason, hash }),
  });
  const lastSeqs = new Map<string, number>();
  const accept = (stream: string, size = 10, kind = 'acp_read') => {
    const seq = (lastSeqs.get(stream) ?? 0) + 1;
    lastSeqs.set(stream, seq);
    const event = {
      seq,
      timestamp: '2026-11-30T09:20:03.123456Z',
      kind,
      agentIndex: 0,
      channelId: null,
      sessionId: null,
      turnId: null,
      stream,
      payload: JSON.stringify('x'.repeat(size)),
    };
    sealer.accept(encodeForEnvelope(event), clock.nowMs());
    return seq;
  };
  const opened = () =>
    sealed.map(({ content, ...envelope }) => {
      const text = owner.decrypt(agent.publicKey, content);
      if (!text.ok) throw new Error(text.error.message);
      const decoded = decodeEnvelope(text.value, crypto);
      if (!decoded.ok) throw new Error(decoded.error.message);
      return { ...envelope, ...decoded.value };
    });
  return { clock, sealer, sealed, lost, accept, opened };
}

describe('the sealer', () => {
  test('HA9: every event is sealed once, in order, each envelope chained to the one before in its stream', async () => {
    const step = fc.record({
      stream: fc.constantFrom('a', 'b'),
      size: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 5_000, max: 7_000 })),
      hurry: fc.integer({ min: 0, max: 6 }),
      pause: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { sealer, accept, opened, clock } = open();
        const expected = { a: 0, b: 0 };
        const hurried = new Set<string>();
        for (const { stream, size, hurry, pause } of steps) {
          const seq = accept(stream, size);
          expected[stream as 'a' | 'b'] = seq;
          if (hurry === 0) {
            sealer.hurry(stream, seq);
            hurried.add(`${stream}${seq}`);
          }
          if (pause) {
            clock.advance(50);
            await sealer.flush();
          }
        }
        await sealer.flush();
        for (const stream of ['a', 'b'] as const) {
          let prev = FIRST_PREV;
          let seq = 0;
          for (const envelope of opened().filter((e) => e.stream === stream)) {
            expect(envelope.prev).toBe(prev);
            prev = envelope.hash;
            for (const event of envelope.events) {
              expect(event.seq).toBe(++seq);
              if (hurried.has(`${stream}${seq}`)) {
                expect(envelope.events).toHaveLength(1);
                expect(envelope.lane).toBe('urgent');
              }
            }
          }
          expect(seq).toBe(expected[stream]);
          if (seq > 0) expect(sealer.head(stream)).toEqual({ stream, seq, hash: prev });
        }
      }),
      { numRuns: 60 },
    );
  });

  test('HA10: with everything acknowledged a line goes at once; else lines gather for 40 ms or a full frame', async () => {
    let quiet = false;
    const { sealer, accept, sealed, clock } = open({ quiet: () => quiet });
    const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));
    accept('a');
    accept('a');
    await settled();
    expect(sealed).toHaveLength(0);
    clock.advance(39);
    await settled();
    expect(sealed).toHaveLength(0);
    clock.advance(1);
    await settled();
    expect(sealed.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq])).toEqual([[1, 2]]);
    quiet = true;
    accept('a');
    await settled();
    expect(sealed).toHaveLength(2);
    quiet = false;
    for (let i = 0; i < 4; i++) accept('a', 2_500);
    await settled();
    // Three do not fit together with their heads: a full frame goes, the rest gathers on.
    expect(sealed.length).toBe(3);
    await sealer.flush();
    expect(sealed.at(-1)?.lastSeq).toBe(7);
  });

  test('HA52: a clock that is set back does not keep lines waiting', async () => {
    const { accept, sealed, clock } = open();
    accept('a');
    clock.advance(-3_600_000);
    accept('a');
    await new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));
    expect(sealed).toHaveLength(1);
  });

  test('HA9: hurrying sends what carries the request line along, ahead of what was there before', async () => {
    const { sealer, accept, sealed } = open();
    accept('a', 5_000);
    accept('a', 5_000);
    const request = accept('a', 5_000);
    const pending = accept('a');
    sealer.hurry('a', pending, request);
    accept('a');
    await sealer.flush();
    expect(sealed.map(({ firstSeq, lastSeq, lane }) => [firstSeq, lastSeq, lane])).toEqual([
      [1, 1, 'live'],
      [2, 2, 'live'],
      [3, 3, 'urgent'],
      [4, 4, 'urgent'],
      [5, 5, 'live'],
    ]);
  });

  test('HA17: what a signer can not seal is counted as lost, and the chain goes on', async () => {
    let fails = true;
    const signer: Signer = {
      ...agent,
      encrypt: (peer, text) => (fails ? Promise.reject(new Error('away')) : agent.encrypt(peer, text)),
    };
    const { sealer, accept, opened, lost } = open({ signer });
    accept('a');
    await sealer.flush();
    fails = false;
    accept('a');
    await sealer.flush();
    expect(lost).toEqual([{ stream: 'a', firstSeq: 1, lastSeq: 1, reason: 'sealing_failed', hash: undefined }]);
    expect(opened()).toMatchObject([{ prev: FIRST_PREV, events: [{ seq: 2 }] }]);
  });

  test('HA100: an event that fits no frame is counted as lost, and what follows is sealed', async () => {
    const { sealer, accept, opened, lost } = open();
    accept('a');
    accept('a', 9_000);
    accept('a');
    await sealer.flush();
    expect(lost).toMatchObject([{ stream: 'a', firstSeq: 2, lastSeq: 2, reason: 'sealing_failed' }]);
    expect(opened().flatMap(({ events }) => events.map(({ seq }) => seq))).toEqual([1, 3]);
  });
});
