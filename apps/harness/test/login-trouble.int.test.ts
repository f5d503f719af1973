import type { TurnCompleted, TurnError } from '@heliograph/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** Many times what a busy machine takes between two words of the agent. */
const QUIET_MS = 800;

test('HA200: an agent that retries a refused login in silence is told of once, with what mends it, and its turn goes on', async () => {
  const harness = await stage.harness({ script: 'retries-login.mjs', quietMs: QUIET_MS, turnLivenessMs: 100 });
  const viewer = await stage.watch();
  const errors = () => viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_error');
  for (const [turn, text] of ['go', 'update'].entries()) {
    viewer.prompt(harness.channelId, text);
    await viewer.until('the notice', () => errors().length === turn + 1);
    const { outcome, error, hint } = JSON.parse(errors()[turn]?.payload ?? '') as TurnError;
    expect(outcome).toBe('auth');
    expect(error).toMatch(/^the agent is silent and seems to retry a refused login: .*401/);
    expect(error).not.toContain('0123456789abcdef');
    expect(hint).toContain('log in with `codex login` on this machine');
    const toldAt = errors()[turn]?.seq ?? 0;
    const isLater = ({ kind, seq }: { kind: string; seq: number }) => kind === 'turn_liveness' && seq > toldAt;
    await viewer.until('a turn that lives on', () => viewer.events(harness.stream).filter(isLater).length > 9);
    expect(errors()).toHaveLength(turn + 1);
    const { turnId } = viewer.events(harness.stream).findLast(({ kind }) => kind === 'turn_started') ?? {};
    viewer.send({ type: 'cancel_turn', channelId: harness.channelId, turnId: turnId as string });
    const ends = () => viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_completed');
    const end = await viewer.until('the end', () => ends()[turn]);
    expect(JSON.parse(end.payload)).toMatchObject({ outcome: 'cancelled' } satisfies Partial<TurnCompleted>);
  }
});

test('HA200: nothing is said of an agent that works without a word', async () => {
  const agentEnv = { AGENT_QUIET_MS: String(4 * QUIET_MS) };
  const harness = await stage.harness({ script: 'retries-login.mjs', agentEnv, quietMs: QUIET_MS });
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, 'work');
  const end = await viewer.until('the end', () => viewer.find<TurnCompleted>('turn_completed'));
  expect(end.payload.outcome).toBe('completed');
  expect(viewer.find('agent_stderr')).toBeDefined();
  expect(viewer.find('turn_error')).toBeUndefined();
});
