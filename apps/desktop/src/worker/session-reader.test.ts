import type { StreamSpan } from '@heliograph/client';
import { applyPatch, Replay, type Transcript, TranscriptFold } from '@heliograph/transcript';
import { expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import { ToldSessions } from '../store/told-sessions.ts';
import { PageFeed } from './page-feed.ts';
import type { ReaderAnswer } from './reader-protocol.ts';
import { SessionReader, type SessionReaderOptions } from './session-reader.ts';
import type { PageEvent } from './session-told.ts';

const nobodyAnswers: SessionReaderOptions['readAgain'] = async () => ({ isAnswered: false });

/** A clock that stands still until it is told to go on, and what was told meanwhile. */
function open({
  maxUnits = 1_000_000_000,
  readAgain = nobodyAnswers,
}: Partial<Pick<SessionReaderOptions, 'maxUnits' | 'readAgain'>> = {}) {
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
  const changes: PageEvent[] = [];
  /** As the feed does it for a page that paints at once. */
  const tellChanges = () => changes.push(...reader.changes());
  const reader: SessionReader = new SessionReader({
    clock,
    onChanges: tellChanges,
    flush: tellChanges,
    post: (answer) => answers.push(answer),
    maxUnits,
    readAgain,
  });
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
    reader.take({ type: 'events', agent: agent.publicKey, events });
  };
  const session = { agent: agent.publicKey, channelId: agent.channelId };
  return { reader, clock, agent, answers, changes, tell, wait, session };
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
  expect(found(2)).toMatchObject({ isDone: true, found: { count: 1, hits: [{ stream: run, seq: 3, index: 2 }] } });
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
  const { reader, agent, answers, changes, tell, wait, session } = open();
  agent.prompt('first').say('an answer of several pieces, each a line of its own').end('end_turn');
  agent.prompt('second').say('another').end('end_turn');
  tell();
  reader.receive({ type: 'replay', id: 1, session });
  wait(2_000);
  const extent = answers.findLast((answer) => answer.type === 'replay');
  expect(extent).toMatchObject({ prepared: extent?.length });
  expect(extent?.marks.map(({ kind }) => kind)).toEqual(['turn', 'turn']);
  const second = extent?.marks[1]?.position ?? 0;
  const told = new ToldSessions();
  for (const event of changes) if (event.type === 'changes') told.take(event.changes);
  const turnsOf = (past: ReturnType<typeof seek>) =>
    past === undefined ? [] : applyPatch(told.transcript(agent.channelId), past.patch).turns;
  const seek = (to: number | { readonly stream: string; readonly seq: number }) => {
    reader.receive({ type: 'seek', id: 1, to });
    return answers.findLast((answer) => answer.type === 'past');
  };
  expect(seek(second - 1)).toMatchObject({ position: second - 1, isNow: false });
  expect(turnsOf(seek(second - 1))).toHaveLength(1);
  const line = seek(second)?.line;
  expect(seek(line ?? 0)?.position).toBe(second);
  expect(seek(0)?.line).toBeUndefined();
  expect(turnsOf(seek(0))).toEqual([]);
  agent.prompt('third');
  tell();
  wait(2_000);
  expect(answers.findLast((answer) => answer.type === 'replay')?.length).toBeGreaterThan(extent?.length ?? 0);
  reader.receive({ type: 'stop', id: 1 });
  reader.receive({ type: 'seek', id: 1, to: 1 });
  expect(answers.at(-1)).toMatchObject({ type: 'replay' });
});

