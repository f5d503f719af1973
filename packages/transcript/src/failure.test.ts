import { describe, expect, it } from 'vitest';
import { Scene } from './testing/scene.ts';

describe('errors', () => {
  it('TR64: an error for an answer to the prompt ends the turn as failed, with code, message and what data says', () => {
    const scene = new Scene()
      .prompt()
      .refuse({ code: -32603, message: 'Internal error', data: { details: '401 Invalid key' } });
    expect(scene.turn()).toMatchObject({ status: 'ended', outcome: 'failed' });
    expect(scene.the('error')).toMatchObject({
      outcome: 'rpc',
      code: -32603,
      message: 'Internal error: 401 Invalid key',
    });
    expect(scene.the('error').late).toBeUndefined();
  });

  it.each([
    [{ message: 'a', data: 'b' }, 'a: b'],
    [{ message: 'a b', data: 'b' }, 'a b'],
    [{ message: 'a', data: { message: 'b' } }, 'a: b'],
    [{ message: 'a', data: [1] }, 'a'],
    [{ code: 1 }, '{"code":1}'],
    ['just text', '"just text"'],
    [null, 'null'],
  ])('TR64: %j reads “%s”', (error, message) => {
    expect(
      new Scene()
        .prompt()
        .refuse(error as object)
        .the('error').message,
    ).toBe(message);
  });

  it('TR65: the harness’s turn_error and the agent’s error answer are one row: its outcome and hint, the agent’s words', () => {
    const error = { code: -32000, message: 'Authentication required' };
    const told = { outcome: 'auth', error: 'not logged in', code: -32000, hint: 'Log in with `agent login`.' };
    const row = {
      outcome: 'auth',
      code: -32000,
      message: 'Authentication required',
      hint: 'Log in with `agent login`.',
    };
    const after = new Scene().prompt().refuse(error);
    after.note('turn_error', told, { turnId: after.turn().id });
    expect(after.the('error')).toMatchObject(row);
    expect(new Scene().prompt().note('turn_error', told).refuse(error).the('error')).toMatchObject(row);
  });

  it('TR65: a turn_error alone is a row in its turn and does not end it', () => {
    const scene = new Scene({ told: true })
      .prompt()
      .note('turn_error', { outcome: 'idle_timeout', error: 'silent for 900 s', hint: 'h' });
    expect(scene.turn().status).toBe('open');
    expect(scene.the('error')).toMatchObject({
      outcome: 'idle_timeout',
      message: 'silent for 900 s',
      hint: 'h',
      code: undefined,
    });
    scene.note('turn_error', { outcome: 'cancel_drain_timeout', error: 'still running' });
    expect(scene.all('error').map(({ outcome }) => outcome)).toEqual(['idle_timeout', 'cancel_drain_timeout']);
  });

  it('TR66: a line that is no JSON is shown as text, its detail bounded, and the next line is read', () => {
    const scene = new Scene().prompt();
    scene.harness.read(`Migrating… ${'x'.repeat(10_000)}`);
    expect(scene.says('ok').outline()).toEqual(['user: do it', 'error', 'agent: ok']);
    expect(scene.the('error')).toMatchObject({ outcome: 'parse' });
    expect(scene.the('error').detail).toHaveLength(4_097);
  });

  it('TR66: a write that failed, and an error about no request of ours, are rows; answers to nothing are not', () => {
    const scene = new Scene().prompt().note('acp_write_failed', { line: '{"id":1}', error: 'EPIPE' });
    scene.harness.read('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}');
    scene.harness.read('{"jsonrpc":"2.0","error":{"code":-32700,"message":"no id"}}');
    scene.harness.read('{"jsonrpc":"2.0","id":777,"error":{"code":1,"message":"orphan"}}');
    scene.harness.read('{"jsonrpc":"2.0","id":778,"result":{}}');
    expect(scene.all('error').map(({ outcome, message }) => [outcome, message])).toEqual([
      ['write', 'EPIPE'],
      ['rpc', 'Parse error'],
      ['rpc', 'no id'],
    ]);
  });
});

describe('errors outside turns', () => {
  it('TR66: a session that cannot be loaded is an error beside the turns, not a late line of the last one', () => {
    const scene = new Scene().prompt().answer();
    scene.harness.write({ jsonrpc: '2.0', id: 2, method: 'session/load', params: { sessionId: 's', cwd: '/x' } });
    scene.harness.read({ jsonrpc: '2.0', id: 2, error: { code: -32002, message: 'no such session' } });
    expect(scene.turn(0).items).toHaveLength(1);
    expect(scene.turn()).toMatchObject({ source: 'none', items: [{ kind: 'error', message: 'no such session' }] });
    expect(scene.the('error').late).toBeUndefined();
  });
});

describe('what nobody knows', () => {
  it('TR67: unknown updates, methods and observer kinds are raw rows; a vendor’s own methods are not', () => {
    const scene = new Scene().prompt().update({ sessionUpdate: 'made_up', x: 1 });
    scene.harness.read({ jsonrpc: '2.0', method: 'other/notify', params: { sessionId: 's' } });
    scene.harness.read({ jsonrpc: '2.0', id: 3, method: 'other/drain', params: { sessionId: 's' } });
    scene.harness.read({ jsonrpc: '2.0', method: '_vendor/thing', params: { sessionId: 's' } });
    scene.harness.read({ jsonrpc: '2.0', id: 4, method: 'fs/read_text_file', params: { sessionId: 's', path: '/a' } });
    scene.harness.read('{"neither":"this nor that"}');
    scene.note('brand_new_kind', { a: 1 });
    expect(scene.all('raw').map(({ label }) => label)).toEqual([
      'made_up',
      'other/notify',
      'other/drain',
      'acp_read',
      'brand_new_kind',
    ]);
    expect(scene.all('raw')[0]?.json).toContain('"sessionUpdate":"made_up"');
  });

  it('TR122: qwen’s own methods, which lack the underscore, are no rows; others’ are', () => {
    const scene = new Scene().prompt();
    const line = { jsonrpc: '2.0', params: { sessionId: 's' } };
    scene.harness.read({ ...line, id: 7, method: 'craft/drainMidTurnQueue' });
    scene.harness.read({ ...line, method: 'qwen/notify/session/mode-update' });
    expect(scene.outline()).toEqual(['user: do it']);
    scene.harness.read({ ...line, method: 'qwenish/notify' });
    expect(scene.outline()).toEqual(['user: do it', 'raw']);
  });

  it('TR67: an elided line is shown as what is left of it', () => {
    const scene = new Scene()
      .prompt()
      .note('acp_elided', { of: 'acp_read', bytes: 20_000_000, sha256: 'x', head: '{', tail: '}' });
    expect(scene.the('raw')).toMatchObject({ label: 'acp_elided' });
  });

  it('TR68: the messages of a top-level array are read one by one', () => {
    const scene = new Scene().prompt();
    const update = (text: string) => ({
      method: 'session/update',
      params: {
        sessionId: 's',
        update: { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text } },
      },
    });
    scene.harness.read([
      update('a'),
      update('b'),
      4,
      { method: 'session/update', params: { update: { sessionUpdate: 'zz' } } },
    ]);
    expect(scene.outline()).toEqual(['user: do it', 'agent: ab', 'raw', 'raw']);
    expect(new Set(scene.turn().items.map(({ id }) => id)).size).toBe(4);
    expect(new Scene().prompt().note('acp_read', '[]').outline()).toEqual(['user: do it']);
  });
});
