import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { respawnDelayMs } from './respawn.ts';
import { TurnLimits } from './turn-limits.ts';

function limited(limits: { idleMs: number; turnMs: number; quietMs?: number }) {
  const clock = new ManualClock();
  const state = { bytes: 0, waiting: false, expired: [] as string[], heard: 0, asked: 0, settled: false };
  const turn = new TurnLimits({
    quietMs: 0,
    ...limits,
    clock,
    bytesRead: () => state.bytes,
    isWaiting: () => state.waiting,
    expired: (outcome) => state.expired.push(outcome),
    heard: () => state.heard++,
    quiet: () => {
      state.asked++;
      return state.settled;
    },
  });
  return { clock, state, turn };
}

describe('the limits of a turn', () => {
  test('HA80: silence ends it once, any byte starts the silence anew', () => {
    const { clock, state } = limited({ idleMs: 1_000, turnMs: 0 });
    for (let i = 0; i < 10; i++) {
      clock.advance(900);
      state.bytes++;
    }
    expect(state.expired).toEqual([]);
    clock.advance(1_100);
    expect(state.expired).toEqual(['idle_timeout']);
    clock.advance(10_000);
    expect(state.expired).toHaveLength(1);
  });

  test('HA80: neither limit runs while a permission waits, and silence starts anew after it', () => {
    const { clock, state } = limited({ idleMs: 1_000, turnMs: 2_000 });
    clock.advance(900);
    state.waiting = true;
    clock.advance(60_000);
    state.waiting = false;
    clock.advance(900);
    expect(state.expired).toEqual([]);
    clock.advance(200);
    expect(state.expired).toEqual(['idle_timeout']);
  });

  test('HA80: the limit of the whole turn counts bytes or not; without limits nothing ends it', () => {
    const { clock, state } = limited({ idleMs: 0, turnMs: 1_000 });
    clock.advance(999);
    state.bytes++;
    clock.advance(51);
    expect(state.expired).toEqual(['hard_timeout']);
    const free = limited({ idleMs: 0, turnMs: 0 });
    free.clock.advance(10_000_000);
    expect(free.state.expired).toEqual([]);
  });

  test('HA200: a silent agent is asked about at every tick from the quiet limit on, until that is settled; who waits is not silent', () => {
    const { clock, state } = limited({ idleMs: 0, turnMs: 0, quietMs: 1_000 });
    clock.advance(900);
    state.bytes++;
    clock.advance(950);
    expect(state).toMatchObject({ heard: 1, asked: 0 });
    state.waiting = true;
    clock.advance(5_000);
    state.waiting = false;
    clock.advance(1_000);
    expect(state.asked).toBe(1);
    clock.advance(100);
    expect(state.asked).toBe(3);
    state.settled = true;
    clock.advance(5_000);
    expect(state.asked).toBe(4);
    expect(state.expired).toEqual([]);
  });

  test('HA80: an ended turn has no limits left', () => {
    const { clock, state, turn } = limited({ idleMs: 1_000, turnMs: 0 });
    turn.stop();
    clock.advance(5_000);
    expect(state.expired).toEqual([]);
  });
});

test('HA81: the first crash costs nothing, the second a second, the third within a minute the rest; older ones are forgotten', () => {
  expect(respawnDelayMs([], 0, 300_000)).toBe(0);
  expect(respawnDelayMs([5], 5, 300_000)).toBe(0);
  expect(respawnDelayMs([5, 9], 9, 300_000)).toBe(1_000);
  expect(respawnDelayMs([5, 9, 20], 20, 300_000)).toBe(300_000);
  expect(respawnDelayMs([5, 9, 20, 30], 30, 300_000)).toBe(300_000);
  expect(respawnDelayMs([5, 9, 70_000], 70_000, 300_000)).toBe(0);
});
