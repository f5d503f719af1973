import type { Clock } from '@heliograph/client';
import { expect, test } from 'vitest';
import { Slices } from './slices.ts';

test('DT100: work that fails is given up and told as a fault, and what else is under way goes on', () => {
  const due: (() => void)[] = [];
  const later = (_: number, fire: () => void) => {
    due.push(fire);
    return () => {};
  };
  const clock: Clock = { nowMs: () => 0, setTimer: later };
  const slices = new Slices(clock);
  const told: string[] = [];
  slices.start(
    (function* () {
      yield 1;
      throw new Error('a line nobody can read');
    })(),
    () => told.push('broken'),
  );
  slices.start([1, 2].values(), (isDone) => told.push(`whole ${isDone}`));
  const faults: unknown[] = [];
  while (due.length > 0) {
    try {
      due.shift()?.();
    } catch (cause) {
      faults.push(cause);
    }
  }
  expect(told).toEqual(['whole true']);
  expect(faults).toHaveLength(1);
  slices.start([1].values(), () => told.push('later'));
  due.shift()?.();
  expect(told).toEqual(['whole true', 'later']);
});
