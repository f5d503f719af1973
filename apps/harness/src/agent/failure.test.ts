import { describe, expect, test } from 'vitest';
import { authHint, exitedEarly, isAuthError, refusedStart, tooSlow } from './failure.ts';
import { refuseContent } from './prompt-content.ts';

const agent = { command: ['gemini', '--acp'], cwd: '/work' };

describe('what people are told', () => {
  test('HA32: an early exit names code or signal, the step, the last words and what to try', () => {
    const { message } = exitedEarly(agent, { code: 3, signal: null }, 'initialize', 'no model');
    expect(message).toBe(
      'the agent "gemini --acp" exited with code 3 before it answered initialize. Its last words on stderr: no model Run that command in /work to see why.',
    );
    expect(exitedEarly(agent, { code: null, signal: 'SIGKILL' }, 'session/new', '').message).toContain(
      'was ended by SIGKILL',
    );
  });

  test('HA32: silence and noise are told apart', () => {
    expect(tooSlow(agent, 'initialize', 60_000, 0).message).toContain('within 60 s (it wrote nothing)');
    expect(tooSlow(agent, 'initialize', 60_000, 17).message).toContain('it wrote 17 bytes that are no answer');
  });

  test('HA32: a missing login is told as that, with the ways the agent offers', () => {
    const answer = { type: 'error' as const, code: -32000, message: 'Authentication required', data: undefined };
    expect(isAuthError(answer)).toBe(true);
    const failure = refusedStart(agent, 'session/new', answer, {
      authMethods: [{ name: 'Log in with a browser' }, null],
    });
    expect(failure).toMatchObject({ code: 'auth', rpcCode: -32000 });
    expect(failure.message).toContain('Log in with a browser');
    expect(authHint(agent, undefined)).not.toContain('offers');
    expect(refusedStart(agent, 'session/new', { ...answer, code: -32603, message: 'no' }, {}).code).toBe('refused');
  });

  test.each([
    ['claude', -32000, 'Authentication required', undefined],
    ['a relative', -32001, 'log in', undefined],
    ['gemini', 401, '{"error":{"code":401,"status":"UNAUTHENTICATED"}}', undefined],
    ['zcodex', -32603, 'Internal error', { message: 'unexpected status 401 Unauthorized: Invalid API key' }],
    ['opencode', -32603, 'Internal error: Invalid API key (mock 401)', { errorName: 'APIError' }],
    ['qwen', -32603, 'Internal error', { details: '401 Invalid API key (mock 401)' }],
    ['a proxy', -32603, 'HTTP 403', undefined],
  ])('HA82: a refused login of %s is known as one', (_, code, message, data) => {
    expect(isAuthError({ type: 'error', code, message, data })).toBe(true);
  });

  test.each([
    ['a line number', -32603, 'parse error in main.ts, line 401', undefined],
    ['a count', -32603, 'Internal error', { details: 'read 403 bytes' }],
    ['a limit', 429, 'Too many requests', undefined],
  ])('HA82: %s is no refused login', (_, code, message, data) => {
    expect(isAuthError({ type: 'error', code, message, data })).toBe(false);
  });

  test('HA82: the hint names the command that logs this agent in', () => {
    expect(authHint({ command: ['x'], cwd: '/' }, { agentInfo: { name: 'codex-acp' } })).toContain('`codex login`');
    expect(authHint(agent, undefined)).toContain('`gemini (then /auth)`');
    expect(authHint({ command: ['mine'], cwd: '/' }, {})).toContain("the agent's own command");
  });
});

describe('prompt content', () => {
  test('HA25: text and links always go; the rest needs the capability the agent named', () => {
    const able = { agentCapabilities: { promptCapabilities: { image: true } } };
    expect(
      refuseContent(
        [
          { type: 'text', text: 'x' },
          { type: 'resource_link', uri: 'u', name: 'n' },
        ],
        {},
      ),
    ).toBeUndefined();
    expect(refuseContent([{ type: 'image' }], able)).toBeUndefined();
    expect(refuseContent([{ type: 'image' }], {})).toContain('takes no image');
    expect(refuseContent([{ type: 'resource' }], able)).toContain('takes no resource');
    expect(refuseContent([{ type: 'constructor' }], able)).toContain('no content');
  });
});
