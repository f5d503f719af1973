import { describe, expect, it } from 'vitest';
import { CHANNEL, MiniHarness } from './testing/mini-harness.ts';
import { Scene } from './testing/scene.ts';

describe('a turn begins', () => {
  it('TR10: once, whether the harness announces it, its prompt is seen, or both', () => {
    expect(new Scene().prompt().turns).toHaveLength(1);
    const told = new Scene({ told: true }).prompt();
    expect(told.turns).toMatchObject([{ id: 'turn-1', source: 'owner', status: 'open' }]);
    expect(new Scene().note('turn_started', { source: 'heartbeat' }).turns).toMatchObject([{ source: 'heartbeat' }]);
  });

  it('TR10: when the prompt is seen before the harness names the turn, it is renamed and not doubled', () => {
    const scene = new Scene().prompt().says('one', 'm');
    expect(scene.turn().id).toMatch(/^turn:stream-1:/);
    scene.note('turn_started', { source: 'owner' }, { turnId: 'named' }).says(' two', 'm').answer();
    expect(scene.turns).toMatchObject([{ id: 'named', source: 'owner', status: 'ended', outcome: 'completed' }]);
    expect(scene.outline()).toEqual(['user: do it', 'agent: one two']);
  });

  it('TR10: a prompt of the owner is told from one of an editor, also without the harness’s word', () => {
    expect(new Scene().prompt('x', { via: 'owner' }).turn().source).toBe('owner');
    expect(new Scene().prompt('x').turn().source).toBe('client');
  });

  it('TR10: a line that names a turn nobody saw begin opens it, a note of the harness does not', () => {
    const scene = new Scene().update(
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'a' } },
      { turnId: 'x' },
    );
    expect(scene.turns).toMatchObject([{ id: 'x', source: 'unknown', status: 'open' }]);
    expect(
      new Scene().note('control_result', { type: 'prompt', status: 'failure' }, { turnId: 'y' }).turns,
    ).toMatchObject([{ source: 'none', status: 'ended' }]);
  });

  it('TR11: what comes outside prompts stands in an idle turn, which is never open', () => {
    const scene = new Scene().says('hello').note('agent_stderr', { text: 'warn\n' });
    expect(scene.turns).toMatchObject([{ source: 'none', status: 'ended', outcome: undefined }]);
    expect(scene.turn().id).toMatch(/^idle:stream-1:\d+$/);
    expect(scene.turn().items.some((item) => item.late)).toBe(false);
  });
});

