import type { PublishError } from '@heliograph/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Answer, CREDIT, PublishQueue } from './publish-queue.ts';
import type { Lane, SeqSpan } from './sealed-envelope.ts';

const envelope = (stream: string, seq: number): SeqSpan => ({ stream, firstSeq: seq, lastSeq: seq });
const error = (code: PublishError['code'], message = `${code}: no`): PublishError => ({ code, message });

/** Everything that can be sent at `nowMs`. */
function drain(queue: PublishQueue<SeqSpan>, nowMs: number): SeqSpan[] {
  const sent: SeqSpan[] = [];
  for (let next = queue.next(nowMs); next !== undefined; next = queue.next(nowMs)) sent.push(next);
  return sent;
}

const CODES: readonly PublishError['code'][] = [
  'mute',
  'rate-limited',
  'restricted',
  'blocked',
  'pow',
  'invalid',
  'error',
  'auth-required',
  'duplicate',
  'offline',
  'timeout',
  'refused',
];

describe('what goes to a relay next', () => {
  test('HA12: for any answers nothing is lost and nothing is in flight twice', () => {
    const answers: fc.Arbitrary<Answer> = fc.oneof(
      fc.constant<Answer>('taken'),
      fc.constantFrom(...CODES).map((code) => error(code, `${code}: retry in 2 s`)),
    );
    const steps = fc.array(
      fc.oneof(
        fc.record({
          do: fc.constant('offer' as const),
          lane: fc.constantFrom<Lane>('urgent', 'live', 'replay'),
          again: fc.boolean(),
        }),
        fc.record({ do: fc.constant('settle' as const), answer: answers }),
        fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400_000 }) }),
        fc.record({ do: fc.constant('reconnect' as const) }),
      ),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, (list) => {
        const queue = new PublishQueue<SeqSpan>();
        const offered: SeqSpan[] = [];
        const retired = new Map<SeqSpan, number>();
        const inFlight: SeqSpan[] = [];
        let nowMs = 0;
        const pump = () => {
          for (const sent of drain(queue, nowMs)) {
            expect(inFlight).not.toContain(sent);
            inFlight.push(sent);
          }
          expect(inFlight.length).toBeLessThanOrEqual(CREDIT);
        };
        const settle = (answer: Answer) => {
          const first = inFlight.shift();
          if (first === undefined) return;
          if (queue.settle(first, answer, nowMs) === 'retired') retired.set(first, (retired.get(first) ?? 0) + 1);
        };
        for (const step of list) {
          if (step.do === 'offer') {
            const known = step.again ? offered.at(-1) : undefined;
            const next = known ?? envelope(`s${offered.length % 3}`, offered.length + 1);
            // Only what is still on its way: a re-send is a new offer of its own.
            if (known === undefined) offered.push(next);
            if (!retired.has(next)) queue.offer(next, step.lane);
          } else if (step.do === 'settle') settle(step.answer);
          else if (step.do === 'wait') nowMs += step.ms;
          else {
            // The relay client answers everything before it reconnects.
            while (inFlight.length > 0) settle(error('offline'));
            queue.reconnected();
          }
          pump();
        }
        // From now on the relay is well.
        for (let round = 0; round < 2_000 && queue.size > 0; round++) {
          const wakeAtMs = queue.wakeAtMs(nowMs);
          if (inFlight.length === 0 && wakeAtMs !== undefined) nowMs = Math.max(nowMs, wakeAtMs);
          pump();
          settle('taken');
        }
        expect(queue.size).toBe(0);
        expect(retired.size).toBe(offered.length);
        for (const count of retired.values()) expect(count).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  test(`HA11: ${CREDIT} frames without an answer, at most half of them replay`, () => {
    const queue = new PublishQueue<SeqSpan>();
    for (let seq = 1; seq <= 20; seq++) queue.offer(envelope('r', seq), 'replay');
    expect(drain(queue, 0)).toHaveLength(CREDIT / 2);
    for (let seq = 1; seq <= 20; seq++) queue.offer(envelope('l', seq), 'live');
    expect(drain(queue, 0)).toHaveLength(CREDIT / 2);
  });

  test('HA11: urgent before live before replay; streams take turns, each in seq order', () => {
    const queue = new PublishQueue<SeqSpan>();
    queue.offer(envelope('r', 1), 'replay');
    for (const seq of [1, 2, 3]) queue.offer(envelope('a', seq), 'live');
    for (const seq of [1, 2]) queue.offer(envelope('b', seq), 'live');
    queue.offer(envelope('a', 9), 'urgent');
    const order = drain(queue, 0).map(({ stream, firstSeq }) => `${stream}${firstSeq}`);
    expect(order).toEqual(['a9', 'a1', 'b1', 'a2', 'b2', 'a3', 'r1']);
  });

  test('HA11: where live never ends every eighth frame is replay', () => {
    const queue = new PublishQueue<SeqSpan>();
    for (let seq = 1; seq <= 3; seq++) queue.offer(envelope('old', seq), 'replay');
    const sent: string[] = [];
    for (let seq = 1; seq <= 32; seq++) {
      queue.offer(envelope('new', seq), 'live');
      const next = queue.next(0) as SeqSpan;
      sent.push(next.stream);
      queue.settle(next, 'taken', 0);
    }
    expect(sent.flatMap((stream, at) => (stream === 'old' ? [at] : []))).toEqual([7, 15, 23]);
  });

  test('HA11: what comes back goes out again before what is newer in its stream', () => {
    const queue = new PublishQueue<SeqSpan>();
    const all = Array.from({ length: 12 }, (_, i) => envelope('a', i + 1));
    for (const one of all) queue.offer(one, 'live');
    const [first, second] = drain(queue, 0) as [SeqSpan, SeqSpan];
    queue.settle(second, error('offline'), 0);
    queue.settle(first, error('offline'), 0);
    expect(drain(queue, 0).slice(0, 2)).toEqual([first, second]);
  });

  test('HA13: rate-limited: honours the stated wait, doubles its interval once a burst to 1 s, recovers slowly', () => {
    const queue = new PublishQueue<SeqSpan>();
    for (let seq = 1; seq <= 100; seq++) queue.offer(envelope('a', seq), 'live');
    for (const sent of drain(queue, 10)) queue.settle(sent, error('rate-limited', 'rate-limited: retry in 3 s'), 20);
    expect(queue.next(3_019)).toBeUndefined();
    const first = queue.next(3_020);
    expect(first).toBeDefined();
    expect(queue.next(3_069)).toBeUndefined();
    expect(queue.next(3_070)).toBeDefined();
    let nowMs = 3_070;
    let last = first as SeqSpan;
    for (let i = 0; i < 10; i++) {
      queue.settle(last, error('rate-limited'), ++nowMs);
      nowMs = queue.wakeAtMs(nowMs) ?? nowMs;
      last = queue.next(nowMs) as SeqSpan;
    }
    const before = nowMs;
    queue.settle(last, error('rate-limited'), nowMs + 1);
    expect((queue.wakeAtMs(nowMs + 1) ?? 0) - before - 1).toBe(1_000);
  });

  test('HA14: a refused key is tried again for five minutes, then every five minutes; one success ends it', () => {
    const queue = new PublishQueue<SeqSpan>();
    queue.offer(envelope('a', 1), 'live');
    let nowMs = 1;
    const tries: number[] = [];
    while (nowMs < 1_500_000) {
      const sent = queue.next(nowMs);
      if (sent === undefined) {
        nowMs = queue.wakeAtMs(nowMs) ?? Number.POSITIVE_INFINITY;
        continue;
      }
      tries.push(nowMs);
      queue.settle(sent, error('restricted', 'restricted: ask the owner'), nowMs);
    }
    const waits = tries.slice(1).map((at, i) => at - (tries[i] as number));
    expect(waits.slice(0, 6)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
    expect(waits.at(-1)).toBe(300_000);
    expect(queue.hindrance).toEqual({ paused: true, reason: 'restricted: ask the owner' });
    const sent = queue.next(nowMs) as SeqSpan;
    queue.settle(sent, 'taken', nowMs);
    expect(queue.hindrance).toBeUndefined();
  });

  test('HA14: while a relay refuses, one frame at a time asks', () => {
    const queue = new PublishQueue<SeqSpan>();
    for (let seq = 1; seq <= 20; seq++) queue.offer(envelope('a', seq), 'live');
    for (const sent of drain(queue, 1)) queue.settle(sent, error('invalid', 'invalid: created_at too old'), 2);
    expect(queue.hindrance).toEqual({ paused: true, reason: 'invalid: created_at too old' });
    expect(drain(queue, 300_001)).toHaveLength(0);
    expect(drain(queue, 300_002)).toHaveLength(1);
  });

  test('HA52: a clock that is set back holds nothing up for longer than a pause', () => {
    const queue = new PublishQueue<SeqSpan>();
    queue.offer(envelope('a', 1), 'live');
    queue.settle(queue.next(10_000_000) as SeqSpan, error('invalid'), 10_000_001);
    expect(queue.next(6_000_000)).toBeDefined();
  });

  test('HA101: what left the spool leaves the queue, in any lane; what is in flight is settled', () => {
    const queue = new PublishQueue<SeqSpan>();
    const [urgent, live, replay, other] = ['u', 'l', 'r', 'l2'].map((stream) => envelope(stream, 1)) as [
      SeqSpan,
      SeqSpan,
      SeqSpan,
      SeqSpan,
    ];
    queue.offer(urgent, 'urgent');
    queue.offer(live, 'live');
    queue.offer(replay, 'replay');
    queue.offer(other, 'live');
    for (const gone of [urgent, live, replay]) expect(queue.drop(gone)).toBe(true);
    expect(drain(queue, 0)).toEqual([other]);
    expect(queue.drop(other)).toBe(false);
    expect(queue.settle(other, 'gone', 0)).toBe('retired');
    expect(queue.size).toBe(0);
  });

  test('HA11: mute is no failure: nobody listens, go on', () => {
    const queue = new PublishQueue<SeqSpan>();
    queue.offer(envelope('a', 1), 'live');
    expect(queue.settle(queue.next(0) as SeqSpan, error('mute'), 0)).toBe('retired');
    expect(queue.hindrance).toBeUndefined();
  });
});
