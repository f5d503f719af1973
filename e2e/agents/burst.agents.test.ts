import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentLife } from './agent-life.ts';
import { chosen } from './chosen-agents.ts';
import { BURST } from './script.ts';
import { spoken } from './turn-words.ts';
import { type Watcher, watch } from './watcher.ts';

// Twenty thousand words as fast as the agent takes them.

describe.each(chosen)('%s', (name) => {
  let life: AgentLife;
  let late: Watcher | undefined;

  beforeAll(async () => {
    life = await AgentLife.begin(name);
    await life.owner.play('text');
  });
  afterAll(async () => {
    late?.close();
    await life?.end();
  });

  test(`AG22: a burst of ${BURST} words arrives complete, also where somebody joins in the middle of it`, async () => {
    const { channelId } = life.mirrored;
    const turnId = await life.owner.prompt('burst');
    await life.watcher.until(
      'first thousand',
      () => spoken(life.owner.turn(turnId), 'agent').includes(' 1000 ') || undefined,
    );
    late = await watch(life.mirrored, 'late');
    const turn = await life.owner.ended(turnId);
    expect(turn).toMatchObject({ outcome: 'completed', stopReason: 'end_turn' });
    expect(spoken(turn, 'agent')).toBe(life.said('burst'));
    for (const watcher of [life.watcher, late]) {
      await life.mirrorsTee(watcher);
      expect(watcher.warnings).toEqual([]);
    }
    expect(late.fold.transcript(channelId).turns).toEqual(life.watcher.fold.transcript(channelId).turns);
  });
});
