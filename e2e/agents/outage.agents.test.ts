import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentLife } from './agent-life.ts';
import { chosen } from './chosen-agents.ts';
import { itemsOf, spoken } from './turn-words.ts';

// The others ask an overloaded model again for minutes.
const givesUpAtOnce = chosen.filter((name) => name === 'codex' || name === 'zcodex');

describe.each(givesUpAtOnce)('%s', (name) => {
  let life: AgentLife;
  beforeAll(async () => {
    life = await AgentLife.begin(name);
  });
  afterAll(() => life?.end());

  test('AG31: a turn whose model does not answer has failed, and the next one goes on', async () => {
    const turn = await life.owner.play('outage');
    expect(turn).toMatchObject({ outcome: 'failed' });
    expect(itemsOf(turn, 'error')).toHaveLength(1);
    const next = await life.owner.play('text');
    expect(next).toMatchObject({ outcome: 'completed' });
    expect(spoken(next, 'agent')).toBe(life.said('text'));
  });
});
