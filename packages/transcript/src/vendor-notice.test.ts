import { describe, expect, it } from 'vitest';
import { Scene } from './testing/scene.ts';

const noticed = (scene: Scene) => scene.all('notice').map(({ topic, severity, text }) => [topic, severity, text]);
const info = (codex: object, more: object = {}) => ({
  sessionUpdate: 'session_info_update',
  ...more,
  _meta: { codex },
});

describe('what an agent’s program says of itself', () => {
  it('TR151: claude’s informational chunks are notices with their level, not more of the answer', () => {
    const scene = new Scene()
      .prompt()
      .says('End.', 'm')
      .update({
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'text', text: '**Warning:** we change **auto** mode' },
        _meta: { claudeCode: { kind: 'informational', level: 'warning' } },
      });
    expect(scene.outline()).toEqual(['user: do it', 'agent: End.', 'notice']);
    expect(noticed(scene)).toEqual([['notice', 'warning', 'Warning: we change **auto** mode']]);
  });

  it.each([
    ['another kind', { claudeCode: { kind: 'speech' } }],
    ['no object', { claudeCode: 'informational' }],
    ['another vendor', { kind: 'informational' }],
  ])('TR151: %s: words', (_, _meta) => {
    const scene = new Scene().prompt();
    scene.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'words' }, _meta });
    expect(scene.outline()).toEqual(['user: do it', 'agent: words']);
  });

  it('TR151: informational content that is no text stays what it is', () => {
    const content = { type: 'image', data: 'AA', mimeType: 'image/png' };
    const _meta = { claudeCode: { kind: 'informational' } };
    const scene = new Scene().prompt().update({ sessionUpdate: 'agent_message_chunk', content, _meta });
    expect(scene.outline()).toEqual(['user: do it', 'agent: [image]']);
  });

  it('TR152: codex’s retries and failures are told while they last; its other states are no rows', () => {
    const scene = new Scene().prompt().says('a', 'm');
    scene.update(info({ threadStatus: { type: 'active', activeFlags: ['waitingOnApproval'] } }, { title: 'A title' }));
    expect(noticed(scene)).toEqual([]);
    scene.update(info({ error: { message: 'Reconnecting... 1/1', additionalDetails: 'Overloaded', willRetry: true } }));
    scene.update(info({ error: { message: 'Gave up', willRetry: false } })).says('b', 'm');
    scene.update(info({ threadStatus: { type: 'systemError' } })).update(info({ threadStatus: 3, error: null }));
    expect(noticed(scene)).toEqual([
      ['notice', 'warning', 'Reconnecting... 1/1: Overloaded'],
      ['notice', 'error', 'Gave up'],
      ['notice', 'error', 'Codex says that it cannot go on (system error)'],
    ]);
    expect(scene.transcript.session.title).toBe('A title');
    expect(scene.outline()).toContain('agent: ab');
  });
});
