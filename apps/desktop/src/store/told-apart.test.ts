import { expect, test } from 'vitest';
import { toldApart } from './told-apart.ts';

const agent = (publicKey: string, given: string, revoked = false) => ({ publicKey, given, name: given, revoked });

test('DT199: agents whose names look alike are told apart by the first digits of their keys, as many as that takes', () => {
  const agents = [
    agent('aaaa11', 'Claude'),
    agent('aaaa22', ' claude '),
    agent('bbbb33', 'Ｃｌａｕｄｅ'),
    agent('cccc44', 'Codex'),
    agent('dddd55', 'Codex', true),
  ];
  const names = toldApart(agents).map(({ name }) => name);
  expect(names.slice(3)).toEqual(['Codex', 'Codex']);
  expect(names[0]).toBe('Claude aaaa1');
  expect(names[1]).toBe('claude aaaa2');
  expect(names[2]).toBe('Ｃｌａｕｄｅ bbbb');
});

test('DT199: an agent keeps its record while its name stays, and its bare name once the other is gone', () => {
  const both = toldApart([agent('aaaa11', 'Claude'), agent('bbbb33', 'Claude')]);
  expect(both.map(({ name }) => name)).toEqual(['Claude aaaa', 'Claude bbbb']);
  expect(toldApart(both)[0]).toBe(both[0]);
  expect(toldApart(both.slice(0, 1)).map(({ name }) => name)).toEqual(['Claude']);
});

test('DT218: who calls itself what another is called with its digits is told from it, however often', () => {
  const names = toldApart([
    agent('aaaa11', 'Claude'),
    agent('bbbb22', 'Claude'),
    agent('cccc33', 'claude  AAAA'),
    agent('dddd44', 'Claude aaaa cccc'),
    agent('eeee55', 'Codex'),
  ]).map(({ name }) => name);
  expect(names).toEqual(['Claude aaaa', 'Claude bbbb', 'claude  AAAA cccc', 'Claude aaaa cccc dddd', 'Codex']);
});

test('DT218: names that differ in how much space is between their words alone look alike', () => {
  const names = toldApart([agent('aaaa11', 'My agent'), agent('bbbb22', 'My  agent')]).map(({ name }) => name);
  expect(names).toEqual(['My agent aaaa', 'My  agent bbbb']);
});
