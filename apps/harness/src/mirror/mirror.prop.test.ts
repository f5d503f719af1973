import { selectNodeCrypto } from '@heliograph/crypto/node';
import {
  decodeEnvelope,
  FIRST_PREV,
  KIND_OBSERVER,
  localSigner,
  type NostrEvent,
  type ObserverEvent,
} from '@heliograph/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { type ScriptedAnswer, ScriptedRelay } from '../../test/support/scripted-relay.ts';
import { Mirror, type MirrorOptions } from './mirror.ts';
import { CREDIT } from './publish-queue.ts';
import { MemorySpool, type SpoolPort } from './spool.ts';

const { crypto } = selectNodeCrypto();
const agent = localSigner(new Uint8Array(32).fill(1), crypto);
const owner = localSigner(new Uint8Array(32).fill(2), crypto);
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

function open({
  spoolBytes = 10_000_000,
  makeSpool = (port) => new MemorySpool(spoolBytes, port),
}: Partial<Pick<MirrorOptions, 'makeSpool'>> & { spoolBytes?: number } = {}) {
  const clock = new ManualClock();
  const relay = new ScriptedRelay();
  const mirror = new Mirror({
    run: 'run',
    owner: owner.publicKey,
    relays: ['ws://relay'],
    budgetBytes: 8_192,
    makeSpool,
    signer: agent,
    openSocket: relay.open,
    clock,
    random: () => 0.5,
    crypto,
    log: quiet,
  });
  /** Lets everything that is due now happen. */
  const settle = async () => {
    for (let i = 0; i < 12; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Time passes in steps, each settled. */
  const pass = async (ms: number, steps = 1) => {
    for (let i = 0; i < steps; i++) {
      clock.advance(ms / steps);
      await settle();
    }
  };
  /** Closes the mirror; its patience with relays is over at once. */
  const end = async () => {
    const closing = mirror.close([], 0);
    await settle();
    await pass(1);
    await closing;
  };
  const emit = (size = 10) => mirror.emit(place, { kind: 'acp_read', payload: JSON.stringify('x'.repeat(size)) });
  return { clock, relay, mirror, settle, pass, emit, end };
}
const place = { stream: 'st', sessionId: null, turnId: null };

/** The envelopes in these frames. */
function envelopes(frames: readonly NostrEvent[]) {
  return frames.map((frame) => {
    const text = owner.decrypt(agent.publicKey, frame.content);
    const decoded = text.ok ? decodeEnvelope(text.value, crypto) : text;
    if (!decoded.ok) throw new Error(decoded.error.message);
    return decoded.value;
  });
}

/** All events a viewer has after these frames, of one stream, in order; fails on a broken chain. */
function eventsOf(frames: readonly NostrEvent[], stream: string): ObserverEvent[] {
  const own = new Map(envelopes(frames.filter(({ kind }) => kind === KIND_OBSERVER)).map((e) => [e.hash, e]));
  const ordered = [...own.values()]
    .filter((e) => e.stream === stream)
    .sort((a, b) => (a.events[0]?.seq ?? 0) - (b.events[0]?.seq ?? 0));
  let prev = FIRST_PREV;
  for (const envelope of ordered) {
    expect(envelope.prev).toBe(prev);
    prev = envelope.hash;
  }
  return ordered.flatMap(({ events }) => [...events]);
}

describe('the mirror', () => {
  test('HA107: a relay that takes every AUTH and refuses every frame with auth-required: is asked at the pace of a refusal', async () => {
    const { relay, mirror, pass, emit, end } = open();
    relay.challenges = true;
    mirror.open('st', 'ch');
    relay.answer = () => 'auth-required: who are you';
    emit();
    await pass(100, 10);
    const before = relay.received.length;
    await pass(10_000, 100);
    // 1, 2 and 4 s after the first, each sent once more after its AUTH, with what the agent tells of itself.
    expect(relay.received.length - before).toBeLessThan(12);
    relay.answer = () => 'ok';
    await pass(30_000, 30);
    expect(eventsOf(relay.taken, 'st').length).toBeGreaterThan(0);
    await end();
  });

  test('HA112: lines that reach the disk later than 50 ms after they were read are told of, once a minute', async () => {
    let port: SpoolPort | undefined;
    const makeSpool = (given: SpoolPort) => {
      port = given;
      return new MemorySpool(10_000_000, given);
    };
    const { relay, pass, settle, end } = open({ makeSpool });
    port?.onWritten(50);
    await settle();
    for (const lagMs of [120, 300]) port?.onWritten(lagMs);
    await pass(60_000, 60);
    port?.onWritten(400);
    await pass(100, 10);
    const told = eventsOf(relay.taken, 'run').filter(({ kind }) => kind === 'harness_note');
    expect(told.map(({ payload }) => /\d+ ms after/.exec(payload)?.[0])).toEqual(['120 ms after', '400 ms after']);
    await end();
  });

  test('HA12: whatever the relay answers, every event arrives in the end, in one unbroken chain, none twice', async () => {
    const answers: fc.Arbitrary<ScriptedAnswer> = fc.constantFrom(
      'ok',
      'ok',
      'silence',
      'drop',
      'rate-limited: retry in 1 s',
      'error: try later',
      'restricted: who are you',
      'invalid: created_at is off',
      'no prefix at all',
    );
    const step = fc.record({
      answer: answers,
      lines: fc.integer({ min: 0, max: 4 }),
      large: fc.boolean(),
      passMs: fc.integer({ min: 1, max: 60_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { relay, mirror, pass, emit, end } = open();
        mirror.open('st', 'ch');
        await pass(1_000, 4);
        let count = 1;
        for (const { answer, lines, large, passMs } of steps) {
          relay.answer = () => answer;
          for (let i = 0; i < lines; i++) {
            emit(large ? 3_000 : 10);
            count++;
          }
          await pass(passMs, 3);
        }
        relay.answer = () => 'ok';
        // Longer than any pause.
        await pass(400_000, 40);
        const events = eventsOf(relay.taken, 'st');
        expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
        // A frame that was taken is never sent again.
        const taken = relay.taken.map(({ content }) => content);
        expect(new Set(taken).size).toBe(taken.length);
        await end();
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  test('HA15: frames are stamped when sent; a retry is the same event within 30 s and a new one around the same ciphertext later', async () => {
    const { relay, mirror, pass, emit, clock, end } = open();
    mirror.open('st', 'ch');
    await pass(1_000, 4);
    relay.received.length = 0;
    relay.answer = () => 'error: not now';
    emit();
    await pass(25_000, 50);
    const [first] = relay.received;
    const tries = () => relay.received.filter(({ content }) => content === first?.content);
    expect(tries().length).toBeGreaterThan(2);
    expect(new Set(tries().map(({ id }) => id)).size).toBe(1);
    await pass(60_000, 60);
    relay.answer = () => 'ok';
    await pass(60_000, 60);
    const last = tries().at(-1);
    expect(last?.id).not.toBe(first?.id);
    // Sent within the last minute, so stamped then: the first stamp is far behind.
    expect(clock.nowMs() / 1_000 - (last?.created_at ?? 0)).toBeLessThan(70);
    expect((last?.created_at ?? 0) - (first?.created_at ?? 0)).toBeGreaterThan(70);
    await end();
  });

  test('HA31: a replay is a new event around the very same ciphertext, and tells when its last one is out', async () => {
    const { relay, mirror, pass, emit, end } = open();
    mirror.open('st', 'ch');
    emit();
    await pass(1_000, 4);
    const before = [...relay.taken];
    let done = 0;
    expect(mirror.replay(mirror.kept('st', 1, 99), () => done++)).toBe(true);
    await pass(1, 1);
    expect(done).toBe(1);
    const again = relay.taken.slice(before.length).filter(({ content }) => before.some((b) => b.content === content));
    expect(again.length).toBe(mirror.kept('st', 1, 99).length);
    for (const event of again) expect(before.map(({ id }) => id)).not.toContain(event.id);
    await end();
  });

  test('HA11: what is urgent overtakes a backlog, with the envelopes it needs', async () => {
    const { relay, mirror, pass, emit, settle, end } = open();
    mirror.open('st', 'ch');
    await pass(1_000, 4);
    relay.answer = () => 'silence';
    for (let i = 0; i < 40; i++) emit(5_000);
    await settle();
    await settle();
    const request = emit(4_000);
    mirror.emitUrgent(place, { kind: 'permission_pending', payload: '{}' }, request.firstSeq);
    await settle();
    relay.received.length = 0;
    relay.answer = () => 'ok';
    // The answers to what was in flight never come; once they are given up, what is urgent goes with the next frames.
    await pass(12_000, 24);
    const seqs = envelopes(relay.received).map(({ events }) => events.at(-1)?.seq);
    expect(seqs[0]).toBe(request.lastSeq);
    expect(seqs.slice(0, CREDIT)).toContain(request.lastSeq + 1);
    await end();
  });

  test('HA40: the end of a stream is its end, whatever is still told', async () => {
    const { relay, mirror, pass, emit, settle } = open();
    mirror.open('st', 'ch');
    await pass(1_000, 4);
    emit();
    mirror.replay(mirror.kept('st', 1, 1), () => mirror.emitUrgent(place, { kind: 'control_result', payload: '{}' }));
    const closing = mirror.close([place], 0);
    await settle();
    emit();
    await pass(1, 1);
    await closing;
    for (const stream of ['st', 'run']) {
      const events = eventsOf(relay.taken, stream);
      expect(events.at(-1)?.kind).toBe('stream_closed');
      expect(events.filter(({ kind }) => kind === 'stream_closed')).toHaveLength(1);
      expect(JSON.parse(events.at(-1)?.payload ?? '')).toMatchObject({ lastSeq: events.length - 1 });
    }
  });

  test('HA17: a spool that overflows while the relay is away tells exactly what is gone', async () => {
    const { relay, mirror, pass, emit, end } = open({ spoolBytes: 60_000 });
    mirror.open('st', 'ch');
    await pass(1_000, 4);
    relay.drop();
    relay.answer = () => 'drop';
    for (let i = 0; i < 40; i++) {
      emit(4_000);
      await pass(60, 1);
    }
    relay.answer = () => 'ok';
    await pass(120_000, 60);
    await mirror.settle();
    await pass(10_000, 10);
    const events = envelopes(relay.taken.filter(({ kind }) => kind === KIND_OBSERVER))
      .flatMap((e) => [...e.events])
      .filter(({ stream }) => stream === 'st');
    const held = new Set(events.map(({ seq }) => seq));
    const gaps = events
      .filter(({ kind }) => kind === 'observer_telemetry_gap')
      .map(({ payload }) => JSON.parse(payload) as { firstSeq: number; lastSeq: number; droppedEvents: number });
    const told = new Set(
      gaps.flatMap(({ firstSeq, lastSeq }) => Array.from({ length: lastSeq - firstSeq + 1 }, (_, i) => firstSeq + i)),
    );
    expect(told.size).toBeGreaterThan(20);
    for (const { firstSeq, lastSeq, droppedEvents } of gaps) expect(droppedEvents).toBe(lastSeq - firstSeq + 1);
    for (let seq = 1; seq <= mirror.lastSeq('st'); seq++) expect(held.has(seq) !== told.has(seq)).toBe(true);
    await end();
  });

  test('HA17: what is gone of a stream that has ended is told beside it', async () => {
    const { relay, mirror, pass, emit, end } = open({ spoolBytes: 60_000 });
    mirror.open('st', 'ch');
    await pass(1_000, 4);
    relay.drop();
    relay.answer = () => 'drop';
    for (let i = 0; i < 5; i++) {
      emit(4_000);
      await pass(60, 1);
    }
    void mirror.end(place);
    mirror.open('other', 'ch2');
    for (let i = 0; i < 40; i++) {
      mirror.emit({ ...place, stream: 'other' }, { kind: 'acp_read', payload: JSON.stringify('x'.repeat(4_000)) });
      await pass(60, 1);
    }
    relay.answer = () => 'ok';
    await pass(120_000, 60);
    await mirror.settle();
    await pass(10_000, 10);
    const told = envelopes(relay.taken.filter(({ kind }) => kind === KIND_OBSERVER))
      .flatMap(({ events }) => [...events])
      .filter(({ stream, kind }) => stream === 'run' && kind === 'harness_note')
      .map(({ payload }) => payload)
      .join('\n');
    expect(told).toMatch(/events of the ended stream st, of \d+ to \d+, were dropped before any relay took them/);
    await end();
  });
});