test('DT185: a long past is read back like the present, until another place is gone to', () => {
  const { reader, agent, answers, changes, tell, wait, session } = open();
  agent.prompt('go');
  for (let n = 0; n < 2_000; n++) agent.say(`${n}`, `m${n}`);
  tell();
  reader.receive({ type: 'replay', id: 1, session });
  wait(60_000);
  const past = () => {
    const answer = answers.findLast((one) => one.type === 'past');
    const turns = answer === undefined ? [] : applyPatch(pageOf(changes, session.channelId), answer.patch).turns;
    return { position: answer?.position, turn: turns[0] };
  };
  const { length = 0 } = answers.findLast((answer) => answer.type === 'replay') ?? {};
  reader.receive({ type: 'more', id: 1, before: { turnId: 'none', itemId: 'none' } });
  expect(past().position).toBeUndefined();
  reader.receive({ type: 'seek', id: 1, to: length - 100 });
  const { position, turn } = past();
  const away = turn?.away?.[0]?.items ?? 0;
  expect([position, away > 1_000]).toEqual([length - 100, true]);
  reader.receive({ type: 'more', id: 1, before: { turnId: turn?.id ?? '', itemId: turn?.items[1]?.id ?? '' } });
  expect(past().position).toBe(position);
  expect(past().turn?.away?.[0]?.items).toBe(away - 300);
  reader.receive({ type: 'seek', id: 1, to: 50 });
  expect([past().position, past().turn?.away]).toEqual([50, undefined]);
});

