import { describe, expect, it } from 'vitest';
import { type AgentNames, encodeAgentNames, MAX_AGENT_NAMES, mergeAgentNames, parseAgentNames } from './agent-names.ts';

const key = (at: number) => at.toString(16).padStart(64, '0');
const names = (...list: (readonly [at: number, name: string, atSec: number])[]): AgentNames =>
  new Map(list.map(([at, name, atSec]) => [key(at), { name, atSec }]));

describe('what an owner calls their agents', () => {
  it('DT203: goes through its text, and what is no name is left out', () => {
    const told = names([1, 'Claude', 5], [2, '名前 🙂', 6]);
    expect(parseAgentNames(encodeAgentNames(told))).toEqual(told);
    const odd = { agents: [null, 5, { agent: 'x', name: 'x', at: 1 }, { agent: key(1), name: 'two\nlines', at: 1 }] };
    const bad = [
      { agent: key(1), name: 'x'.repeat(65), at: 1 },
      { agent: key(2), name: 'ok', at: -1 },
    ];
    for (const text of ['', '[]', 'null', '{"agents":5}', JSON.stringify(odd), JSON.stringify({ agents: bad })])
      expect(parseAgentNames(text).size).toBe(0);
  });

  it('DT203: of two devices the name given last holds, whichever is read first', () => {
    const phone = names([1, 'Phone', 10], [2, 'Same', 4]);
    const desk = names([1, 'Desk', 9], [2, 'Alike', 4], [3, 'Third', 1]);
    const merged = mergeAgentNames(phone, desk);
    expect(encodeAgentNames(mergeAgentNames(desk, phone))).toBe(encodeAgentNames(merged));
    expect(Object.fromEntries([...merged].map(([agent, { name }]) => [Number.parseInt(agent, 16), name]))).toEqual({
      1: 'Phone',
      2: 'Alike',
      3: 'Third',
    });
  });

  it('DT203: the newest 128 fit one event', () => {
    const many = names(...Array.from({ length: 500 }, (_, at) => [at, '名'.repeat(64), at] as const));
    const kept = mergeAgentNames(new Map(), many);
    expect([kept.size, kept.has(key(499)), kept.has(key(0))]).toEqual([MAX_AGENT_NAMES, true, false]);
    expect(new TextEncoder().encode(encodeAgentNames(kept)).length).toBeLessThan(65_535);
  });
});
