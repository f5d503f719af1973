import { NO_FIGURES, type UsageReport } from '@heliograph/wire';
import { expect, test } from 'vitest';
import { addSums, MAX_TURNS, UsageBook } from './usage-book.ts';

const NOON = new Date(2026, 10, 30, 12).getTime();
const DAY_MS = 86_400_000;

function report(turnId: string | null, tokens: number | null, change: Partial<UsageReport> = {}): UsageReport {
  return {
    harness: 'h',
    model: null,
    channelId: 'c',
    sessionId: 's',
    turnId,
    turnSeq: 1,
    timestamp: new Date(NOON).toISOString(),
    turn: { ...NO_FIGURES, inputTokens: tokens, outputTokens: tokens === null ? null : 1 },
    cumulative: NO_FIGURES,
    deltaReliable: true,
    stopReason: 'end_turn',
    ...change,
  };
}

const ago = (days: number) => ({ timestamp: new Date(NOON - days * DAY_MS).toISOString() });

test('US14: adds up by day and by conversation, each turn once, newest day first', () => {
  const book = new UsageBook();
  book.add('1', report('a', 100, ago(2)));
  book.add('2', report('b', 10));
  book.add('3', report('b', 10));
  book.add('4', report('b', 10, { sessionId: 'another' }));
  book.add('5', report('c', 5, { channelId: 'd', turn: { ...NO_FIGURES, totalTokens: 7, costUsd: 0.5 } }));
  expect(book.days().map(({ turns, figures }) => [turns, figures.inputTokens, figures.totalTokens])).toEqual([
    [3, 20, 29],
    [1, 100, 101],
  ]);
  expect(book.channel('c')).toMatchObject({ turns: 3, figures: { inputTokens: 120, outputTokens: 3 } });
  expect(book.channel('d')).toMatchObject({ turns: 1, figures: { inputTokens: null, costUsd: 0.5 } });
  expect([book.channel('e'), book.channel(null)]).toEqual([undefined, undefined]);
  expect(addSums(book.days())).toMatchObject({ turns: 4, figures: { inputTokens: 120, totalTokens: 130 } });
});

test('US14: of two reports for one turn the later counts, whichever comes first; reports without a turn go by event', () => {
  for (const order of [
    [ago(0), ago(1)],
    [ago(1), ago(0)],
  ]) {
    const book = new UsageBook();
    for (const [at, change] of order.entries()) book.add(`${at}`, report('a', change === order[0] ? 1 : 2, change));
    expect(book.days()).toHaveLength(1);
    expect(book.days()[0]?.startMs).toBe(new Date(NOON).setHours(0, 0, 0, 0));
  }
  const book = new UsageBook();
  book.add('x', report(null, 1));
  book.add('x', report(null, 1));
  book.add('y', report(null, 1));
  expect(book.days()[0]?.turns).toBe(2);
});

test('US14: what is not known is not 0, and turns that may not be added up are counted beside', () => {
  const book = new UsageBook();
  book.add('1', report('a', null));
  expect(book.days()[0]).toMatchObject({ turns: 1, unknownTurns: 1, figures: NO_FIGURES });
  book.add('2', report('b', 10));
  book.add('3', report('c', 1_000, { deltaReliable: false }));
  expect(book.days()[0]).toMatchObject({ turns: 3, unknownTurns: 2, figures: { inputTokens: 10, costUsd: null } });
});

test('US14: keeps the newest turns of an agent that never stops', () => {
  const book = new UsageBook();
  for (let at = 0; at < MAX_TURNS + 600; at++) {
    const timestamp = new Date(NOON - at * 60_000).toISOString();
    book.add(`${at}`, report(`t${at}`, 1, { timestamp }));
  }
  const turns = addSums(book.days()).turns;
  expect(turns).toBeGreaterThanOrEqual(MAX_TURNS);
  expect(turns).toBeLessThanOrEqual(MAX_TURNS + 500);
  expect(book.days()[0]?.startMs).toBe(new Date(NOON).setHours(0, 0, 0, 0));
});