test('DT103: what comes late stands in the next past that is shown, though it belongs before it', () => {
  const { reader, agent, answers, changes, wait, session } = open();
  agent.prompt('first').say('one', 'a').end('end_turn').prompt('second').say('two', 'b').end('end_turn');
  const late = agent.events.findIndex(({ payload }) => payload.includes('"one"'));
  const take = (events: typeof agent.events) => reader.take({ type: 'events', agent: agent.publicKey, events });
  take(agent.events.filter((_, at) => at !== late));
  reader.receive({ type: 'replay', id: 1, session });
  wait(10);
  const length = answers.findLast((answer) => answer.type === 'replay')?.length ?? 0;
  reader.receive({ type: 'play', id: 1, from: length - 2, speed: 32 });
  take(agent.events.slice(late, late + 1));
  wait(100);
  const past = answers.find((answer) => answer.type === 'past');
  const fold = new TranscriptFold();
  for (const event of agent.events) fold.insert(event);
  const replay = new Replay(fold.order(session.channelId), session.channelId);
  replay.sync();
  const made = past && applyPatch(pageOf(changes, session.channelId), past.patch);
  expect(made?.turns).toEqual(replay.at(past?.position ?? 0).turns);
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

test('DT110: a past is made of what the page is told before it, also while changes wait for a page that paints', () => {
  const { agent, clock, wait, session } = open();
  const told = new ToldSessions();
  const pasts: Transcript[] = [];
  let length = 0;
  const tell = (events: readonly PageEvent[]) => {
    for (const event of events) if (event.type === 'changes') told.take(event.changes);
  };
  const feed = new PageFeed({ clock, post: tell, changes: () => reader.changes() });
  const reader: SessionReader = new SessionReader({
    clock,
    onChanges: () => feed.changed(),
    flush: () => feed.flush(),
    readAgain: nobodyAnswers,
    post(answer) {
      feed.flush();
      if (answer.type === 'replay') length = answer.length;
      if (answer.type === 'past') pasts.push(applyPatch(told.transcript(session.channelId), answer.patch));
    },
  });
  let taken = 0;
  const take = () => {
    reader.take({ type: 'events', agent: agent.publicKey, events: agent.events.slice(taken) });
    taken = agent.events.length;
  };
  agent.prompt('first').say('one', 'a').end('end_turn').prompt('second').say('two', 'b');
  take();
  reader.receive({ type: 'replay', id: 1, session });
  feed.flush();
  wait(2_000);
  const before = length;
  // The page is still painting: what comes now waits to be told.
  agent.say(' and more', 'b').end('end_turn').prompt('third').say('three', 'c');
  take();
  reader.receive({ type: 'seek', id: 1, to: before });
  const fold = new TranscriptFold();
  for (const event of agent.events) fold.insert(event);
  const replay = new Replay(fold.order(session.channelId), session.channelId);
  replay.sync();
  expect(pasts.map(({ turns }) => turns)).toEqual([replay.at(before).turns]);
  expect(told.transcript(session.channelId).turns).toEqual(fold.transcript(session.channelId).turns);
});

/** What the page has of the session. */
function pageOf(changes: readonly PageEvent[], channelId: string) {
  const told = new ToldSessions();
  for (const event of changes) if (event.type === 'changes') told.take(structuredClone(event.changes));
  return told.transcript(channelId);
}
const countOf = ({ turns }: { readonly turns: readonly { readonly items: readonly unknown[] }[] }) =>
  turns.reduce((sum, { items }) => sum + items.length, 0);

test('DT170: the page is told what changed, each time the least there is; the same as a fold of all lines', () => {
  const { agent, changes, tell, session } = open();
  agent.prompt('go').say('an answer of several pieces, each a line of its own', 'm');
  tell();
  agent.say(' and one more', 'm').tool('a', { kind: 'execute', title: 'ls' }, 10);
  tell();
  const fold = new TranscriptFold();
  for (const event of agent.events) fold.insert(event);
  const { turns, session: state } = fold.transcript(session.channelId);
  expect(pageOf(changes, session.channelId)).toMatchObject({ turns, session: state });
  const [last] = changes.slice(-1);
  const [patch] =
    last?.type === 'changes' ? last.changes.transcripts.filter(({ channelId }) => channelId !== null) : [];
  expect(patch?.session).toBeUndefined();
  const fresh = patch?.turns.flatMap((piece) => ('fresh' in piece ? piece.fresh : []));
  expect(fresh).toHaveLength(1);
  expect(fresh?.[0]?.items.map((piece) => ('fresh' in piece ? piece.fresh.length : piece))).toEqual([
    { from: 0, count: 1 },
    2,
  ]);
});

test('DT172: of a long session the page has its newest part, more of one that is looked at and where it is read', () => {
  const { reader, agent, answers, changes, tell, session } = open();
  agent.prompt('go');
  for (let n = 0; n < 2_000; n++) agent.say(`${n}`, `m${n}`);
  tell();
  const here = () => pageOf(changes, session.channelId);
  expect(countOf(here())).toBe(161);
  reader.receive({ type: 'show', id: 1, session });
  expect(countOf(here())).toBe(401);
  const [turn] = here().turns;
  const away = turn?.away?.[0];
  expect(away).toEqual({ before: 1, items: 1_600 });
  reader.receive({ type: 'follow', id: 1, isAtEnd: false });
  const before = { turnId: turn?.id ?? '', itemId: turn?.items[1]?.id ?? '' };
  reader.receive({ type: 'more', id: 1, before });
  expect(here().turns[0]?.away).toEqual([{ before: 1, items: 1_300 }]);
  reader.receive({ type: 'reach', id: 1, ask: 7, place: { itemId: 'agent:m40' } });
  expect(answers.at(-1)).toEqual({ type: 'reached', id: 1, ask: 7 });
  expect(here().turns[0]?.items.some(({ id }) => id === 'agent:m40')).toBe(true);
  reader.receive({ type: 'reach', id: 1, ask: 8, place: 'first' });
  expect(here().turns[0]?.items[1]?.id).toBe('agent:m0');
  const line = agent.events.find(({ payload }) => payload.includes('"1000"'));
  const place = { stream: line?.stream ?? '', seq: line?.seq ?? 0 };
  reader.receive({ type: 'reach', id: 1, ask: 9, place });
  expect(here().turns[0]?.items.some(({ id }) => id === 'agent:m1000')).toBe(true);
  expect(countOf(here())).toBeLessThan(700);
  reader.receive({ type: 'stop', id: 1 });
  expect(countOf(here())).toBe(161);
});

test('DT171: lines are counted for the page and read where it looks; what comes is told with its count', () => {
  const { reader, agent, answers, tell, wait, session } = open();
  agent.prompt('go');
  for (let n = 0; n < 500; n++) agent.update({ sessionUpdate: 'plan', entries: [] });
  tell();
  reader.receive({ type: 'lines', id: 1, session, run: undefined });
  wait(10);
  const last = () => answers.findLast((answer) => answer.type === 'lines');
  const count = last()?.count ?? 0;
  expect(count).toBe(agent.events.length);
  expect([last()?.from, last()?.lines.length]).toEqual([count - 60, 60]);
  expect(last()?.lines.at(-1)?.text).toBe(agent.events.at(-1)?.payload);
  reader.receive({ type: 'read-lines', id: 1, from: 3, count: 2 });
  expect(last()).toMatchObject({ from: 3, edition: last()?.edition, lines: [{ seq: 4 }, { seq: 5 }] });
  agent.say('one more');
  tell();
  wait(400);
  expect(last()).toMatchObject({ count: count + 1, from: count });
  const { stream = '', seq = 0 } = agent.events.at(-1) ?? {};
  reader.receive({ type: 'place-line', id: 1, ask: 5, line: { stream, seq } });
  expect(answers.at(-1)).toEqual({ type: 'line-place', id: 1, ask: 5, index: count });
  reader.receive({ type: 'place-line', id: 1, ask: 6, line: { stream: 'none', seq: 1 } });
  expect(answers.at(-1)).toEqual({ type: 'line-place', id: 1, ask: 6, index: -1 });
});

test('DT178: lines that go by faster than a screen holds them are told twice a second, others four times', () => {
  const { reader, agent, answers, tell, wait, session } = open();
  agent.prompt('go');
  tell();
  reader.receive({ type: 'lines', id: 1, session, run: undefined });
  wait(1_000);
  const told = () => answers.filter(({ type }) => type === 'lines').length;
  const say = (lines: number) => {
    for (let n = 0; n < lines; n++) agent.update({ sessionUpdate: 'plan', entries: [] });
    tell();
  };
  const first = told();
  say(61);
  wait(10);
  expect(told()).toBe(first + 1);
  say(60);
  wait(400);
  expect(told()).toBe(first + 1);
  wait(150);
  expect(told()).toBe(first + 2);
  say(1);
  wait(300);
  expect(told()).toBe(first + 3);
});

test('DT171: where lines came before those that were told, all stand elsewhere: another edition', () => {
  const { reader, agent, answers, wait, session } = open();
  agent.prompt('go').say('an answer of several pieces, each a line of its own');
  const [early, late] = [agent.events.slice(0, -2), agent.events.slice(-2)];
  reader.take({ type: 'events', agent: agent.publicKey, events: late });
  reader.receive({ type: 'lines', id: 1, session, run: undefined });
  wait(10);
  const edition = answers.findLast((answer) => answer.type === 'lines')?.edition;
  reader.take({ type: 'events', agent: agent.publicKey, events: early });
  wait(400);
  const told = answers.findLast((answer) => answer.type === 'lines');
  expect(told?.count).toBe(agent.events.length);
  expect(told?.edition).not.toBe(edition);
  expect(told?.lines.map(({ text }) => text)).toEqual(agent.events.map(({ payload }) => payload));
});

test('DT173: a fold that takes long is done again only so often that other work has most of the time', () => {
  let nowMs = 0;
  const timers: { readonly atMs: number; readonly fire: () => void }[] = [];
  const clock = {
    // Each look at it takes 20 ms: so does each fold.
    nowMs: () => (nowMs += 20),
    setTimer(delayMs: number, fire: () => void) {
      timers.push({ atMs: nowMs + delayMs, fire });
      return () => undefined;
    },
  };
  let asked = 0;
  const reader = new SessionReader({
    clock,
    onChanges: () => asked++,
    flush: () => undefined,
    post: () => undefined,
    readAgain: nobodyAnswers,
  });
  const agent = new StoryAgent({ name: 'Ada', host: 'box', cwd: '/srv', startMs: 0 }).prompt('go');
  const take = (n: number) => reader.take({ type: 'events', agent: agent.publicKey, events: agent.events.slice(0, n) });
  take(3);
  expect(reader.changes()).toHaveLength(1);
  take(agent.events.length);
  expect(reader.changes()).toHaveLength(0);
  expect(timers).toHaveLength(1);
  const before = asked;
  nowMs = timers[0]?.atMs ?? 0;
  timers[0]?.fire();
  expect(asked).toBe(before + 1);
  expect(reader.changes()).toHaveLength(1);
});

test('DT130: where no file of a session can be made it is answered why', async () => {
  const { reader, answers, wait } = open();
  reader.receive({ type: 'scan', id: 1, session: { agent: 'no key', channelId: 'c' }, run: undefined });
  wait(10);
  expect(answers.at(-1)).toMatchObject({ type: 'scanned', found: { listed: [], unlisted: 0 } });
  reader.receive({ type: 'save', id: 1, as: 'markdown', kept: [], agentName: 'Ada' });
  await expect.poll(() => answers.at(-1)).toMatchObject({ type: 'not-saved', message: expect.stringMatching(/key/) });
});

test('DT173: a clock that is set, or a machine that slept while it folded, holds nothing back for longer than 5 s', () => {
  let nowMs = 0;
  let stepMs = 0;
  const delays: number[] = [];
  const clock = {
    nowMs: () => (nowMs += stepMs),
    setTimer(delayMs: number) {
      delays.push(delayMs);
      return () => undefined;
    },
  };
  const reader = new SessionReader({
    clock,
    onChanges: () => undefined,
    flush: () => undefined,
    post: () => undefined,
    readAgain: nobodyAnswers,
  });
  const agent = new StoryAgent({ name: 'Ada', host: 'box', cwd: '/srv', startMs: 0 }).prompt('go');
  const say = () => {
    agent.say('more');
    reader.take({ type: 'events', agent: agent.publicKey, events: agent.events });
    return reader.changes().length;
  };
  stepMs = 8 * 3_600_000;
  expect(say()).toBe(1);
  stepMs = 0;
  expect(say()).toBe(0);
  expect(delays).toEqual([5_000]);
  // Set back by an hour.
  nowMs -= 3_600_000;
  expect(say()).toBe(1);
});

/** A session of which all but the newest turns are let go, and what is asked for again. */
function openBounded(answer: 'comes' | 'gone' | 'silent' = 'comes') {
  const asked: StreamSpan[] = [];
  const state = { answer };
  const stage = open({
    maxUnits: 5_000_000,
    async readAgain(agentKey, span) {
      asked.push(span);
      if (state.answer === 'silent') return { isAnswered: false };
      if (state.answer === 'gone') return { isAnswered: true, gone: [span] };
      const events = stage.agent.events.filter(
        ({ stream, seq }) => stream === span.stream && seq >= span.first && seq <= span.last,
      );
      stage.reader.take({ type: 'events', agent: agentKey, events });
      return { isAnswered: true, gone: [] };
    },
  });
  const { agent, tell } = stage;
  const big = 'word '.repeat(60_000);
  for (let n = 0; n < 30; n++) {
    agent.prompt(`question ${n}`);
    agent.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${n} ${big}` } }).say('more');
    agent.end('end_turn');
    tell();
  }
  const whole = new TranscriptFold();
  for (const event of agent.events) whole.insert(event);
  const here = () => pageOf(stage.changes, stage.session.channelId);
  /** Lets what was asked and answered be done. */
  const settle = async () => {
    for (let n = 0; n < 20; n++) await Promise.resolve();
  };
  return { ...stage, asked, state, whole, here, settle };
}

const letGoIn = ({ turns }: Transcript) => turns.filter(({ away }) => away?.some(({ letGo }) => letGo !== undefined));

test('DT187: beyond the bound whole turns that nobody looked at go, in short they stay, and come back where they are gone to', async () => {
  const { reader, asked, whole, here, session, settle, answers } = openBounded();
  const { channelId } = session;
  const all = whole.transcript(channelId);
  expect(here().turns.map(({ id }) => id)).toEqual(all.turns.map(({ id }) => id));
  expect(letGoIn(here()).length).toBeGreaterThan(10);
  expect(here().turns.at(-1)).toEqual(all.turns.at(-1));
  expect(asked).toEqual([]);
  reader.receive({ type: 'show', id: 1, session });
  const [first] = letGoIn(here());
  const before = { turnId: first?.id ?? '', itemId: '' };
  reader.receive({ type: 'more', id: 1, before });
  reader.receive({ type: 'more', id: 1, before });
  await settle();
  expect(asked).toHaveLength(1);
  expect(here().turns.find(({ id }) => id === first?.id)).toEqual(all.turns.find(({ id }) => id === first?.id));
  const line = all.turns[3]?.items.at(-1)?.refs[0];
  const place = { stream: line?.stream ?? '', seq: line?.first ?? 0 };
  reader.receive({ type: 'reach', id: 1, ask: 5, place });
  expect(answers.at(-1)).not.toMatchObject({ ask: 5 });
  await settle();
  expect(answers.at(-1)).toEqual({ type: 'reached', id: 1, ask: 5 });
  expect(here().turns.find(({ id }) => id === all.turns[3]?.id)?.items).toEqual(all.turns[3]?.items);
});

test('DT187: what reads all of a session has all of it: a search, its past, a file; the lines where somebody looks', async () => {
  const { reader, asked, answers, whole, session, settle, wait } = openBounded();
  const run = undefined;
  reader.receive({ type: 'lines', id: 1, session, run });
  wait(400);
  reader.receive({ type: 'read-lines', id: 1, from: 20, count: 60 });
  const told = () => answers.findLast((answer) => answer.type === 'lines');
  expect(told()?.lines.length).toBeLessThan(60);
  const { edition = 0 } = told() ?? {};
  await settle();
  wait(400);
  expect(told()?.edition).toBeGreaterThan(edition);
  reader.receive({ type: 'read-lines', id: 1, from: 20, count: 8 });
  expect(told()?.lines).toHaveLength(8);
  reader.receive({ type: 'stop', id: 1 });
  reader.receive({ type: 'search', id: 2, session, needle: 'more' });
  await settle();
  wait(60_000);
  const found = answers.findLast((answer) => answer.type === 'found');
  expect([found?.found.count, found?.isDone]).toEqual([30, true]);
  reader.receive({ type: 'stop', id: 2 });
  expect(asked.length).toBeGreaterThan(10);
  reader.receive({ type: 'save-lines', id: 3, session, run, selection: 'read' });
  await settle();
  const saved = answers.findLast((answer) => answer.type === 'saved');
  const lines = [...whole.log.streams()].flatMap((stream) => [...whole.log.range(stream)]);
  const size = lines
    .filter(({ kind }) => kind === 'acp_read')
    .reduce((sum, { payload }) => sum + payload.length + 1, 0);
  expect(saved?.file.size).toBe(size);
});

test('DT188: what nobody has any more is said where it stood, is asked for again where somebody comes back, and makes no file', async () => {
  const { reader, answers, here, session, settle, state, asked, wait } = openBounded('gone');
  reader.receive({ type: 'show', id: 1, session });
  const [first] = letGoIn(here());
  const more = () => reader.receive({ type: 'more', id: 1, before: { turnId: first?.id ?? '', itemId: '' } });
  more();
  await settle();
  const now = () => here().turns.find(({ id }) => id === first?.id);
  expect(now()?.away?.[0]?.letGo).toBe('gone');
  reader.receive({ type: 'save-lines', id: 3, session, run: undefined, selection: 'all' });
  await settle();
  expect(answers.at(-1)).toMatchObject({ type: 'not-saved', id: 3 });
  reader.receive({ type: 'scan', id: 4, session, run: undefined });
  await settle();
  expect(answers.at(-1)).toMatchObject({ type: 'not-saved', id: 4 });
  state.answer = 'silent';
  more();
  await settle();
  const tries = asked.length;
  state.answer = 'comes';
  wait(6_000);
  await settle();
  expect(asked.length).toBe(tries + 1);
  expect(now()?.away).toBeUndefined();
});
