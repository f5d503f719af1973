import { describe, expect, test } from 'vitest';
import { LoginTrouble } from './login-trouble.ts';

function stderr() {
  let text = '';
  return {
    say: (more: string) => {
      text += more;
    },
    get length() {
      return text.length;
    },
    since: (from: number) => text.slice(from),
  };
}

describe('a refused login', () => {
  test('HA200: the newest line of stderr that tells it, without the secret in it; not what was said before the turn', () => {
    const pipe = stderr();
    pipe.say('HTTP 401 of an earlier turn\n');
    const login = new LoginTrouble(pipe);
    expect(login.words()).toBeUndefined();
    pipe.say('API Error: 401 Unauthorized, token=abcdef123\n    at line 401\nretrying in 8 s\n');
    expect(login.words()).toBe('API Error: 401 Unauthorized, token=[redacted]');
    pipe.say(`HTTP 403 ${'x'.repeat(1_000)}\n`);
    expect(login.words()).toHaveLength(300);
  });

  test('HA200: once the agent goes on, what it said until a tick before that is over', () => {
    const pipe = stderr();
    const login = new LoginTrouble(pipe);
    pipe.say('HTTP 401\n');
    login.heard();
    expect(login.words()).toBe('HTTP 401');
    login.heard();
    expect(login.words()).toBeUndefined();
  });

  test('HA200: its last update tells it, too, in vendors’ members; an answer that speaks of it is none, and ends it', () => {
    const login = new LoginTrouble(undefined);
    const _meta = { codex: { error: { willRetry: true, codexErrorInfo: { failed: { httpStatusCode: 401 } } } } };
    login.noteUpdate({ sessionUpdate: 'session_info_update', _meta });
    expect(login.words()).toContain('"httpStatusCode":401');
    login.noteUpdate({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'HTTP 401 means …' } });
    expect(login.words()).toBeUndefined();
    for (const odd of [null, 7, {}, { sessionUpdate: {} }]) login.noteUpdate(odd);
    expect(login.words()).toBeUndefined();
  });
});
