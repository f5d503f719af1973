import type { PermissionTerminal, TurnCompleted } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

describe('the owner restarts the agent', () => {
  test('HA88: in a turn: the turn is killed, and the agent is there again when it is applied', async () => {
    const harness = await stage.harness({ script: 'waits-for-cancel.mjs' });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    await viewer.until('the work', () => viewer.events().find(({ payload }) => payload.includes('"working"')));
    const done = await viewer.ask({ type: 'restart_agent' });
    expect(done.result?.status).toBe('applied');
    expect(viewer.find<TurnCompleted>('turn_completed')?.payload.outcome).toBe('killed');
    const sessions = () => viewer.events(harness.stream).filter(({ kind }) => kind === 'session_resolved');
    await viewer.until('both sessions', () => sessions().length === 2);
  });

  test('HA88: an agent that rests after crashes is started at once', async () => {
    const harness = await stage.harness({ script: 'exits.mjs', agentEnv: { AGENT_EXIT_AT: 'session/prompt' } });
    const viewer = await stage.watch();
    const crashes = () => viewer.events(harness.run).filter(({ kind }) => kind === 'agent_exited');
    for (const count of [1, 2, 3]) {
      viewer.prompt(harness.channelId, 'die');
      await viewer.until(`crash ${count}`, () => crashes().length === count);
    }
    const waiting = viewer.prompt(harness.channelId, 'live');
    await viewer.until('the wait', () => viewer.progress.find((p) => p.requestId === waiting && p.phase === 'done'));
    const done = await viewer.ask({ type: 'restart_agent' });
    expect(done.result?.status).toBe('applied');
    await viewer.until('its answer', () => viewer.events().find(({ payload }) => payload.includes('alive')));
  });
});

test('HA89: a policy set by the owner holds from the next request on, and late viewers are told it', async () => {
  const harness = await stage.harness({ script: 'asks-permission.mjs' });
  const viewer = await stage.watch();
  const set = await viewer.ask({ type: 'set_policy', policy: 'reject' });
  expect(set.result?.status).toBe('applied');
  viewer.prompt(harness.channelId, 'go');
  const { payload } = await viewer.until('the end of it', () => viewer.find<PermissionTerminal>('permission_terminal'));
  expect(payload).toMatchObject({ reason: 'rejected', decidedBy: { who: 'policy', rule: 'permissions=reject' } });
  const late = await stage.watch();
  expect(late.snapshot?.policy).toBe('reject');
});