describe('a turn ends', () => {
  it.each([
    ['end_turn', 'completed'],
    ['max_tokens', 'completed'],
    ['cancelled', 'cancelled'],
    ['refusal', 'refused'],
    ['error', 'failed'],
    ['made_up', 'completed'],
    [undefined, 'unknown'],
  ])('TR12: v1: by the answer to its prompt, stop reason %s → %s', (stopReason, outcome) => {
    const scene = new Scene().prompt().answer({ stopReason });
    expect(scene.turn()).toMatchObject({ status: 'ended', outcome, stopReason });
    expect(scene.turn().endedAt).toBeDefined();
  });

  it('TR12: v2: by an idle state, not by the answer, which only names the message', () => {
    const scene = new Scene({ version: 2 }).prompt().answer({ messageId: 'm1' });
    expect(scene.turn()).toMatchObject({ status: 'open' });
    expect(scene.the('user').messageId).toBe('m1');
    scene.update({ sessionUpdate: 'state_update', state: 'running' }).says('hi', 'a');
    scene.update({ sessionUpdate: 'state_update', state: 'requires_action' });
    scene.update({ sessionUpdate: 'state_update', state: 'made_up' });
    expect(scene.turn().status).toBe('open');
    scene.update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn', usage: { inputTokens: 3 } });
    expect(scene.turn()).toMatchObject({ status: 'ended', outcome: 'completed', usage: { inputTokens: 3 } });
    scene.update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'cancelled' });
    expect(scene.turns).toMatchObject([{ stopReason: 'end_turn' }]);
  });

  it('TR12: v2: an idle state does not end a prompt the agent has not begun with', () => {
    const scene = new Scene({ version: 2 })
      .prompt('one')
      .update({ sessionUpdate: 'state_update', state: 'running' })
      .prompt('two');
    scene.update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
    expect(scene.turns.map(({ status }) => status)).toEqual(['ended', 'open']);
    scene.answer({}).update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
    expect(scene.turns.map(({ status }) => status)).toEqual(['ended', 'ended']);
  });

  it('TR13: there is one ending: the first gives the time, the harness’s word gives the outcome', () => {
    const scene = new Scene().prompt().answer({ stopReason: 'end_turn' });
    const { id, endedAt } = scene.turn();
    scene.note('turn_completed', { outcome: 'killed', stopReason: 'other', usage: { totalTokens: 9 } }, { turnId: id });
    expect(scene.turns).toMatchObject([
      { endedAt, outcome: 'killed', stopReason: 'end_turn', usage: { totalTokens: 9 } },
    ]);
    const other = new Scene().prompt().note('turn_completed', { outcome: 'cancelled', stopReason: null });
    const first = other.turn().endedAt;
    other.answer({ stopReason: 'end_turn' });
    expect(other.turns).toMatchObject([{ endedAt: first, outcome: 'cancelled', stopReason: 'end_turn' }]);
  });

  it('TR13: an ending without an outcome is unknown, or failed after a turn_error (Buzz)', () => {
    const buzz = () => new Scene().note('turn_started', { source: 'channel' }, { turnId: 't' });
    expect(buzz().note('turn_completed', {}, { turnId: 't' }).turn().outcome).toBe('unknown');
    const failure = { outcome: 'idle_timeout', error: 'silent for 900 s' };
    expect(
      buzz().note('turn_error', failure, { turnId: 't' }).note('turn_completed', {}, { turnId: 't' }).turn().outcome,
    ).toBe('failed');
    expect(
      buzz().note('turn_completed', {}, { turnId: 't' }).note('turn_error', failure, { turnId: 't' }).turn().outcome,
    ).toBe('failed');
  });

  it('TR14: late lines stay in the turn that ended, marked, and never open it again', () => {
    const scene = new Scene().prompt().says('almost').answer();
    const { endedAt } = scene.turn();
    scene.says(' done').update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', status: 'in_progress' });
    expect(scene.turns).toMatchObject([{ status: 'ended', endedAt }]);
    expect(scene.outline()).toEqual(['user: do it', 'agent: almost done', 'tool t: unfinished']);
    expect(scene.turn().items.map(({ late }) => late)).toEqual([undefined, true, true]);
    expect(scene.turn().items.some((item) => 'streaming' in item && item.streaming)).toBe(false);
  });

  it('TR14: a second answer to the same prompt changes nothing', () => {
    const scene = new Scene().prompt().answer();
    const before = scene.turn();
    expect(scene.answer({ stopReason: 'cancelled' }).turn()).toBe(before);
  });

  it('TR15: two prompts at once are two turns; what names none goes to the older one', () => {
    const scene = new Scene().prompt('one').prompt('two').says('for one').answer(undefined, 1).says('for two').answer();
    expect(scene.outline(0)).toEqual(['user: one', 'agent: for one']);
    expect(scene.outline(1)).toEqual(['user: two', 'agent: for two']);
  });
});

describe('cancel', () => {
  it('TR16: shows “cancelling” until the agent says it stopped, whatever it does meanwhile', () => {
    const scene = new Scene().prompt().cancel().cancel().says('still going');
    expect(scene.turn()).toMatchObject({ status: 'open', cancelling: true });
    expect(scene.answer({ stopReason: 'cancelled' }).turn()).toMatchObject({ outcome: 'cancelled', cancelling: false });
  });

  it('TR16: an agent that answers an error or end_turn after a cancel is taken at its word', () => {
    expect(new Scene().prompt().cancel().answer({ stopReason: 'end_turn' }).turn().outcome).toBe('completed');
    const error = new Scene().prompt().cancel().refuse({ code: -32603, message: 'aborted' });
    expect(error.turn()).toMatchObject({ outcome: 'cancelled' });
    expect(error.the('error')).toMatchObject({ outcome: 'rpc', message: 'aborted' });
    const quiet = new Scene().prompt().cancel().refuse({ code: -32800, message: 'request cancelled' });
    expect(quiet.turn().outcome).toBe('cancelled');
    expect(quiet.all('error')).toEqual([]);
  });

  it('TR16: a cancel while nothing runs does nothing to the next prompt', () => {
    expect(new Scene().prompt().answer().cancel().prompt('next').turn()).toMatchObject({
      status: 'open',
      cancelling: false,
    });
  });
});

