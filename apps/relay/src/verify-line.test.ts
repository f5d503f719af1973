import { nobleCrypto } from '@heliograph/crypto/noble';
import type { VerifyEffect } from '@heliograph/relay';
import { eventSigner, type NostrEvent } from '@heliograph/wire';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VerifyLine } from './verify-line.ts';

const key = eventSigner(new Uint8Array(32).fill(1), nobleCrypto);
const events = Array.from({ length: 12 }, (_, n) => key.sign({ kind: 1, created_at: n, tags: [], content: `${n}` }));

/** A line whose pool answers when it is told to, in any order, and an engine that notes what it is given. */
function lineUnderTest() {
  const waiting: (() => void)[] = [];
  const done: string[] = [];
  let isPaused = false;
  const line: VerifyLine = new VerifyLine({
    pool: { check: (_, then) => waiting.push(() => then(true)) },
    crypto: nobleCrypto,
    take(text) {
      const [type, event] = JSON.parse(text) as [string, NostrEvent];
      if (type !== 'EVENT') done.push(type);
      else line.verify({ type: 'verify', connection: 1, purpose: 'publish', event } as VerifyEffect);
    },
    settle: ({ event }, result) => done.push(`${event.created_at}${result.ok ? '' : ` ${result.error.code}`}`),
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
    },
  });
  return { line, waiting, done, isPaused: () => isPaused };
}

it('RL123: events are settled in the order they came, and what else was said waits for those before it', () => {
  const { line, waiting, done } = lineUnderTest();
  line.receive(JSON.stringify(['EVENT', events[0]]));
  line.receive(JSON.stringify(['EVENT', { ...events[1], id: events[2]?.id }]));
  line.receive(JSON.stringify(['EVENT', events[2]]));
  line.receive('["REQ"]');
  line.receive(JSON.stringify(['EVENT', events[3]]));
  line.receive('["CLOSE"]');
  expect(waiting.length).toBe(2);
  waiting[1]?.();
  expect(done).toEqual([]);
  waiting[0]?.();
  expect(done).toEqual(['0', '1 bad-id', '2', 'REQ']);
  waiting[2]?.();
  expect(done).toEqual(['0', '1 bad-id', '2', 'REQ', '3', 'CLOSE']);
});

it('RL123: whatever order answers come in, the order of what was said is kept', () => {
  const step = fc.oneof(fc.constant('event'), fc.constant('other'), fc.nat(20));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { line, waiting, done } = lineUnderTest();
      const said: string[] = [];
      const answer = (at: number): void => waiting.splice(at % Math.max(1, waiting.length), 1)[0]?.();
      for (const step of steps) {
        const event = events[said.length % events.length];
        if (step === 'event') {
          line.receive(JSON.stringify(['EVENT', event]));
          said.push(`${event?.created_at}`);
        } else if (step === 'other') {
          line.receive(`["${said.length}"]`);
          said.push(`${said.length}`);
        } else answer(step as number);
      }
      while (waiting.length > 0) answer(waiting.length - 1);
      expect(done).toEqual(said);
    }),
  );
});

it('RL123: no more is read of a connection that has a megabyte waiting, until half of that is done', () => {
  const { line, waiting, done, isPaused } = lineUnderTest();
  const big = key.sign({ kind: 1, created_at: 1, tags: [], content: 'x'.repeat(200_000) });
  for (let n = 0; n < 5; n++) line.receive(JSON.stringify(['EVENT', big]));
  expect(isPaused()).toBe(false);
  line.receive(JSON.stringify(['REQ', 'x'.repeat(100_000)]));
  expect(isPaused()).toBe(true);
  for (const then of waiting.splice(0, 2)) then();
  expect(isPaused()).toBe(true);
  for (const then of waiting.splice(0, 3)) then();
  expect([isPaused(), done.length]).toEqual([false, 6]);
});
