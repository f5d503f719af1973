import { NO_FIGURES, readUsageNote, USAGE_KEYS, type UsageFigures } from '@heliograph/wire';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endUsage, noteUsage, openUsage, type UsageState } from './usage.ts';

const f = (some: Partial<UsageFigures>): UsageFigures => ({ ...NO_FIGURES, ...some });
const tell = (state: UsageState, counters: Partial<UsageFigures>, inTurn = true) =>
  noteUsage(state, { counters: f(counters), call: NO_FIGURES, model: null }, inTurn);
const answer = (inputTokens: number, outputTokens: number) => ({ usage: { inputTokens, outputTokens } });

describe('a session’s usage', () => {
  it('US6: adds what the answers say, and takes the turn’s cost from a counter that runs through the session', () => {
    let state = openUsage('s', true, undefined);
    const first = endUsage(tell(state, { costUsd: 0.0016 }), answer(100, 20));
    expect(first.used).toMatchObject({
      turnSeq: 1,
      turn: f({ inputTokens: 100, outputTokens: 20, costUsd: 0.0016 }),
      cumulative: f({ inputTokens: 100, outputTokens: 20, costUsd: 0.0016 }),
      deltaReliable: true,
    });
    state = tell(tell(first.state, { costUsd: 0.002 }), { costUsd: 0.0024 });
    const second = endUsage(state, answer(50, 5));
    expect(second.used.turn).toEqual(f({ inputTokens: 50, outputTokens: 5, costUsd: 0.0008 }));
    expect(second.used.cumulative).toEqual(f({ inputTokens: 150, outputTokens: 25, costUsd: 0.0024 }));
  });

  it('US6: takes tokens from counters where the answer has none, and from calls before those', () => {
    let state = openUsage('s', true, undefined);
    state = endUsage(tell(state, { inputTokens: 1_000, outputTokens: 200 }), {}).state;
    const { used } = endUsage(tell(state, { inputTokens: 1_800, outputTokens: 450 }), { stopReason: 'end_turn' });
    expect(used.turn).toEqual(f({ inputTokens: 800, outputTokens: 250 }));
    expect(used.cumulative).toEqual(f({ inputTokens: 1_800, outputTokens: 450 }));
    const call = { counters: f({ inputTokens: 9_999 }), call: f({ inputTokens: 12, outputTokens: 5 }), model: null };
    const called = noteUsage(noteUsage(openUsage('s', true, undefined), call, true), call, true);
    expect(endUsage(called, {}).used.turn).toEqual(f({ inputTokens: 24, outputTokens: 10 }));
  });

  it('US6: does not know a turn by counters whose stand before it was never told: null, and not reliable', () => {
    const before = { sessionId: 's', turnSeq: 4, sum: f({ inputTokens: 900 }) };
    const opened = openUsage('s', false, before);
    const first = endUsage(tell(opened, { inputTokens: 1_000 }), {});
    expect(first.used).toMatchObject({ turnSeq: 5, turn: NO_FIGURES, deltaReliable: false });
    expect(first.used.cumulative).toEqual(f({ inputTokens: 1_000 }));
    const second = endUsage(tell(first.state, { inputTokens: 1_100 }), {});
    expect(second.used).toMatchObject({ turn: f({ inputTokens: 100 }), deltaReliable: true });
    const told = tell(tell(opened, { costUsd: 0.4 }, false), { costUsd: 0.5 }, false);
    expect(endUsage(tell(told, { costUsd: 0.7 }), {}).used.turn).toEqual(f({ costUsd: 0.2 }));
  });

  it('US6: goes on with the sums of a session that is opened again, and with nobody else’s', () => {
    const before = { sessionId: 's', turnSeq: 4, sum: f({ inputTokens: 900, outputTokens: 90 }) };
    const { used } = endUsage(openUsage('s', false, before), answer(10, 1));
    expect(used).toMatchObject({ turnSeq: 5, cumulative: f({ inputTokens: 910, outputTokens: 91 }) });
    expect(endUsage(openUsage('other', false, before), answer(10, 1)).used).toMatchObject({
      turnSeq: 1,
      turn: f({ inputTokens: 10, outputTokens: 1 }),
      cumulative: NO_FIGURES,
    });
  });

  it('US6: a counter that ran backwards says nothing any more in that session', () => {
    let state = endUsage(tell(openUsage('s', true, undefined), { inputTokens: 5_000, costUsd: 1 }), {}).state;
    const back = endUsage(tell(state, { inputTokens: 100, costUsd: 2 }), {});
    expect(back.used).toMatchObject({ turn: f({ costUsd: 1 }), cumulative: f({ costUsd: 2 }), deltaReliable: true });
    state = tell(back.state, { inputTokens: 9_000 });
    expect(endUsage(state, {}).used).toMatchObject({ turn: NO_FIGURES, deltaReliable: false });
  });

  it('US6: a turn that tells nothing has no figures, and the sums are not known from then on', () => {
    const { state, used } = endUsage(openUsage('s', true, undefined), undefined);
    expect(used).toMatchObject({ turn: NO_FIGURES, cumulative: NO_FIGURES, deltaReliable: true });
    expect(endUsage(state, answer(1, 1)).used.cumulative).toEqual(NO_FIGURES);
  });

  it('US7: whatever an agent sends, figures are null or in range, and the sum of the turns is never more than the session', () => {
    const number = fc.oneof(
      fc.integer({ min: -5, max: 2_000_000 }),
      fc.double(),
      fc.constantFrom('NaN', '12', null, undefined, 1e13, Number.POSITIVE_INFINITY),
    );
    const update = fc.record({
      sessionUpdate: fc.constant('usage_update'),
      cost: fc.record({ amount: number, currency: fc.constantFrom('USD', 'EUR', null) }),
      accumulatedInputTokens: number,
      accumulatedOutputTokens: number,
      accumulatedCost: number,
    });
    const step = fc.record({
      method: fc.constantFrom('session/update', '_goose/unstable/session/update'),
      update,
      inTurn: fc.boolean(),
      ends: fc.boolean(),
      usage: fc.option(fc.record({ inputTokens: number, outputTokens: number, totalTokens: number })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, isNew) => {
        let state = openUsage('s', isNew, undefined);
        const turns: UsageFigures[] = [];
        for (const { method, update: said, inTurn, ends, usage } of steps) {
          const note = readUsageNote(method, { update: said });
          if (note !== undefined) state = noteUsage(state, note, inTurn);
          if (!ends) continue;
          const ended = endUsage(state, { usage });
          state = ended.state;
          turns.push(ended.used.turn);
          for (const key of USAGE_KEYS) {
            for (const value of [ended.used.turn[key], ended.used.cumulative[key]]) {
              expect(value === null || (value >= 0 && value <= 1e12)).toBe(true);
            }
            const total = turns.reduce((sum, turn) => sum + (turn[key] ?? 0), 0);
            const { sum } = state;
            if (sum[key] !== null) expect(Math.abs((sum[key] ?? 0) - total)).toBeLessThanOrEqual(1e-6 * total + 1e-6);
          }
        }
      }),
    );
  });
});
