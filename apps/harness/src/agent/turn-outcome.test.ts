import { expect, test } from 'vitest';
import { outcomeOfAnswer } from './turn-outcome.ts';

test('HA247: a turn that ends as an error, or that the agent gave up, has failed; a cancelled one is cancelled', () => {
  const agent = { name: 'codex', initializeResult: undefined } as never;
  const of = (stopReason: string, gaveUp: boolean, wasCancelled = false) =>
    outcomeOfAnswer({ type: 'result', result: { stopReason } }, agent, { wasCancelled, gaveUp });
  const error = { outcome: 'error', error: expect.stringContaining('gave the turn up') };
  expect(of('end_turn', false)).toEqual({ completed: { outcome: 'completed', stopReason: 'end_turn' } });
  expect(of('end_turn', true)).toEqual({ completed: { outcome: 'failed', stopReason: 'end_turn' }, error });
  expect(of('error', false)).toEqual({ completed: { outcome: 'failed', stopReason: 'error' }, error });
  expect(of('cancelled', true, true)).toEqual({ completed: { outcome: 'cancelled', stopReason: 'cancelled' } });
});
