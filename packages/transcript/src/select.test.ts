import { describe, expect, it } from 'vitest';
import {
  selectCounts,
  selectLastActivity,
  selectOpenTurn,
  selectPendingQuestions,
  selectToolOf,
  selectTurnState,
} from './select.ts';
import { Scene } from './testing/scene.ts';

const TOOL = { toolCallId: 't', title: 'Edit x', kind: 'edit' };

describe('selectors', () => {
  it('TR91: what a turn is doing, in a word', () => {
    const scene = new Scene().prompt();
    const state = () => selectTurnState(scene.turn());
    expect(state()).toBe('working');
    scene.ask(0, TOOL);
    expect(state()).toBe('asking');
    scene.cancel();
    expect(state()).toBe('cancelling');
    scene.decide(0, { outcome: 'cancelled' }).answer({ stopReason: 'cancelled' });
    expect(state()).toBe('cancelled');
    expect(selectTurnState(new Scene().says('x').turn())).toBe('idle');
    expect(selectOpenTurn(scene.transcript)).toBeUndefined();
    expect(selectOpenTurn(scene.prompt().transcript)?.status).toBe('open');
  });

  it('TR92: questions that wait, with and without the reducer’s memory, and the tool they are about', () => {
    const scene = new Scene().prompt().ask(0, TOOL).ask(1, { toolCallId: 'u' }).decide(0, { outcome: 'cancelled' });
    const waiting = selectPendingQuestions(scene.transcript);
    expect(waiting.map(({ turnId, question }) => [turnId, question.rpcId])).toEqual([[scene.turn().id, '1']]);
    const { carry: _, ...bare } = scene.transcript;
    expect(selectPendingQuestions(bare)).toEqual(waiting);
    expect(scene.all('permission').map((permission) => selectToolOf(scene.transcript, permission)?.toolCallId)).toEqual(
      ['t', 'u'],
    );
  });

  it('TR92: counts and last activity', () => {
    const scene = new Scene()
      .prompt()
      .says('a')
      .update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', status: 'failed' });
    scene.ask(0, TOOL).answer().note('acp_parse_error', { line: 'x', error: 'y', direction: 'read' });
    expect(selectCounts(scene.transcript)).toEqual({
      turns: 1,
      messages: 2,
      tools: 1,
      failedTools: 1,
      permissions: 1,
      errors: 1,
      missing: 0,
    });
    expect(selectLastActivity(scene.transcript)).toBe(scene.harness.events.at(-1)?.timestamp);
    expect(selectLastActivity(new Scene().fold.transcript('none'))).toBeUndefined();
  });
});
