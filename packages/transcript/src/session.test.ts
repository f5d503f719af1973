import { describe, expect, it } from 'vitest';
import { CHANNEL } from './testing/mini-harness.ts';
import { Scene } from './testing/scene.ts';

const select = (id: string, currentValue: string, values: readonly string[], rest: object = {}) => ({
  id,
  name: id,
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: value.toUpperCase() })),
  ...rest,
});

describe('session state', () => {
  it('TR55: agent and protocol come from the answer to initialize on the harness stream', () => {
    expect(new Scene({ version: 2 }).transcript.session).toMatchObject({
      protocolVersion: 2,
      agentName: 'scene',
      cwd: '/srv/dev',
    });
  });

  it('TR55: modes, models, options and cwd come from the answer to session/new, also when the channel is told of it later', () => {
    const scene = new Scene();
    scene.harness.write({ jsonrpc: '2.0', id: 2, method: 'session/new', params: { cwd: '/work', mcpServers: [] } });
    const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] };
    const models = { currentModelId: 'big', availableModels: [{ modelId: 'big', name: 'Big' }] };
    scene.harness.read({ jsonrpc: '2.0', id: 2, result: { sessionId: 's1', modes, models } });
    expect(scene.transcript.session).toMatchObject({
      sessionId: 's1',
      cwd: '/work',
      modeId: 'ask',
      modes: [{ id: 'ask', name: 'Ask' }],
      modelId: 'big',
      models: [{ id: 'big', name: 'Big' }],
    });
  });

  it('TR55: the answer to another session’s session/new is not this channel’s', () => {
    const scene = new Scene();
    scene.harness.write({ jsonrpc: '2.0', id: 2, method: 'session/new', params: { cwd: '/work', mcpServers: [] } });
    scene.harness.read({ jsonrpc: '2.0', id: 2, result: { sessionId: 's1' } });
    scene.harness.write({ jsonrpc: '2.0', id: 3, method: 'session/new', params: { cwd: '/other', mcpServers: [] } });
    scene.harness.events.pop();
    scene.harnessNote('acp_write', '{"id":3,"method":"session/new","params":{"cwd":"/other"}}');
    scene.harnessNote('acp_read', '{"id":3,"result":{"sessionId":"s2","modes":{"currentModeId":"x"}}}');
    expect(scene.transcript.session).toMatchObject({ sessionId: 's1', cwd: '/work', modeId: undefined });
  });

  it('TR55: an answer to session/load has no sessionId: its request has', () => {
    const scene = new Scene().note('session_resolved', { sessionId: 's9', isNewSession: false, loaded: true });
    scene.harnessNote('acp_write', '{"id":3,"method":"session/load","params":{"sessionId":"s9","cwd":"/old"}}');
    scene.harnessNote('acp_read', '{"id":3,"result":{"modes":{"currentModeId":"plan","availableModes":[]}}}');
    expect(scene.transcript.session).toMatchObject({ sessionId: 's9', cwd: '/old', modeId: 'plan' });
  });

  it('TR56: options replace the whole list; flat and grouped values, booleans, either spelling of ids', () => {
    const configOptions = [
      {
        configId: 'model',
        name: 'Model',
        category: 'model',
        type: 'select',
        currentValue: 'a',
        options: [{ group: 'g', name: 'Group', options: [{ value: 'a', name: 'A' }] }],
      },
      { id: 'fast', name: 'Fast', type: 'boolean', currentValue: true },
      { id: 'odd', name: 'Odd', type: 'slider', currentValue: 3 },
      { name: 'no id' },
    ];
    const { session } = new Scene().note('session_config_captured', { configOptions }).transcript;
    expect(session.configOptions).toEqual([
      {
        id: 'model',
        name: 'Model',
        category: 'model',
        type: 'select',
        value: 'a',
        options: [{ id: 'a', name: 'A', group: 'Group' }],
      },
      { id: 'fast', name: 'Fast', category: undefined, type: 'boolean', value: true, options: [] },
      { id: 'odd', name: 'Odd', category: undefined, type: 'slider', value: undefined, options: [] },
    ]);
    expect(session).toMatchObject({ modelId: 'a', models: [{ id: 'a', name: 'A' }] });
  });

  it('TR56: of two options with a category the one named like it is meant', () => {
    const configOptions = [
      select('provider', 'p', ['p'], { category: 'model' }),
      select('model', 'm', ['m'], { category: 'model' }),
    ];
    expect(new Scene().note('session_config_captured', { configOptions }).transcript.session.modelId).toBe('m');
  });

  it('TR57: a mode, model or option that changes is one notice, told twice or not', () => {
    const options = (mode: string, effort: string) => [
      select('mode', mode, ['ask', 'auto'], { category: 'mode' }),
      select('effort', effort, ['low', 'high']),
    ];
    const scene = new Scene().note('session_config_captured', { configOptions: options('ask', 'low') }).prompt();
    expect(scene.all('notice')).toEqual([]);
    scene.update({ sessionUpdate: 'config_option_update', configOptions: options('auto', 'high') });
    scene.update({ sessionUpdate: 'config_option_update', configOptions: options('auto', 'high') });
    scene.update({ sessionUpdate: 'current_mode_update', currentModeId: 'auto' });
    expect(scene.all('notice').map(({ topic, text }) => [topic, text])).toEqual([
      ['mode', 'Mode: ASK → AUTO'],
      ['config', 'effort: LOW → HIGH'],
    ]);
    expect(scene.turns).toHaveLength(1);
  });

  it('TR57: current_mode_update in either spelling; a mode not in the list is shown as it is', () => {
    const scene = new Scene().prompt().update({ sessionUpdate: 'current_mode_update', currentModeId: 'a' });
    expect(scene.transcript.session.modeId).toBe('a');
    expect(scene.update({ sessionUpdate: 'current_mode_update', modeId: 'zz' }).transcript.session.modeId).toBe('zz');
    expect(scene.the('notice').text).toBe('Mode: a → zz');
  });

  it('TR58: set_mode, set_model and set_config_option hold when their request succeeded, and only then', () => {
    const scene = new Scene().prompt().answer();
    const set = (id: number, method: string, params: object, answer: object) => {
      scene.harness.write({ jsonrpc: '2.0', id, method, params: { sessionId: 's', ...params } });
      scene.harness.read({ jsonrpc: '2.0', id, ...answer });
      return scene.transcript.session;
    };
    expect(set(2, 'session/set_mode', { modeId: 'plan' }, { result: {} }).modeId).toBe('plan');
    expect(set(3, 'session/set_mode', { modeId: 'no' }, { error: { code: -32602, message: 'no' } }).modeId).toBe(
      'plan',
    );
    expect(set(4, 'session/set_model', { modelId: 'big' }, { result: {} }).modelId).toBe('big');
    const configOptions = [select('effort', 'low', ['low', 'high'])];
    expect(
      set(5, 'session/set_config_option', { configId: 'effort', value: 'low' }, { result: { configOptions } })
        .configOptions,
    ).toMatchObject([{ id: 'effort', value: 'low' }]);
    expect(
      set(6, 'session/set_config_option', { configId: 'effort', value: 'high' }, { result: {} }).configOptions,
    ).toMatchObject([{ value: 'high' }]);
  });

  it('TR59: title: null clears, absent keeps, an update with only _meta changes nothing', () => {
    const title = (scene: Scene) => scene.transcript.session.title;
    const scene = new Scene().update({ sessionUpdate: 'session_info_update', title: 'Fix it' });
    expect(title(scene.update({ sessionUpdate: 'session_info_update', _meta: { codex: 1 } }))).toBe('Fix it');
    expect(title(scene.update({ sessionUpdate: 'session_info_update', updatedAt: 'x' }))).toBe('Fix it');
    expect(title(scene.update({ sessionUpdate: 'session_info_update', title: null }))).toBeUndefined();
    expect(scene.turns).toEqual([]);
  });

  it('TR60: usage: what is null, missing or no number is not reported, the last cost stands, and no row is made', () => {
    const usage = (update: object) =>
      scene.update({ sessionUpdate: 'usage_update', ...update }).transcript.session.usage;
    const scene = new Scene();
    expect(usage({ used: 10, size: 200_000 })).toEqual({ used: 10, size: 200_000, cost: undefined });
    expect(usage({ used: 20, size: 1_000_000, cost: { amount: 0.5, currency: 'USD' } })).toMatchObject({
      cost: { amount: 0.5, currency: 'USD' },
    });
    expect(usage({ used: null, size: 0 })).toEqual({
      used: undefined,
      size: 0,
      cost: { amount: 0.5, currency: 'USD' },
    });
    expect(usage({ used: -3, size: 'many', cost: null })).toEqual({
      used: undefined,
      size: undefined,
      cost: { amount: 0.5, currency: 'USD' },
    });
    expect(scene.turns).toEqual([]);
  });

  it('HA220: what goose tells of usage in a notification of its own fills the same meter, and makes no row', () => {
    const scene = new Scene();
    const tell = (update: object) => {
      scene.harness.read({
        jsonrpc: '2.0',
        method: '_goose/unstable/session/update',
        params: { sessionId: 's', update },
      });
      return scene.transcript.session.usage;
    };
    const usage = { sessionUpdate: 'usage_update', used: 50, contextLimit: 200, accumulatedInputTokens: 40 };
    expect(tell({ ...usage, accumulatedCost: 0.42 })).toEqual({
      used: 50,
      size: 200,
      cost: { amount: 0.42, currency: 'USD' },
    });
    expect(tell({ ...usage, used: 60, accumulatedCost: null })).toMatchObject({ used: 60, cost: { amount: 0.42 } });
    expect(tell({ sessionUpdate: 'status_message', used: 1 })).toMatchObject({ used: 60 });
    expect(scene.turns).toEqual([]);
  });

  it('TR61: commands replace the whole list, before any turn and in one', () => {
    const availableCommands = [
      { name: 'plan', description: 'Plan', input: { hint: 'what' } },
      { name: 'mcp', input: null },
      { description: 'no name' },
    ];
    const scene = new Scene().update({ sessionUpdate: 'available_commands_update', availableCommands });
    expect(scene.transcript.session.commands).toEqual([
      { name: 'plan', description: 'Plan', hint: 'what' },
      { name: 'mcp', description: '' },
    ]);
    expect(
      scene.update({ sessionUpdate: 'available_commands_update', availableCommands: [] }).transcript.session.commands,
    ).toEqual([]);
  });

  it('TR62: a new session in the same channel starts without the settings of the last, and says so', () => {
    const scene = new Scene().note('session_resolved', { sessionId: 'one', isNewSession: true });
    scene
      .note('session_config_captured', { modes: { currentModeId: 'ask', availableModes: [] } })
      .prompt()
      .answer();
    scene.note('session_resolved', { sessionId: 'two', isNewSession: true });
    expect(scene.transcript.session).toMatchObject({ sessionId: 'two', modeId: undefined });
    expect(scene.the('notice')).toMatchObject({ topic: 'session', text: 'A new session begins' });
  });

  it('TR62: a fork of the session is another conversation', () => {
    const scene = new Scene().note('session_resolved', { sessionId: 's', isNewSession: true });
    scene.harness.write({ jsonrpc: '2.0', id: 2, method: 'session/fork', params: { sessionId: 's', cwd: '/x' } });
    scene.harness.read({ jsonrpc: '2.0', id: 2, result: { sessionId: 'child', modes: { currentModeId: 'm' } } });
    expect(scene.transcript.session).toMatchObject({ sessionId: 's', modeId: undefined, cwd: '/srv/dev' });
    expect(scene.turns).toEqual([]);
  });

  it('TR62: an update for another session than the channel’s is shown all the same', () => {
    const scene = new Scene().note('session_resolved', { sessionId: 'one', isNewSession: true }).prompt();
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'child' } };
    scene.harness.read({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'other', update } });
    expect(scene.outline()).toEqual(['user: do it', 'agent: child']);
  });

  it('TR63: replayed history is one counted notice, and only its session state holds', () => {
    const scene = new Scene().prompt().says('live').answer();
    const replayed = { replayed: true } as const;
    scene.update({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'old' } }, replayed);
    scene.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'old' } }, replayed);
    scene.update({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' }, replayed);
    expect(scene.outline(0)).toEqual(['user: do it', 'agent: live']);
    expect(scene.all('notice').map(({ topic, text }) => [topic, text])).toEqual([
      ['replay', '2 lines of earlier history repeated by the agent'],
    ]);
    expect(scene.fold.transcript(CHANNEL).session.modeId).toBe('plan');
  });

  it('TR157: where the messages of the history have ids, what comes among them without one is said now', () => {
    const replayed = { replayed: true } as const;
    const says = (text: string, messageId?: string) => ({
      sessionUpdate: 'agent_message_chunk',
      messageId,
      content: { type: 'text', text },
    });
    const named = new Scene().update(says('old', 'm'), replayed).update(says('Config warning: x'), replayed);
    expect(named.outline(0)).toEqual(['notice', 'agent: Config warning: x']);
    expect(named.the('notice').text).toBe('1 line of earlier history repeated by the agent');
    const unnamed = new Scene().update(says('old'), replayed).update(says('older'), replayed);
    expect(unnamed.outline(0)).toEqual(['notice']);
  });
});
