import { expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import { storyTeller } from '../dev/story-teller.ts';
import type { PageToWorker } from '../worker/protocol.ts';
import { describeProgress, selectCancel, selectDecision, selectUnsentPrompts } from './control-entry.ts';
import { createDesktop } from './desktop.ts';
import { findAgent } from './desktop-store.ts';
import { parseSessionRef } from './session-ref.ts';

const story = () =>
  new StoryAgent({ name: 'Claude', host: 'h', cwd: '/srv', startMs: Date.UTC(2026, 10, 30) }).prompt('go');

/** A desktop whose frames come when the test says. */
function openDesktop() {
  const posted: PageToWorker[] = [];
  const frames: (() => void)[] = [];
  const kept: string[] = [];
  const desktop = createDesktop({
    uuid: () => '00000000-0000-4000-8000-000000000001',
    post: (message) => posted.push(message),
    nowMs: () => 1_000,
    onFrame: (act, done) =>
      frames.push(() => {
        try {
          act();
        } finally {
          done(5);
        }
      }),
    keepToken: (token) => kept.push(token),
  });
  const paint = () => {
    for (const fire of frames.splice(0)) fire();
  };
  return { desktop, posted, paint, frames, kept, state: desktop.store.getState };
}

test('DT16, DT170: whatever comes between two paints changes the screen once, and the worker hears when', () => {
  const { desktop, posted, paint, frames, state } = openDesktop();
  let changes = 0;
  desktop.store.subscribe(() => changes++);
  const agent = story();
  const tell = storyTeller();
  for (const event of agent.events)
    desktop.receive({ type: 'events', events: tell([{ type: 'events', agent: agent.publicKey, events: [event] }]) });
  expect([changes, frames.length]).toEqual([0, 1]);
  paint();
  expect(changes).toBe(1);
  expect(posted).toEqual([{ type: 'painted', tookMs: 5 }]);
  expect(state().agents[0]?.told.transcript(agent.channelId).turns).toHaveLength(1);
});

test('DT170: the worker goes on telling where something it told could not be shown', () => {
  const { desktop, posted, paint } = openDesktop();
  desktop.receive({
    type: 'events',
    events: [{ type: 'changes', changes: { agent: 'a', transcripts: [null as never] } }],
  });
  expect(paint).toThrow(TypeError);
  expect(posted).toEqual([{ type: 'painted', tookMs: 5 }]);
});

test('DT16: the first conversation that comes is chosen; a choice made stays', () => {
  const { desktop, paint, state } = openDesktop();
  const [one, two] = [
    story(),
    new StoryAgent({ name: 'Codex', host: 'h', cwd: '/x', startMs: Date.UTC(2026, 10, 30) }).prompt('x'),
  ];
  desktop.receive({ type: 'events', events: storyTeller()(one.viewerEvents()) });
  paint();
  expect(state().selected).toEqual({ agent: one.publicKey, channelId: one.channelId });
  desktop.receive({ type: 'events', events: storyTeller()(two.viewerEvents()) });
  paint();
  expect(state().selected?.agent).toBe(one.publicKey);
});

test('DT134: after a reload the session of before is chosen once it is there, and no other until it can’t come', () => {
  const [one, two] = [
    story(),
    new StoryAgent({ name: 'Codex', host: 'h', cwd: '/x', startMs: Date.UTC(2026, 10, 30) }).prompt('x'),
  ];
  const wanted = { agent: two.publicKey, channelId: two.channelId };
  const { desktop, paint, state } = openDesktop();
  desktop.want(parseSessionRef(JSON.stringify(wanted)));
  desktop.receive({ type: 'events', events: storyTeller()(one.viewerEvents()) });
  paint();
  expect(state().selected).toBeUndefined();
  desktop.receive({ type: 'events', events: storyTeller()(two.viewerEvents()) });
  paint();
  expect(state().selected).toEqual(wanted);

  const gone = openDesktop();
  gone.desktop.want({ agent: two.publicKey, channelId: 'gone' });
  gone.desktop.receive({ type: 'events', events: storyTeller()(one.viewerEvents()) });
  gone.paint();
  gone.desktop.want(undefined);
  expect(gone.state().selected?.agent).toBe(one.publicKey);
  gone.desktop.want(wanted);
  expect(gone.state().selected?.agent).toBe(one.publicKey);
  for (const text of [null, '', 'x', 'null', '{}', '{"agent":1,"channelId":"c"}'])
    expect(parseSessionRef(text)).toBeUndefined();
});

test('DT16: the owner’s name for an agent goes before its own', () => {
  const { desktop, paint, state } = openDesktop();
  const agent = story();
  desktop.receive({ type: 'events', events: storyTeller()(agent.viewerEvents()) });
  paint();
  expect(findAgent(state(), agent.publicKey)?.name).toBe('Claude');
  const ready = {
    phase: 'ready',
    publicKey: 'k',
    npub: 'n',
    relays: ['ws://r'],
    homeRelay: undefined,
    device: 'Chrome on Linux (3f2a)',
    keptBy: 'host',
  } as const;
  desktop.receive({
    type: 'session',
    session: { ...ready, agents: [{ publicKey: agent.publicKey, name: 'Mine', revoked: true }] },
  });
  desktop.receive({ type: 'events', events: [{ type: 'presence', presence: agent.presence() }] });
  paint();
  expect(findAgent(state(), agent.publicKey)).toMatchObject({ name: 'Mine', revoked: true });
  expect(state().relays).toEqual([{ url: 'ws://r', state: undefined }]);
});

test('DT14: a control tells each of its steps', () => {
  const { desktop, posted, paint, state } = openDesktop();
  desktop.control('agent', { type: 'cancel_turn', channelId: 'c', turnId: 't' });
  const sent = posted[0];
  expect(sent).toMatchObject({ type: 'control', agent: 'agent', draft: { type: 'cancel_turn' } });
  const entry = () => selectCancel(state().controls, 't');
  const say = () => describeProgress(entry() as NonNullable<ReturnType<typeof entry>>);
  expect(say()).toBe('sending');
  desktop.receive({ type: 'control-started', id: sent?.type === 'control' ? sent.id : 0, requestId: 'r' });
  const step = (progress: object) => {
    const all = { requestId: 'r', agent: 'agent', type: 'cancel_turn', phase: 'sent', ...progress } as const;
    desktop.receive({ type: 'events', events: [{ type: 'control', progress: all }] });
    paint();
    return say();
  };
  expect(step({ phase: 'sending', reason: 'the harness is not connected' })).toBe(
    'not delivered yet: the harness is not connected',
  );
  expect(step({})).toBe('sent, waiting for the harness');
  expect(step({ phase: 'received', result: { type: 'cancel_turn', status: 'sent' } })).toBe('received by the harness');
  expect(step({ phase: 'done', result: { type: 'cancel_turn', status: 'cancelled' } })).toBe('cancelled');
  expect(step({ phase: 'failed', result: { type: 'cancel_turn', status: 'no_active_turn' } })).toBe(
    'there was no turn to cancel',
  );
  expect(step({ requestId: 'another', phase: 'done', result: { type: 'cancel_turn', status: 'x' } })).toBe(
    'there was no turn to cancel',
  );
});

test('DT14: an answer is found by its nonce, a prompt stays listed until the harness has it', () => {
  const { desktop, posted, paint, state } = openDesktop();
  desktop.control('a', { type: 'permission_decision', channelId: 'c', requestNonce: 'n', optionId: 'o' });
  expect(selectDecision(state().controls, 'a', 'n')?.phase).toBe('sending');
  expect(selectDecision(state().controls, 'another', 'n')).toBeUndefined();
  expect(selectDecision(state().controls, 'a', undefined)).toBeUndefined();
  const content = [{ type: 'text' }];
  desktop.control('a', { type: 'prompt', channelId: 'c', content });
  expect(selectUnsentPrompts(state().controls, 'a', 'c')).toHaveLength(1);
  expect(selectUnsentPrompts(state().controls, 'a', 'other')).toHaveLength(0);
  const id = posted.findLast((message) => message.type === 'control')?.id ?? 0;
  desktop.receive({ type: 'control-started', id, requestId: 'p' });
  const progress = {
    requestId: 'p',
    agent: 'a',
    type: 'prompt',
    phase: 'done',
    result: { type: 'prompt', status: 'accepted' },
  } as const;
  desktop.receive({ type: 'events', events: [{ type: 'control', progress }] });
  paint();
  expect(selectUnsentPrompts(state().controls, 'a', 'c')).toEqual([]);
});

test('DT16: questions to the worker are answered by their number, tokens are kept, warnings told once', async () => {
  const { desktop, posted, kept, state, paint } = openDesktop();
  const invited = desktop.invite('Claude', ['ws://r']);
  const asked = posted[0];
  expect(asked).toMatchObject({ type: 'invite', name: 'Claude' });
  desktop.receive({
    type: 'invited',
    id: asked?.type === 'invite' ? asked.id : 0,
    result: { ok: true, value: { text: 'helio1' } },
  });
  expect(await invited).toEqual({ ok: true, value: { text: 'helio1' } });
  desktop.receive({ type: 'next-token', token: 't' });
  expect(kept).toEqual(['t']);
  const warning = { type: 'warning', agent: undefined, code: 'clock', message: 'your clock is 6 min off' } as const;
  desktop.receive({ type: 'events', events: [warning, warning] });
  paint();
  expect(state().warnings).toHaveLength(1);
  desktop.dismissWarning(state().warnings[0]?.id ?? 0);
  expect(state().warnings).toEqual([]);
});

test('DT16: drafts are kept per session, not without end', () => {
  const { desktop } = openDesktop();
  desktop.keepDraft('a', 'half a thought');
  expect([desktop.readDraft('a'), desktop.readDraft('b')]).toEqual(['half a thought', '']);
  for (let at = 0; at < 200; at++) desktop.keepDraft(`key ${at}`, 'x');
  expect(desktop.readDraft('a')).toBe('');
  desktop.keepDraft('key 199', '');
  expect(desktop.readDraft('key 199')).toBe('');
});

test('DT110: an answer of the worker is taken after all it speaks of', () => {
  const { desktop, posted, paint, frames, state } = openDesktop();
  const agent = story();
  desktop.receive({ type: 'events', events: storyTeller()(agent.viewerEvents()) });
  const shown = () => state().agents[0]?.told.transcript(agent.channelId).turns.length;
  expect(shown()).toBeUndefined();
  desktop.receive({ type: 'read', answer: { type: 'found', id: 1, found: { count: 0, hits: [] }, isDone: true } });
  expect(shown()).toBe(1);
  expect([frames.length, posted]).toEqual([1, []]);
  paint();
  expect(posted).toEqual([{ type: 'painted', tookMs: 5 }]);
});

test('AR138: a question to the archive that is dropped is told to the worker once, and its answer goes nowhere', async () => {
  const { desktop, posted } = openDesktop();
  const [left, kept] = [new AbortController(), new AbortController()];
  const told: unknown[] = [];
  const question = { ask: 'search', query: { text: 'x' } } as const;
  void desktop.askArchive(question, left.signal).then((result) => told.push(result));
  const answered = desktop.askArchive(question, kept.signal);
  const [first, second] = posted.map((message) => ('id' in message ? message.id : 0));
  left.abort();
  const result = { ok: true, value: { hits: [], isMore: false } } as const;
  desktop.receive({ type: 'archive-said', id: first ?? 0, result: result as never });
  desktop.receive({ type: 'archive-said', id: second ?? 0, result: result as never });
  expect(await answered).toEqual(result);
  kept.abort();
  expect(told).toEqual([]);
  expect(posted.slice(2)).toEqual([{ type: 'drop-archive', id: first }]);
});
