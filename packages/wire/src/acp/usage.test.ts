import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addFigures, NO_FIGURES, readPromptUsage, readUsageNote, type UsageFigures } from './usage.ts';

const f = (some: Partial<UsageFigures>): UsageFigures => ({ ...NO_FIGURES, ...some });

/** What a real agent wrote in a recorded session, line by line. */
function linesOf(name: string): { readonly method?: string; readonly params?: unknown; readonly result?: unknown }[] {
  const text = readFileSync(new URL(`../../../../fixtures/sessions/${name}.ndjson`, import.meta.url), 'utf8');
  const records = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { dir: string; line: string });
  return records.flatMap(({ dir, line }) => (dir === 'read' && line.startsWith('{') ? [JSON.parse(line)] : []));
}

const answersOf = (name: string) =>
  linesOf(name).flatMap(({ result }) =>
    result !== null && typeof result === 'object' && 'stopReason' in result ? [readPromptUsage(result)] : [],
  );

describe('usage as agents tell it', () => {
  it('US4: the answers of real agents say what each turn used, not the session', () => {
    const counts = { inputTokens: 100, outputTokens: 20, totalTokens: 120 };
    const cached = { cacheReadTokens: 0, cacheWriteTokens: 0 };
    for (const [agent, figures, model] of [
      ['claude', { ...counts, ...cached }, 'claude-opus-5-5'],
      ['codex', { ...counts, ...cached }, 'gpt-5.5'],
      ['opencode', counts, null],
      ['gemini', { inputTokens: 100, outputTokens: 20 }, 'gemini-3.1-pro-preview'],
      ['zcodex', {}, null],
    ] as const) {
      const answer = { figures: f(figures), model };
      expect([agent, answersOf(`${agent}-two-prompts`)]).toEqual([agent, [answer, answer]]);
    }
  });

  it('US4: how full the context is counts as nothing; cost and goose’s counters run through the session; qwen tells calls', () => {
    const notes = linesOf('claude-two-prompts').flatMap(
      ({ method = '', params }) => readUsageNote(method, params) ?? [],
    );
    expect(notes.map(({ counters }) => counters.costUsd)).toEqual([
      null,
      null,
      0.0016,
      null,
      null,
      0.0024000000000000002,
    ]);
    expect(notes.every(({ counters, model }) => counters.totalTokens === null && model === 'claude-opus-5-5')).toBe(
      true,
    );
    const goose = {
      sessionUpdate: 'usage_update',
      used: 50_000,
      contextLimit: 200_000,
      accumulatedInputTokens: 40_000,
      accumulatedOutputTokens: 10_000,
      accumulatedCost: 0.42,
    };
    expect(readUsageNote('_goose/unstable/session/update', { sessionId: 's', update: goose })?.counters).toEqual(
      f({ inputTokens: 40_000, outputTokens: 10_000, costUsd: 0.42 }),
    );
    const qwen = { sessionUpdate: 'agent_message_chunk', _meta: { usage: { inputTokens: 12, outputTokens: 5 } } };
    expect(readUsageNote('session/update', { update: qwen })?.call).toEqual(f({ inputTokens: 12, outputTokens: 5 }));
    for (const other of [undefined, null, 7, {}, { update: null }, { update: { sessionUpdate: 'plan' } }]) {
      expect(readUsageNote('session/update', other)).toBeUndefined();
    }
  });

  it('US4: the total of a turn is one source: models and sub-agents listed beside it are not added to it', () => {
    const usage = { inputTokens: 2_400, outputTokens: 23, totalTokens: 2_423 };
    const beside = [
      { model: 'opus', token_count: { inputTokens: 3_600 } },
      { model: 'haiku', token_count: {} },
    ];
    const read = readPromptUsage({ usage, _meta: { quota: { token_count: { inputTokens: 9 }, model_usage: beside } } });
    expect(read).toEqual({ figures: f(usage), model: null });
  });

  it('US5: input includes the cache, wherever the total says that an agent counts it beside', () => {
    const read = (usage: object) => readPromptUsage({ usage }).figures.inputTokens;
    const cache = { cachedReadTokens: 70, cachedWriteTokens: 10, outputTokens: 5 };
    expect(read({ ...cache, inputTokens: 20, totalTokens: 105 })).toBe(100);
    expect(read({ ...cache, inputTokens: 100, totalTokens: 105 })).toBe(100);
    expect(read({ ...cache, inputTokens: 100 })).toBe(100);
  });

  it('US2: a number that can be none is not reported', () => {
    const bad = [-1, 1.5, '12', null, Number.NaN, Number.POSITIVE_INFINITY, 1e13, [], {}, true];
    for (const value of bad) {
      expect(readPromptUsage({ usage: { inputTokens: value, outputTokens: 3 } }).figures).toEqual(
        f({ outputTokens: 3 }),
      );
    }
    expect(readPromptUsage(JSON.parse('{"usage":{"inputTokens":1e400}}')).figures).toEqual(NO_FIGURES);
    const cost = (amount: unknown, currency: unknown = 'USD') =>
      readUsageNote('session/update', { update: { sessionUpdate: 'usage_update', cost: { amount, currency } } })
        ?.counters;
    expect([cost(-0.1), cost('1'), cost(1e10), cost(2, 'EUR')]).toEqual([
      NO_FIGURES,
      NO_FIGURES,
      NO_FIGURES,
      NO_FIGURES,
    ]);
    for (const result of [undefined, null, 7, 'x', [], { usage: [] }, { _meta: { quota: 3 } }]) {
      expect(readPromptUsage(result)).toEqual({ figures: NO_FIGURES, model: null });
    }
  });

  it('US2: what one part does not report is not known of the sum', () => {
    expect(addFigures(f({ inputTokens: 1, costUsd: 1 }), f({ inputTokens: 2 }))).toEqual(f({ inputTokens: 3 }));
    expect(addFigures(f({ inputTokens: 1e12 }), f({ inputTokens: 1 }))).toEqual(NO_FIGURES);
  });
});
