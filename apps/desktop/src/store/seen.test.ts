import { expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import { storyTeller } from '../dev/story-teller.ts';
import { applyEvents, createDesktopStore } from './desktop-store.ts';
import { countNews, markSeen, mergeSeen, parseSeen, type SeenMarks } from './seen.ts';

const START = Date.UTC(2026, 10, 30, 12);
const marks = (at: SeenMarks['at'] = {}, sinceMs = START): SeenMarks => ({ sinceMs, at });

function transcriptOf(agent: StoryAgent) {
  const { agents } = applyEvents(createDesktopStore().getState(), storyTeller()(agent.viewerEvents()));
  return agents[0]?.told.transcript(agent.channelId) ?? expect.unreachable();
}
const story = (startMs = START) => new StoryAgent({ name: 'Claude', host: 'h', cwd: '/srv', startMs });
const call = { kind: 'execute', title: 'ls', rawInput: { command: 'ls' } };

test('DT127: news is what the agent said and did after the session was looked at; prompts and thoughts are none', () => {
  const agent = story()
    .prompt('go')
    .think('Which file is it, and where?', 10)
    .tool('a', call, 10, { status: 'completed' });
  const half = transcriptOf(agent);
  const seenMs = Date.parse(half.turns.at(-1)?.items.at(-1)?.updatedAt ?? '');
  expect(countNews(marks(), 'k', half)).toBe(1);
  const whole = transcriptOf(agent.wait(500).say('Done.', 'm1').end('end_turn'));
  expect(countNews(marks({ k: seenMs }), 'k', whole)).toBe(1);
  expect(countNews(marks({ other: seenMs }), 'k', whole)).toBe(2);
  expect(countNews(marks({ k: Date.parse(whole.turns.at(-1)?.endedAt ?? '') }), 'k', whole)).toBe(0);
});

test('DT127: what was there when this device began to remember is no news; more than 99 is not counted', () => {
  const agent = story();
  for (let turn = 0; turn < 60; turn++) {
    agent.prompt(`go ${turn}`);
    for (let at = 0; at < 3; at++) agent.tool(`${turn}.${at}`, call, 10, { status: 'completed' });
    agent.end('end_turn');
  }
  const transcript = transcriptOf(agent);
  expect(countNews(marks({}, START + 3_600_000), 'k', transcript)).toBe(0);
  expect(countNews(marks(), 'k', transcript)).toBe(100);
});

test('DT127: an older mark changes nothing; pages of one browser know the newest of both; 1,000 are kept', () => {
  const one = markSeen(marks({ a: 5 }), 'b', 7);
  expect(markSeen(one, 'b', 6)).toBe(one);
  expect(mergeSeen(one, marks({ a: 9, c: 1 }, 3))).toEqual({ sinceMs: 3, at: { b: 7, a: 9, c: 1 } });
  let many = marks({}, 0);
  for (let at = 1; at <= 1_010; at++) many = markSeen(many, `k${at}`, at);
  expect(Object.keys(many.at)).toHaveLength(1_000);
  expect([many.at.k10, many.at.k11, many.sinceMs]).toEqual([undefined, 11, 10]);
});

test('DT127: marks are read out of anything', () => {
  for (const value of [null, 'x', {}, { sinceMs: '1', at: {} }, { sinceMs: 1, at: null }, { sinceMs: 1 }])
    expect(parseSeen(value)).toBeUndefined();
  expect(parseSeen({ sinceMs: 1, at: { a: 2, b: 'x', c: null } })).toEqual({ sinceMs: 1, at: { a: 2 } });
});
