import type { ViewerEvent } from '@heliograph/client';
import { expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import type { ReaderAnswer } from './reader-protocol.ts';
import { SessionReader } from './session-reader.ts';

/** A clock that stands still until it is told to go on, and what was told meanwhile. */
function open() {
  let nowMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly fire: () => void }>();
  const clock = {
    // Each look at it takes a millisecond, so that slices end.
    nowMs: () => nowMs++,
    setTimer(delayMs: number, fire: () => void) {
      const timer = { atMs: nowMs + delayMs, fire };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };
  const answers: ReaderAnswer[] = [];
  const reader = new SessionReader({ clock, post: (answer) => answers.push(answer) });
  /** Fires what is due in the next so many ms; returns how often something was fired. */
  const wait = (ms: number): number => {
    const endMs = nowMs + ms;
    for (let fired = 0; ; fired++) {
      const [next] = [...timers].filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) {
        nowMs = Math.max(nowMs, endMs);
        return fired;
      }
      timers.delete(next);
      nowMs = Math.max(nowMs, next.atMs);
      next.fire();
    }
  };
  const agent = new StoryAgent({ name: 'Ada', host: 'box', cwd: '/srv', startMs: 0 });
  let taken = 0;
  const tell = () => {
    const events = agent.events.slice(taken);
    taken = agent.events.length;
    const event: ViewerEvent = { type: 'events', agent: agent.publicKey, events };
    reader.take(event);
  };
  const session = { agent: agent.publicKey, channelId: agent.channelId };
  return { reader, agent, answers, tell, wait, session };
}

test('DT100: what is looked for is told again when there is more, until it is stopped', () => {
  const { reader, agent, answers, tell, wait, session } = open();
  agent.prompt('where is the needle').say('here is a Needle');
  tell();
  reader.receive({ type: 'search', id: 1, session, needle: 'needle' });
  wait(1_000);
  expect(answers.at(-1)).toMatchObject({ type: 'found', id: 1, isDone: true, found: { count: 2 } });
  agent.prompt('one more needle');
  tell();
  wait(1_000);
  expect(answers.at(-1)).toMatchObject({ found: { count: 3 } });
  reader.receive({ type: 'stop', id: 1 });
  const told = answers.length;
  agent.prompt('needle, needle');
  tell();
  wait(1_000);
  expect(answers).toHaveLength(told);
});

test('DT101: lines are searched by their exact text, those of the run among them', () => {
  const { reader, agent, answers, tell, wait, session } = open();
  agent.prompt('Zebra').say('zebra');
  tell();
  const run = agent.events[0]?.stream;
  reader.receive({ type: 'search-lines', id: 1, session, run, needle: 'Zebra' });
  reader.receive({ type: 'search-lines', id: 2, session, run, needle: '"method":"initialize"' });
  wait(1_000);
  const found = (id: number) => answers.findLast((answer) => answer.id === id);
  expect(found(1)).toMatchObject({ isDone: true, found: { count: 1 } });
  expect(found(2)).toMatchObject({ isDone: true, found: { count: 1, hits: [{ stream: run, seq: 3 }] } });
});

test('DT100: a long session is searched in slices, and what was found so far is told meanwhile', () => {
  const { reader, agent, answers, tell, wait, session } = open();
  agent.prompt('go');
  for (let n = 0; n < 3_000; n++)
    agent.update({ sessionUpdate: 'tool_call', toolCallId: `${n}`, title: `needle ${n}` });
  for (let n = 0; n < 20; n++) agent.prompt(`again ${n}`).say(`needle ${'-'.repeat(2_000)}`);
  tell();
  reader.receive({ type: 'search', id: 1, session, needle: 'needle' });
  expect(answers).toEqual([]);
  expect(wait(5_000)).toBeGreaterThan(2);
  expect(answers.at(-1)).toMatchObject({ isDone: true });
});

test('DT103: a replay says how far it goes, shows any place as it was, and goes on with the session', () => {
  const { reader, agent, answers, tell, wait, session } = open();
  agent.prompt('first').say('an answer of several pieces, each a line of its own').end('end_turn');
  agent.prompt('second').say('another').end('end_turn');
  tell();
  reader.receive({ type: 'replay', id: 1, session });
  wait(2_000);
  const extent = answers.findLast((answer) => answer.type === 'replay');
  expect(extent).toMatchObject({ prepared: extent?.length });
  expect(extent?.marks.map(({ kind }) => kind)).toEqual(['turn', 'turn']);
  const second = extent?.marks[1]?.position ?? 0;
  const seek = (to: number | { readonly stream: string; readonly seq: number }) => {
    reader.receive({ type: 'seek', id: 1, to });
    return answers.findLast((answer) => answer.type === 'past');
  };
  expect(seek(second - 1)).toMatchObject({ position: second - 1, isNow: false, patch: { turns: 1 } });
  const line = seek(second)?.line;
  expect(seek(line ?? 0)?.position).toBe(second);
  expect(seek(0)).toMatchObject({ line: undefined, patch: { turns: 0 } });
  agent.prompt('third');
  tell();
  wait(2_000);
  expect(answers.findLast((answer) => answer.type === 'replay')?.length).toBeGreaterThan(extent?.length ?? 0);
  reader.receive({ type: 'stop', id: 1 });
  reader.receive({ type: 'seek', id: 1, to: 1 });
  expect(answers.at(-1)).toMatchObject({ type: 'replay' });
});

test('DT105: it plays at the pace of the agent, times the speed, over long silence in a step, to the present', () => {
  const { reader, agent, answers, tell, wait, session } = open();
  agent.prompt('go').wait(1_000).say('x').wait(3_600_000).say('y').wait(1_000).say('z').end('end_turn');
  tell();
  reader.receive({ type: 'replay', id: 1, session });
  wait(1_000);
  const length = answers.findLast((answer) => answer.type === 'replay')?.length ?? 0;
  const played = (speed: number, ms: number) => {
    const before = answers.length;
    reader.receive({ type: 'play', id: 1, from: 0, speed });
    wait(ms);
    return answers.slice(before).filter((answer) => answer.type === 'past');
  };
  expect(played(1, 2_000).at(-1)).toMatchObject({ isPlaying: true, isNow: false });
  reader.receive({ type: 'pause', id: 1 });
  const all = played(1, 10_000);
  expect(all.at(-1)).toMatchObject({ position: length, isPlaying: false, isNow: true });
  expect(all.map(({ position }) => position)).toEqual([...all.map(({ position }) => position)].sort((a, b) => a - b));
  expect(played(32, 600).at(-1)).toMatchObject({ isNow: true });
  reader.receive({ type: 'play', id: 1, from: 0, speed: 1 });
  reader.receive({ type: 'pause', id: 1 });
  const told = answers.length;
  wait(10_000);
  expect(answers).toHaveLength(told);
});
