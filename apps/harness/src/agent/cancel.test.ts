import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CancelEffect, type CancelInput, type CancelState, NO_CANCEL, stepCancel } from './cancel.ts';

const turn = { turnId: 't1', startedMs: 1_000 };
const cancel = (over: Partial<Extract<CancelInput, { type: 'cancel' }>> = {}): CancelInput => ({
  type: 'cancel',
  key: 'k1',
  turnId: 't1',
  saidMs: 2_000,
  force: false,
  turn,
  hasEnded: false,
  ...over,
});
const graceOver: CancelInput = { type: 'grace_over', turnId: 't1', others: 0 };

function run(inputs: readonly CancelInput[]) {
  let state: CancelState = NO_CANCEL;
  const effects: CancelEffect[] = [];
  for (const input of inputs) {
    const step = stepCancel(state, input);
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects, types: effects.map((e) => (e.type === 'reply' ? e.status : e.type)) };
}

describe('the cancel ladder', () => {
  test('HA22: asks the agent once, says so, and tells how it ended', () => {
    const ended: CancelInput = { type: 'turn_ended', turnId: 't1', outcome: 'cancelled' };
    expect(run([cancel(), ended]).types).toEqual(['ask_agent', 'sent', 'cancelled']);
  });

  test('HA22: a turn that ends by itself is said to have ended', () => {
    const ended: CancelInput = { type: 'turn_ended', turnId: 't1', outcome: 'completed' };
    expect(run([cancel(), ended]).types).toEqual(['ask_agent', 'sent', 'turn_ended']);
  });

  test('HA103: said in the second of the turn by a time without fraction, or later in it by one with: it is meant', () => {
    const late = { turnId: 't1', startedMs: 5_400 };
    const types = (saidMs: number) => run([cancel({ turnId: undefined, turn: late, saidMs })]).types;
    expect(types(5_000)).toEqual(['ask_agent', 'sent']);
    expect(types(5_401)).toEqual(['ask_agent', 'sent']);
    expect(types(5_399)).toEqual(['no_active_turn']);
    expect(types(4_000)).toEqual(['no_active_turn']);
  });

  test('HA24: after the grace the agent is killed, once', () => {
    const ended: CancelInput = { type: 'turn_ended', turnId: 't1', outcome: 'killed' };
    expect(run([cancel(), graceOver, graceOver, ended]).types).toEqual(['ask_agent', 'sent', 'kill_agent', 'killed']);
  });

  test('HA24: other open turns are spared unless the owner forces it', () => {
    const others: CancelInput = { type: 'grace_over', turnId: 't1', others: 2 };
    const spared = run([cancel(), others]);
    expect(spared.types).toEqual(['ask_agent', 'sent', 'sent']);
    expect(spared.effects.at(-1)).toMatchObject({ reason: expect.stringContaining('2 other open turns') });
    expect(run([cancel(), others, cancel({ key: 'k2', force: true })]).types).toContain('kill_agent');
    expect(run([cancel({ force: true }), others]).types).toEqual(['ask_agent', 'sent', 'kill_agent']);
  });

  test('HA23: a cancel means the turn it names, or one that was open when it was said', () => {
    expect(run([cancel({ turnId: 'other' })]).types).toEqual(['no_active_turn']);
    expect(run([cancel({ turnId: 'old', hasEnded: true })]).types).toEqual(['turn_ended']);
    expect(run([cancel({ turn: undefined })]).types).toEqual(['no_active_turn']);
    expect(run([cancel({ turnId: undefined, saidMs: 999 })]).types).toEqual(['no_active_turn']);
    expect(run([cancel({ turnId: undefined, saidMs: 1_000 })]).types).toEqual(['ask_agent', 'sent']);
  });

  test('HA22: a second cancel is told the same end and asks nothing twice', () => {
    const ended: CancelInput = { type: 'turn_ended', turnId: 't1', outcome: 'cancelled' };
    const { effects, types } = run([cancel(), cancel({ key: 'k2' }), ended]);
    expect(types).toEqual(['ask_agent', 'sent', 'sent', 'cancelled', 'cancelled']);
    expect(effects.slice(-2)).toMatchObject([{ key: 'k1' }, { key: 'k2' }]);
  });

  test('HA23: whatever comes, a turn is asked once and killed once, and nothing follows its end', () => {
    const input: fc.Arbitrary<CancelInput> = fc.constantFrom(
      cancel(),
      cancel({ key: 'k2', force: true }),
      cancel({ turnId: undefined }),
      graceOver,
      { ...graceOver, others: 1 } as CancelInput,
    );
    fc.assert(
      fc.property(fc.array(input, { maxLength: 20 }), (inputs) => {
        const { types } = run(inputs);
        expect(types.filter((type) => type === 'ask_agent').length).toBeLessThanOrEqual(1);
        expect(types.filter((type) => type === 'kill_agent').length).toBeLessThanOrEqual(1);
        const end = run([...inputs, { type: 'turn_ended', turnId: 't1', outcome: 'killed' }]);
        expect(end.state).toEqual(NO_CANCEL);
        const told = end.effects.filter((effect) => effect.type === 'reply' && effect.status === 'killed').length;
        const asked = inputs.filter(({ type }) => type === 'cancel').length;
        expect(told).toBe(asked);
      }),
    );
  });
});
