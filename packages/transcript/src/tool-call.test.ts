import { describe, expect, it } from 'vitest';
import { Scene } from './testing/scene.ts';

const call = (rest: object = {}) => ({
  sessionUpdate: 'tool_call',
  toolCallId: 't',
  title: 'Edit x',
  kind: 'edit',
  ...rest,
});
const patch = (rest: object = {}) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...rest });
const said = (text: string) => ({ type: 'content', content: { type: 'text', text } });

describe('tool calls', () => {
  it('TR30: a call sent twice is one row, an update without a call makes a row, a call that comes after merges', () => {
    const twice = new Scene()
      .prompt()
      .update(call({ status: 'in_progress' }))
      .update(call({ title: 'Edit y' }));
    expect(twice.the('tool')).toMatchObject({ title: 'Edit y', status: 'in_progress', toolKind: 'edit' });
    const update = new Scene().prompt().update(patch({ status: 'in_progress' }));
    expect(update.the('tool')).toMatchObject({ title: '', toolKind: 'other', status: 'in_progress' });
    expect(update.update(call({ status: 'pending' })).the('tool')).toMatchObject({
      title: 'Edit x',
      status: 'pending',
    });
  });

  it('TR31: absent keeps; v1: null keeps; an empty list clears', () => {
    const scene = new Scene()
      .prompt()
      .update(call({ content: [said('a')], locations: [{ path: '/a', line: 3 }], rawInput: { a: 1 } }));
    const before = scene.the('tool');
    scene
      .update(patch({ status: 'in_progress' }))
      .update(patch({ title: null, kind: null, content: null, locations: null, rawInput: null }));
    const { title, toolKind, content, locations, rawInput } = scene.the('tool');
    expect({ title, toolKind, content, locations, rawInput }).toEqual({
      title: 'Edit x',
      toolKind: 'edit',
      content: before.content,
      locations: [{ path: '/a', line: 3 }],
      rawInput: '{"a":1}',
    });
    expect(scene.update(patch({ content: [], locations: [] })).the('tool')).toMatchObject({
      content: [],
      locations: [],
    });
  });

  it('TR31: v2: null clears', () => {
    const scene = new Scene({ version: 2 })
      .prompt()
      .update(patch({ title: 'a', kind: 'read', content: [said('a')], rawInput: 1 }));
    scene.update(patch({ title: null, kind: null, content: null, rawInput: null }));
    expect(scene.the('tool')).toMatchObject({ title: '', toolKind: 'other', content: [], rawInput: undefined });
  });

  it('TR32: content is replaced whole, never merged', () => {
    const scene = new Scene()
      .prompt()
      .update(call({ content: [said('a'), said('b')] }))
      .update(patch({ content: [said('c')] }));
    expect(scene.the('tool').content).toEqual([{ type: 'content', part: { type: 'text', text: 'c' } }]);
  });

  it('TR32: raw input and output are the exact text of the line', () => {
    const scene = new Scene().prompt();
    const update =
      '{"sessionUpdate":"tool_call","toolCallId":"t","rawInput":{"n":1.0, "big":9007199254740993},"rawOutput":"5\\u0020"}';
    scene.harness.read(`{"method":"session/update","params":{"sessionId":"s","update":${update}}}`);
    expect(scene.the('tool')).toMatchObject({ rawInput: '{"n":1.0, "big":9007199254740993}', rawOutput: '"5\\u0020"' });
  });

  it('TR33: status: pending when made without one, unchanged by an update without one, unknown ones kept beside it', () => {
    const scene = new Scene().prompt().update(call());
    expect(scene.the('tool').status).toBe('pending');
    expect(
      scene
        .update(patch({ status: 'in_progress' }))
        .update(patch({ title: 'z' }))
        .the('tool').status,
    ).toBe('in_progress');
    expect(scene.update(patch({ status: 'paused' })).the('tool')).toMatchObject({
      status: 'in_progress',
      unknownStatus: 'paused',
    });
    expect(scene.update(patch({ status: 'completed' })).the('tool')).not.toHaveProperty('unknownStatus');
    expect(
      new Scene()
        .prompt()
        .update(call({ status: 'failed' }))
        .the('tool'),
    ).toMatchObject({ status: 'failed' });
  });

  it('TR34: from final back to running is accepted while the turn runs', () => {
    const scene = new Scene().prompt().update(call({ status: 'completed' }));
    expect(scene.the('tool').endedAt).toBeDefined();
    expect(scene.update(patch({ status: 'in_progress' })).the('tool')).toMatchObject({
      status: 'in_progress',
      endedAt: undefined,
    });
  });

  it('TR35: at the end of the turn open calls are unfinished, after a cancel cancelled; a late final status still wins', () => {
    const plain = new Scene()
      .prompt()
      .update(call({ status: 'in_progress' }))
      .answer();
    expect(plain.the('tool').status).toBe('unfinished');
    expect(plain.update(patch({ status: 'in_progress' })).the('tool').status).toBe('unfinished');
    expect(plain.update(patch({ status: 'completed' })).the('tool')).toMatchObject({ status: 'completed', late: true });
    const cancelled = new Scene()
      .prompt()
      .update(call({ status: 'in_progress' }))
      .cancel()
      .answer({ stopReason: 'cancelled' });
    expect(cancelled.update(patch({ status: 'in_progress', content: [said('more')] })).the('tool')).toMatchObject({
      status: 'cancelled',
      content: [{ type: 'content' }],
    });
    expect(cancelled.update(patch({ status: 'completed' })).the('tool').status).toBe('completed');
  });

  it('TR36: output of a call that outlives its turn goes to its row, also while later turns run', () => {
    const scene = new Scene()
      .prompt('one')
      .update(call({ status: 'in_progress' }))
      .cancel()
      .answer({ stopReason: 'cancelled' });
    scene.prompt('two').says('b').answer().prompt('three').says('c');
    scene.update(patch({ _meta: { terminal_output_delta: { data: 'tick 10\n', terminal_id: 't' } } }));
    expect(scene.turns.map((_, n) => scene.outline(n))).toEqual([
      ['user: one', 'tool t: cancelled'],
      ['user: two', 'agent: b'],
      ['user: three', 'agent: c'],
    ]);
    expect(scene.the('tool')).toMatchObject({ late: true, terminal: { output: 'tick 10\n' } });
    expect(scene.turn().items.at(-1)).toMatchObject({ kind: 'agent', streaming: true });
  });

  it('TR37: an id used again in a later turn is a new row', () => {
    const scene = new Scene()
      .prompt('one')
      .update(call({ status: 'completed' }))
      .answer()
      .prompt('two')
      .update(call({ status: 'pending' }));
    expect([scene.outline(0), scene.outline(1)]).toEqual([
      ['user: one', 'tool t: completed'],
      ['user: two', 'tool t: pending'],
    ]);
    const v2 = new Scene({ version: 2 })
      .prompt('one')
      .update(patch({ title: 'a', status: 'completed' }))
      .answer({ stopReason: 'end_turn' });
    v2.prompt('two')
      .update(patch({ title: 'b', status: 'in_progress' }))
      .update(patch({ status: 'completed' }));
    expect([v2.outline(0), v2.outline(1)]).toEqual([
      ['user: one', 'tool t: completed'],
      ['user: two', 'tool t: completed'],
    ]);
  });

  it('TR38: title falls back to the tool’s name; kind and status outside ACP are kept as they are', () => {
    const tool = (rest: object) =>
      new Scene()
        .prompt()
        .update({ sessionUpdate: 'tool_call', toolCallId: 't', ...rest })
        .the('tool');
    expect(tool({ name: 'Bash' }).title).toBe('Bash');
    expect(tool({ rawInput: { tool: 'grep' } }).title).toBe('grep');
    expect(tool({ kind: 'teleport' }).toolKind).toBe('teleport');
    expect(tool({ _meta: { claudeCode: { parentToolUseId: 'p' } } }).parentToolCallId).toBe('p');
  });

  it('TR38: content of any shape is shown: diffs, terminals, blocks without their wrapper, what nobody knows', () => {
    const content = [
      { type: 'diff', path: '/a', oldText: null, newText: 'n' },
      { type: 'diff', path: '/b', newText: 'n' },
      { type: 'diff', path: '/c', oldText: '', newText: 'n' },
      { type: 'terminal', terminalId: 'x' },
      { type: 'text', text: 'bare' },
      { type: 'chart' },
      7,
    ];
    expect(new Scene().prompt().update(call({ content })).the('tool').content).toEqual([
      { type: 'diff', path: '/a', oldText: null, newText: 'n' },
      { type: 'diff', path: '/b', oldText: null, newText: 'n' },
      { type: 'diff', path: '/c', oldText: '', newText: 'n' },
      { type: 'terminal', terminalId: 'x' },
      { type: 'content', part: { type: 'text', text: 'bare' } },
      { type: 'other', json: '{"type":"chart"}' },
      { type: 'other', json: '7' },
    ]);
  });

  it('TR38: v2: content comes in pieces, too', () => {
    const scene = new Scene({ version: 2 }).prompt().update(patch({ title: 'a', content: [said('a')] }));
    scene.update({ sessionUpdate: 'tool_call_content_chunk', toolCallId: 't', content: said('b') });
    expect(scene.the('tool')).toMatchObject({
      title: 'a',
      content: [{ part: { text: 'a' } }, { part: { text: 'b' } }],
    });
  });

  it('TR39: many calls at once stay in their order, each its own', () => {
    const scene = new Scene().prompt();
    for (let n = 0; n < 60; n++) scene.update({ sessionUpdate: 'tool_call', toolCallId: `t${n}`, title: `${n}` });
    for (let n = 59; n >= 0; n--)
      scene.update({
        sessionUpdate: 'tool_call_update',
        toolCallId: `t${n}`,
        status: n % 2 === 0 ? 'completed' : 'failed',
      });
    expect(scene.all('tool').map(({ title }) => title)).toEqual(Array.from({ length: 60 }, (_, n) => `${n}`));
    expect(
      scene.all('tool').every(({ status, title }) => status === (Number(title) % 2 === 0 ? 'completed' : 'failed')),
    ).toBe(true);
  });
});
