import { describe, expect, it } from 'vitest';
import { Scene } from './testing/scene.ts';

const tool = (rest: object = {}) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...rest });
const terminal = { content: [{ type: 'terminal', terminalId: 'x' }] };
const base64 = (bytes: readonly number[]) => btoa(String.fromCharCode(...bytes));

describe('terminals', () => {
  it('TR40: a vendor’s terminal in _meta: output adds up, exit is kept', () => {
    const scene = new Scene().prompt().update(tool({ title: 'ls', _meta: { terminal_info: { terminal_id: 't' } } }));
    expect(scene.the('tool').terminal).toEqual({ output: '', exitCode: undefined, signal: undefined });
    scene
      .update(tool({ _meta: { terminal_output_delta: { data: 'a\n' } } }))
      .update(tool({ _meta: { terminal_output: { data: 'b\n' } } }));
    scene.update(tool({ _meta: { terminal_exit: { exit_code: 3, signal: null } } }));
    expect(scene.the('tool').terminal).toEqual({ output: 'a\nb\n', exitCode: 3, signal: undefined });
  });

  it('TR41: v2: base64 chunks may cut a character; a whole output replaces; exit comes last', () => {
    const scene = new Scene({ version: 2 })
      .prompt()
      .update({ sessionUpdate: 'terminal_update', terminalId: 'x', command: 'ls' });
    scene.update(tool({ title: 'ls', ...terminal }));
    const [first = 0, ...rest] = new TextEncoder().encode('é🚀');
    scene.update({ sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: base64([0x61, first]) });
    expect(scene.the('tool').terminal?.output).toBe('a');
    scene.update({ sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: base64(rest) });
    expect(scene.the('tool').terminal?.output).toBe('aé🚀');
    scene.update({
      sessionUpdate: 'terminal_update',
      terminalId: 'x',
      output: { data: btoa('whole') },
      exitStatus: { exitCode: 0, signal: null },
    });
    expect(scene.the('tool').terminal).toEqual({ output: 'whole', exitCode: 0, signal: undefined });
  });

  it('TR41: output that comes before the call that shows it is kept for it', () => {
    const scene = new Scene({ version: 2 })
      .prompt()
      .update({ sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: btoa('early') });
    expect(scene.update(tool({ title: 'ls', ...terminal })).the('tool').terminal?.output).toBe('early');
  });

  it('TR42: v1: what the client answers to terminal/output and terminal/wait_for_exit', () => {
    const scene = new Scene().prompt();
    const asks = (id: number, method: string, params: object) =>
      scene.harness.read({ jsonrpc: '2.0', id, method, params: { sessionId: 's', ...params } });
    const answers = (id: number, result: object) => scene.harness.write({ jsonrpc: '2.0', id, result });
    asks(0, 'terminal/create', { command: 'ls' });
    answers(0, { terminalId: 'x' });
    scene.update(tool({ title: 'ls', ...terminal }));
    asks(1, 'terminal/output', { terminalId: 'x' });
    answers(1, { output: 'part', truncated: false });
    asks(2, 'terminal/output', { terminalId: 'x' });
    answers(2, { output: 'part two', truncated: false, exitStatus: null });
    asks(3, 'terminal/wait_for_exit', { terminalId: 'x' });
    answers(3, { exitCode: null, signal: 'SIGTERM' });
    expect(scene.the('tool').terminal).toEqual({ output: 'part two', exitCode: undefined, signal: 'SIGTERM' });
  });

  it('TR42: a terminal nobody knows of leaves its placeholder, and the update is not lost', () => {
    const item = new Scene()
      .prompt()
      .update(tool({ title: 'ls', status: 'in_progress', ...terminal }))
      .the('tool');
    expect(item).toMatchObject({
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId: 'x' }],
      terminal: undefined,
    });
  });
});
