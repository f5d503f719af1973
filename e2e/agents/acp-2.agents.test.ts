import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { payloadOf, type SessionResolved } from '@heliograph/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentLife } from './agent-life.ts';
import { agents } from './agents.ts';
import { chosen } from './chosen-agents.ts';
import { switchesModel } from './model-switch.ts';
import { GREETING } from './script.ts';
import { itemsOf, spoken } from './turn-words.ts';

// The draft of ACP 2, with the agents that speak it.

const speakers = chosen.filter((name) => name === 'claude' || name === 'codex');

describe.each(speakers)('%s in ACP 2', (name) => {
  let life: AgentLife;
  beforeAll(async () => {
    life = await AgentLife.begin(name, { args: ['--acp', '2'] });
  });
  afterAll(() => life?.end());

  test('HA164: a turn ends by its state with all that was said, and an allowed edit is made', async () => {
    const turn = await life.owner.play('text');
    expect(life.owner.session().protocolVersion).toBe(2);
    expect(turn).toMatchObject({ outcome: 'completed' });
    expect(spoken(turn, 'agent')).toBe(life.said('text'));
    const turnId = await life.owner.prompt('edit');
    const asked = await life.owner.asked(turnId);
    expect(await life.owner.decide(asked, 'allow_once')).toMatchObject({ status: 'applied' });
    const edited = await life.owner.ended(turnId);
    expect(edited).toMatchObject({ outcome: 'completed' });
    expect(itemsOf(edited, 'tool').find(({ toolCallId }) => toolCallId === asked.toolCallId)?.status).toBe('completed');
    expect(readFileSync(join(life.stage.cwd, GREETING.file), 'utf8')).toBe(GREETING.after);
  });

  test('AG26: a cancel ends a streaming turn and one whose permission waits, once each, and the session goes on', async () => {
    for (const isAsking of [false, true]) {
      const turnId = await life.owner.prompt(isAsking ? 'restore' : 'endless');
      if (isAsking) await life.owner.asked(turnId);
      else await life.owner.hasSaid(turnId, 'word 10 ');
      expect(await life.owner.cancel(turnId)).toMatchObject({ status: 'cancelled', turnId });
      const turn = await life.owner.ended(turnId);
      expect(turn).toMatchObject({ outcome: 'cancelled', stopReason: 'cancelled' });
      expect(life.owner.events('turn_completed').filter((event) => event.turnId === turnId)).toHaveLength(1);
      if (isAsking) {
        expect(itemsOf(turn, 'tool').map(({ status }) => status)).toEqual(['completed', 'cancelled']);
        expect(itemsOf(turn, 'permission')).toMatchObject([{ state: 'decided', decision: { reason: 'cancelled' } }]);
      } else {
        expect(itemsOf(turn, 'tool')).toEqual([]);
        expect(life.said('endless').startsWith(spoken(turn, 'agent'))).toBe(true);
        await expect.poll(() => life.lastRequest('endless')?.aborted).toBe(true);
      }
      const next = await life.owner.play('text');
      expect(next).toMatchObject({ outcome: 'completed' });
      expect(spoken(next, 'agent')).toBe(life.said('text'));
    }
    expect(readFileSync(join(life.stage.cwd, GREETING.file), 'utf8')).toBe(GREETING.after);
  });

  test('AG28: restarted by its owner it opens its session again (session/resume), and the model hears what was said', async () => {
    const resolved = () => life.owner.events('session_resolved').map((event) => payloadOf<SessionResolved>(event));
    expect(await life.watcher.control({ type: 'restart_agent' })).toMatchObject({ status: 'applied' });
    const turn = await life.owner.play('think');
    expect(spoken(turn, 'agent')).toBe(life.said('think'));
    expect(JSON.stringify(life.lastRequest('think')?.body)).toContain('Light carries far');
    const [first, second, ...others] = resolved();
    expect(others).toEqual([]);
    expect(second).toMatchObject({ sessionId: first?.sessionId, isNewSession: false });
    expect(life.rawLines().filter(({ label }) => label === 'session/resume')).toHaveLength(1);
  });

  test(`AG27: the model is switched to ${agents[name].abilities.model.to} and back, and each is asked`, () =>
    switchesModel(life));

  test('AG6: the raw lines equal what the tee saw, both ways', async () => {
    await life.mirrorsTee();
    expect(life.watcher.warnings).toEqual([]);
  });
});
