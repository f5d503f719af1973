import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentLife } from './agent-life.ts';
import { chosen } from './chosen-agents.ts';
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
    await life.mirrorsTee();
  });
});
