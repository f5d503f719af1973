import { describe, expect, it } from 'vitest';
import { Scene } from './testing/scene.ts';

const chunk = (kind: string, text: string, messageId?: string | null) => ({
  sessionUpdate: `${kind}_chunk`,
  content: { type: 'text', text },
  ...(messageId === undefined ? {} : { messageId }),
});

describe('messages', () => {
  it('TR21: the user’s item comes from the prompt’s own line, block by block', () => {
    const scene = new Scene();
    const prompt = [
      { type: 'text', text: 'look at ' },
      { type: 'text', text: 'this' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'file:///a.ts', name: 'a.ts' },
    ];
    scene.harness.write({ jsonrpc: '2.0', id: 7, method: 'session/prompt', params: { sessionId: 's', prompt } });
    expect(scene.the('user').parts).toEqual([
      { type: 'text', text: 'look at this' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'link', uri: 'file:///a.ts', name: 'a.ts' },
    ]);
  });

  it('TR22: a new messageId begins a new message, the same id goes on with its own', () => {
    const scene = new Scene()
      .prompt()
      .says('Warning: old config')
      .says('Hello', 'm1')
      .says(' there', 'm1')
      .says('Again', 'm2');
    expect(scene.outline()).toEqual([
      'user: do it',
      'agent: Warning: old config',
      'agent: Hello there',
      'agent: Again',
    ]);
  });

  it('TR22: one id is one row, also with thoughts or a tool call in between', () => {
    const scene = new Scene()
      .prompt()
      .says('a', 'm')
      .update(chunk('agent_thought', 'hm', 'm'))
      .says('b', 'm');
    scene
      .update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'x' })
      .says('c', 'm')
      .update(chunk('agent_thought', ' hm', 'm'));
    expect(scene.outline()).toEqual(['user: do it', 'agent: abc', 'thought: hm hm', 'tool t: pending']);
  });

  it('TR23: without an id a chunk goes on with the last row of its speaker, and another row in between splits', () => {
    const scene = new Scene().prompt().says('a').says('b', 'm').says('c').says('c');
    scene
      .update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'x' })
      .says('d')
      .update(chunk('agent_thought', 'e', null))
      .says('f');
    expect(scene.outline()).toEqual([
      'user: do it',
      'agent: a',
      'agent: b',
      'agent: cc',
      'tool t: pending',
      'agent: d',
      'thought: e',
      'agent: f',
    ]);
  });

  it('TR23: usage, commands and notices do not split', () => {
    const scene = new Scene().prompt().says('a').update({ sessionUpdate: 'usage_update', used: 1, size: 2 });
    scene.note('agent_stderr', { text: 'x' }).says('b');
    expect(scene.outline()).toEqual(['user: do it', 'agent: ab', 'notice']);
  });

  it('TR23: what an agent that names its messages says without a name is no more of them', () => {
    const scene = new Scene().prompt().says('Half an ans', 'm').says('stream disconnected before completion\n\n');
    expect(scene.says('wer', 'm').outline()).toEqual([
      'user: do it',
      'agent: Half an answer',
      'agent: stream disconnected before completion\n\n',
    ]);
  });

  it('TR155: thoughts under headings of their own are paragraphs of one row; a heading in pieces is as it came', () => {
    const thinks = (...texts: readonly string[]) => {
      const scene = new Scene().prompt();
      for (const text of texts) scene.update(chunk('agent_thought', text));
      return scene.the('thought').parts;
    };
    const whole = thinks('**Reading**\nI read it.', '**Changing**\nI change it.\n', '**Done**\nIt is done.');
    expect(whole).toEqual([
      { type: 'text', text: '**Reading**\nI read it.\n\n**Changing**\nI change it.\n**Done**\nIt is done.' },
    ]);
    expect(thinks('is ', '**bold**', ' and ', '**', 'more**\n')).toEqual([
      { type: 'text', text: 'is **bold** and **more**\n' },
    ]);
    expect(thinks('****\nFirst I', '****\nweigh it.\n', '****\nThen', '****\n')).toEqual([
      { type: 'text', text: 'First I\nweigh it.\nThen****\n' },
    ]);
    const scene = new Scene().prompt().says('a').says('**b**\nc');
    expect(scene.outline()).toEqual(['user: do it', 'agent: a**b**\nc']);
  });

  it('TR24: empty text makes no row and ends none; other content stays in its place', () => {
    const scene = new Scene().prompt().says('').says('a').says('').says('b');
    scene
      .update({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: 'AA', mimeType: 'image/png' } })
      .says('c');
    scene.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'hologram', depth: 3 } });
    expect(scene.the('agent').parts).toEqual([
      { type: 'text', text: 'ab' },
      { type: 'image', data: 'AA', mimeType: 'image/png' },
      { type: 'text', text: 'c' },
      { type: 'other', json: '{"type":"hologram","depth":3}' },
    ]);
  });

  it('TR25: only the newest message of an open turn is being written', () => {
    const streaming = (scene: Scene) =>
      scene.turn().items.flatMap((item) => ('streaming' in item && item.streaming ? [item.id] : []));
    const scene = new Scene().prompt().says('a', 'm');
    expect(streaming(scene)).toEqual(['agent:m']);
    expect(streaming(scene.update(chunk('agent_thought', 'x', 'm')))).toEqual(['thought:m']);
    expect(streaming(scene.says('b', 'm'))).toEqual(['agent:m']);
    expect(streaming(scene.update({ sessionUpdate: 'usage_update', used: 1, size: 2 }))).toEqual(['agent:m']);
    expect(streaming(scene.update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'x' }))).toEqual([]);
    expect(streaming(scene.says('c', 'n').answer())).toEqual([]);
  });

  it('TR26: a message of the next turn is a new row, whatever id it has', () => {
    const scene = new Scene().prompt('one').says('first', '1').answer().prompt('two').says('second', '1');
    expect([scene.outline(0), scene.outline(1)]).toEqual([
      ['user: one', 'agent: first'],
      ['user: two', 'agent: second'],
    ]);
  });
});

