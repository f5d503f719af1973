import type { TurnCompleted } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

describe('turns', () => {
  test('HA1: a prompt goes to the agent, its answer comes back as the exact lines, in one turn', async () => {
    const harness = await stage.harness();
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'one two three');
    const { payload } = await viewer.until('the end of the turn', () => viewer.find<TurnCompleted>('turn_completed'));
    expect(payload).toMatchObject({ outcome: 'completed', stopReason: 'end_turn', usage: { totalTokens: 8 } });
  });
});
