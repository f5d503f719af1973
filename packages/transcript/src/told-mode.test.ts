import { describe, expect, it } from 'vitest';
import { Scene } from './testing/scene.ts';

const modes = ['default', 'autoEdit', 'yolo'].map((id) => ({ id, name: id }));

/** An agent of this name that has said something, with its turn over or open. */
function scene(name: string, isOver = true): Scene {
  const told = new Scene();
  told.harness.read({ jsonrpc: '2.0', id: 1, result: {} });
  told.harnessNote('agent_initialized', {
    agentIndex: 0,
    initializeResult: { protocolVersion: 1, agentInfo: { name } },
  });
  told.note('session_config_captured', { modes: { currentModeId: 'default', availableModes: modes } });
  told.prompt().says('done');
  return isOver ? told.answer() : told;
}

const asks = (told: Scene, modeId: string) =>
  told.harness.write({ jsonrpc: '2.0', id: 900, method: 'session/set_mode', params: { sessionId: 's', modeId } });

describe('a mode told in the text of a message', () => {
  it('TR121: is the mode and one notice, not words glued onto the finished answer', () => {
    const told = scene('gemini-cli');
    asks(told, 'autoEdit');
    told.says('[MODE_UPDATE] autoEdit');
    told.harness.read({ jsonrpc: '2.0', id: 900, result: {} });
    expect(told.transcript.session.modeId).toBe('autoEdit');
    expect(told.outline(0)).toEqual(['user: do it', 'agent: done']);
    expect(told.all('notice').map(({ text }) => text)).toEqual(['Mode: default → autoEdit']);
    told.says('[MODE_UPDATE] yolo');
    expect(told.transcript.session.modeId).toBe('yolo');
  });

  it('TR121: in a turn it is words, unless that very mode is asked for', () => {
    const told = scene('gemini-cli', false).says('[MODE_UPDATE] yolo');
    expect(told.transcript.session.modeId).toBe('default');
    expect(told.outline(0)).toEqual(['user: do it', 'agent: done[MODE_UPDATE] yolo']);
    asks(told, 'autoEdit');
    told.says('[MODE_UPDATE] yolo').says('[MODE_UPDATE] autoEdit');
    expect(told.transcript.session.modeId).toBe('autoEdit');
  });

  it.each([
    ['another agent', 'codex', '[MODE_UPDATE] yolo'],
    ['a mode nobody offers', 'gemini-cli', '[MODE_UPDATE] root'],
    ['words around it', 'gemini-cli', 'see [MODE_UPDATE] yolo'],
    ['two of them', 'gemini-cli', '[MODE_UPDATE] yolo yolo'],
  ])('TR121: %s: words', (_, name, words) => {
    const told = scene(name).says(words);
    expect(told.transcript.session.modeId).toBe('default');
    expect(told.outline(0)).toEqual(['user: do it', `agent: done${words}`]);
  });
});