describe('liveness and queue', () => {
  it('TR17: turn_liveness updates its turn and is no row', () => {
    const scene = new Scene({ told: true }).prompt().note('turn_liveness', { head: null, lastAgentByteAgeMs: 4200 });
    expect(scene.turn().liveness).toMatchObject({ lastAgentByteAgeMs: 4200 });
    expect(scene.turn().items).toHaveLength(1);
    expect(
      scene.answer().note('turn_liveness', { lastAgentByteAgeMs: 1 }, { turnId: 'turn-1' }).turn().liveness
        ?.lastAgentByteAgeMs,
    ).toBe(4200);
  });

  it('TR18: queued prompts are session state, ordered by position', () => {
    const scene = new Scene()
      .note('prompt_queued', { promptRequestId: 'b', position: 2 })
      .note('prompt_queued', { promptRequestId: 'a', position: 1, content: [{ type: 'text', text: 'later' }] });
    expect(scene.transcript.session.queue).toEqual([
      { promptRequestId: 'a', position: 1, text: 'later' },
      { promptRequestId: 'b', position: 2, text: '' },
    ]);
    expect(scene.note('prompt_dequeued', { promptRequestId: 'a', position: 1 }).transcript.session.queue).toHaveLength(
      1,
    );
    expect(scene.turns).toEqual([]);
  });
});

describe('the agent or its harness goes away', () => {
  it('TR19: an exit fails the open turn with its code, voids questions and leaves no spinner', () => {
    const scene = new Scene()
      .prompt()
      .update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', status: 'in_progress' });
    scene.ask(0, { toolCallId: 't' }).harnessNote('agent_exited', { code: 3, signal: null, expected: false });
    expect(scene.turn()).toMatchObject({ status: 'ended', outcome: 'failed' });
    expect(scene.outline()).toEqual(['user: do it', 'tool t: unfinished', 'permission', 'error']);
    expect(scene.the('error')).toMatchObject({ outcome: 'exited', message: 'The agent exited with code 3' });
    expect(scene.the('permission')).toMatchObject({ state: 'decided', decision: { reason: 'aborted' } });
    scene.note(
      'turn_error',
      { outcome: 'exited', error: 'agent exited, code 3', hint: 'see stderr' },
      { turnId: scene.turn().id },
    );
    expect(scene.the('error')).toMatchObject({ outcome: 'exited', hint: 'see stderr' });
  });

  it('TR19: an exit between turns is a notice in a stream of its own channel, none in others', () => {
    const scene = new Scene()
      .prompt()
      .answer()
      .harnessNote('agent_exited', { code: null, signal: 'SIGKILL', expected: false });
    expect(scene.turns).toHaveLength(1);
    const notices = scene.fold.transcript(null).turns.flatMap(({ items }) => items);
    expect(notices).toMatchObject([{ kind: 'notice', severity: 'error', text: 'The agent was ended by SIGKILL' }]);
  });

  it('TR20: a new run ends what was open, forgets the mode until told, and is marked in the transcript', () => {
    const scene = new Scene().note('session_config_captured', { modes: { currentModeId: 'ask', availableModes: [] } });
    scene.prompt().ask(0, { toolCallId: 't' });
    expect(scene.transcript.session.modeId).toBe('ask');
    const next = new MiniHarness({ run: 'run-2', stream: 'stream-2', fromSeconds: 60 });
    for (const event of next.events) scene.fold.insert(event);
    const { streams, session, turns } = scene.fold.transcript(CHANNEL);
    expect(streams).toEqual(['stream-1', 'stream-2']);
    expect(session.modeId).toBeUndefined();
    expect(turns).toMatchObject([
      { status: 'ended', outcome: 'unknown' },
      { source: 'none', items: [{ text: 'A new run of the agent begins' }] },
    ]);
    expect(turns[0]?.items.at(-1)).toMatchObject({ kind: 'permission', decision: { reason: 'aborted' } });
  });

  it('TR20: a run that never opens this channel again still ends what was open in it', () => {
    const scene = new Scene().prompt();
    const next = new MiniHarness({ run: 'run-2', stream: 'stream-2', fromSeconds: 60 });
    for (const event of next.events.slice(0, 2)) scene.fold.insert(event);
    expect(scene.turns).toMatchObject([{ status: 'ended', outcome: 'unknown' }]);
  });

  it('TR20: an orderly end of the stream ends what was open', () => {
    expect(new Scene().prompt().note('stream_closed', { lastSeq: 3, hash: '' }).turn()).toMatchObject({
      status: 'ended',
      outcome: 'unknown',
    });
  });
});