describe('an agent’s echo of the prompt', () => {
  it.each([
    ['whole', ['fix the bug']],
    ['in pieces', ['fix ', 'the ', 'bug']],
    ['twice', ['fix the bug', 'fix the bug']],
    ['with a line end more', ['fix the bug\n']],
  ])('TR27: %s is shown once', (_, pieces) => {
    const scene = new Scene().prompt('fix the bug');
    for (const piece of pieces) scene.update(chunk('user_message', piece));
    expect(scene.says('ok').outline()).toEqual(['user: fix the bug', 'agent: ok']);
  });

  it('TR27: after the answer has begun, and after the turn, it is still an echo', () => {
    const scene = new Scene()
      .prompt('fix')
      .says('o')
      .update(chunk('user_message', 'fix', 'u1'))
      .says('k')
      .answer();
    expect(scene.update(chunk('user_message', 'fix')).outline()).toEqual(['user: fix', 'agent: ok']);
    expect(scene.the('user').messageId).toBe('u1');
  });

  it('TR27: other words of the user are shown', () => {
    const scene = new Scene()
      .prompt('fix')
      .update(chunk('user_message', 'also '))
      .update(chunk('user_message', 'this'));
    expect(scene.outline()).toEqual(['user: fix', 'user: also this']);
  });

  it('TR27: v2: the message it makes of the prompt is the prompt’s row', () => {
    const scene = new Scene({ version: 2 }).prompt('fix');
    scene
      .update({ sessionUpdate: 'user_message', messageId: 'u1', content: [{ type: 'text', text: 'fix' }] })
      .answer({ messageId: 'u1' });
    expect(scene.the('user')).toMatchObject({ messageId: 'u1', parts: [{ type: 'text', text: 'fix' }] });
  });

  it('TR27: text steered into a running turn is a user row of that turn, its echo is not', () => {
    const scene = new Scene().prompt('fix').says('working');
    const params = { sessionId: 's', prompt: [{ type: 'text', text: 'hurry' }] };
    scene.harness.write({ jsonrpc: '2.0', id: 900, method: '_session/steering', params });
    scene.update(chunk('user_message', 'hurry')).says('ok');
    expect(scene.outline()).toEqual(['user: fix', 'agent: working', 'user: hurry', 'agent: ok']);
  });
});

describe('v2 messages', () => {
  it('TR28: a whole message replaces, absent content keeps, null clears, chunks go on', () => {
    const scene = new Scene({ version: 2 }).prompt();
    const message = (rest: object) => scene.update({ sessionUpdate: 'agent_message', messageId: 'm', ...rest });
    message({ content: [{ type: 'text', text: 'draft' }] });
    expect(message({}).outline()).toEqual(['user: do it', 'agent: draft']);
    expect(
      message({ content: [{ type: 'text', text: 'final' }] })
        .says('!', 'm')
        .outline(),
    ).toEqual(['user: do it', 'agent: final!']);
    expect(message({ content: null }).outline()).toEqual(['user: do it', 'agent: ']);
  });

  it('TR29: the same story in v1 and in v2 reduces to the same rows', () => {
    const v1 = new Scene().prompt('go').says('Hel', 'm').says('lo', 'm');
    v1.update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Read a', kind: 'read', status: 'in_progress' });
    v1.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' }).answer();
    const v2 = new Scene({ version: 2 }).prompt('go').update({ sessionUpdate: 'state_update', state: 'running' });
    v2.update({ sessionUpdate: 'user_message', messageId: 'u', content: [{ type: 'text', text: 'go' }] }).answer({
      messageId: 'u',
    });
    v2.update({ sessionUpdate: 'agent_message', messageId: 'm', content: [{ type: 'text', text: 'Hello' }] });
    v2.update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 't',
      title: 'Read a',
      kind: 'read',
      status: 'in_progress',
    });
    v2.update({ sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' });
    v2.update({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
    expect(v2.outline()).toEqual(v1.outline());
    expect(v2.turn().outcome).toBe(v1.turn().outcome);
  });
});
