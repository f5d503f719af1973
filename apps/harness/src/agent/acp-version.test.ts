import { describe, expect, test } from 'vitest';
import { asVersion1, chosenVersion, initializeParams, permissionParams, readState } from './acp-version.ts';

describe('versions of ACP', () => {
  test('HA163: version 2 is offered only when it is asked for, each in its own members', () => {
    expect(initializeParams(1, '9')).toEqual({
      protocolVersion: 1,
      clientInfo: { name: 'heliograph', title: 'Heliograph', version: '9' },
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        elicitation: { form: {} },
        _meta: { goose: { customNotifications: true } },
      },
    });
    expect(initializeParams(2, '9')).toEqual({
      protocolVersion: 2,
      info: { name: 'heliograph', title: 'Heliograph', version: '9' },
      capabilities: { elicitation: { form: {} }, _meta: { goose: { customNotifications: true } } },
    });
  });

  test.each([
    [{ protocolVersion: 1 }, 1, 1],
    [{ protocolVersion: 1 }, 2, 1],
    [{ protocolVersion: 2 }, 2, 2],
    [{ protocolVersion: 2 }, 1, undefined],
    [{ protocolVersion: 3 }, 2, undefined],
    [{ protocolVersion: '1' }, 1, undefined],
    [{}, 1, undefined],
    [null, 1, undefined],
    [[1], 1, undefined],
    ['1', 2, undefined],
  ] as const)('HA163: of the answer %j to an offer of %d version %s is spoken', (answer, asked, chosen) => {
    expect(chosenVersion(answer, asked)).toBe(chosen);
  });

  test('HA160: what an agent of version 2 can is read as one of version 1 would say it', () => {
    const said = {
      protocolVersion: 2,
      info: { name: 'a', version: '1' },
      capabilities: { session: { prompt: { image: {}, audio: null }, list: {} }, _meta: { x: 1 } },
      _meta: { steering: { supported: true } },
    };
    expect(asVersion1(said)).toEqual({
      protocolVersion: 2,
      agentInfo: { name: 'a', version: '1' },
      agentCapabilities: {
        promptCapabilities: { image: true, audio: false, embeddedContext: false },
        sessionCapabilities: { prompt: { image: {}, audio: null }, list: {}, resume: {}, close: {} },
        _meta: { x: 1 },
      },
      _meta: { steering: { supported: true } },
    });
    for (const other of [{ protocolVersion: 1, agentInfo: {} }, null, 7, [], undefined])
      expect(asVersion1(other)).toBe(other);
    expect(asVersion1({ protocolVersion: 2, capabilities: 'none' })).toMatchObject({
      agentCapabilities: { promptCapabilities: { image: false } },
    });
  });

  test('HA162: what a permission of version 2 is about stands where version 1 has it', () => {
    const call = { toolCallId: 't', kind: 'edit' };
    expect(permissionParams({ subject: { type: 'tool_call', toolCall: call }, options: [] })).toMatchObject({
      toolCall: call,
    });
    const command = { type: 'command', command: 'rm', cwd: '/', toolCallId: 't' };
    expect(permissionParams({ subject: command })).toMatchObject({
      toolCall: { toolCallId: 't', kind: 'execute', rawInput: { command: 'rm', cwd: '/' } },
    });
    const first = { toolCall: call, options: [] };
    expect(permissionParams(first)).toBe(first);
    for (const odd of [null, 'x', [], {}]) expect(permissionParams(odd)).toBe(odd);
    // Nothing we know: no rule will take it for a tool it allows.
    expect(permissionParams({ subject: 'all' })).toMatchObject({ toolCall: undefined });
  });

  test('HA160: a state says busy or idle, with why, what it cost and what went wrong; one that is not known says nothing', () => {
    const state = (more: object) => readState({ sessionUpdate: 'state_update', ...more });
    expect(state({ state: 'running' })).toEqual({ type: 'busy' });
    expect(state({ state: 'requires_action' })).toEqual({ type: 'busy' });
    expect(state({ state: 'idle', stopReason: 'end_turn', usage: { totalTokens: 3 } })).toEqual({
      type: 'idle',
      stopReason: 'end_turn',
      usage: { totalTokens: 3 },
      error: undefined,
    });
    expect(state({ state: 'idle', stopReason: 7, error: { message: 'away' } })).toMatchObject({
      stopReason: null,
      error: 'away',
    });
    for (const odd of [state({}), state({ state: 'asleep' }), readState({ sessionUpdate: 'plan' }), readState(null)])
      expect(odd).toBeUndefined();
  });
});
