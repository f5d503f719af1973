import { readFileSync } from 'node:fs';
import type { TurnCompleted, TurnError } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRunning } from './support/processes.ts';
import { Stage, type StageOptions } from './support/stage.ts';
import { until } from './support/until.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** An agent in an open turn. */
async function working(options: StageOptions = {}) {
  const harness = await stage.harness({ script: 'waits-for-cancel.mjs', ...options });
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, 'go');
  const { event } = await viewer.until('the turn', () => viewer.find('turn_started'));
  await viewer.until('a sign of life', () => viewer.events().find(({ payload }) => payload.includes('working')));
  const turnId = event.turnId as string;
  const cancel = { type: 'cancel_turn', channelId: harness.channelId, turnId } as const;
  return { harness, viewer, turnId, cancel };
}

describe('cancel', () => {
  test.each([
    ['obey', 'cancelled', { outcome: 'cancelled', stopReason: 'cancelled' }],
    ['error', 'cancelled', { outcome: 'cancelled', stopReason: null }],
    ['end_turn', 'turn_ended', { outcome: 'completed', stopReason: 'end_turn' }],
  ])('HA22: an agent that answers with %s: sent, then %s', async (how, status, completed) => {
    const { viewer, cancel } = await working({ agentEnv: { AGENT_CANCEL: how } });
    const done = await viewer.ask(cancel);
    expect(done.result?.status).toBe(status);
    expect(viewer.progress.filter((p) => p.type === 'cancel_turn').map((p) => p.result?.status)).toContain('sent');
    expect(viewer.find<TurnCompleted>('turn_completed')?.payload).toEqual(completed);
  });

  test('HA24: an agent that does not stop is killed with everything it started, its turn is killed, and it is there again', async () => {
    const child = stage.file('child');
    const { harness, viewer, cancel } = await working({
      agentEnv: { AGENT_CANCEL: 'ignore', AGENT_DEAF: '1', AGENT_CHILD: child },
      cancelGraceMs: 100,
      exitGraceMs: 100,
    });
    const pid = Number(readFileSync(child, 'utf8'));
    expect(isRunning(pid)).toBe(true);
    const done = await viewer.ask(cancel);
    expect(done.result?.status).toBe('killed');
    expect(viewer.find<TurnCompleted>('turn_completed')?.payload).toEqual({ outcome: 'killed', stopReason: null });
    expect(viewer.find<TurnError>('turn_error')?.payload).toMatchObject({ outcome: 'cancel_drain_timeout' });
    const exited = await viewer.until('the exit', () => viewer.find('agent_exited'));
    expect(exited.payload).toMatchObject({ signal: 'SIGKILL', expected: true });
    await until('the grandchild to be gone', () => !isRunning(pid));
    await viewer.until(
      'a new session',
      () => viewer.events(harness.stream).filter(({ kind }) => kind === 'session_resolved').length === 2,
    );
    viewer.prompt(harness.channelId, 'again');
    await viewer.until(
      'the next turn',
      () => viewer.events(harness.stream).filter(({ payload }) => payload.includes('working')).length === 2,
    );
  });

  test('HA24: an agent that never reads its input is killed all the same', async () => {
    const harness = await stage.harness({ script: 'never-reads.mjs', cancelGraceMs: 100, exitGraceMs: 100 });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    const { event } = await viewer.until('the turn', () => viewer.find('turn_started'));
    await viewer.until('the prompt to be out', () =>
      viewer.events().find(({ kind, payload }) => kind === 'acp_write' && payload.includes('session/prompt')),
    );
    const done = await viewer.ask({
      type: 'cancel_turn',
      channelId: harness.channelId,
      turnId: event.turnId as string,
    });
    expect(done.result?.status).toBe('killed');
  });

  test('HA23: a cancel never reaches another turn than the one it names', async () => {
    const { harness, viewer, cancel, turnId } = await working();
    expect((await viewer.ask({ ...cancel, turnId: 'another' })).result?.status).toBe('no_active_turn');
    expect(viewer.find('turn_completed')).toBeUndefined();
    await viewer.ask(cancel);
    viewer.prompt(harness.channelId, 'next');
    await viewer.until(
      'the next turn',
      () => viewer.events(harness.stream).filter(({ payload }) => payload.includes('working')).length === 2,
    );
    expect((await viewer.ask({ ...cancel, turnId })).result?.status).toBe('turn_ended');
    expect(viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_completed')).toHaveLength(1);
  });

  test('HA23: without a turn, a cancel said before the open turn began is dropped', async () => {
    const { harness, viewer } = await working();
    const line = await stage.ownerLine();
    const before = Math.floor(Date.now() / 1_000) - 30;
    await line.publish(await stage.frame({ type: 'cancel_turn', channelId: harness.channelId }, before));
    await viewer.until('the answer', () =>
      viewer.find<{ type: string; status: string }>(
        'control_result',
        (p) => p.type === 'cancel_turn' && p.status === 'no_active_turn',
      ),
    );
    expect(viewer.find('turn_completed')).toBeUndefined();
  });

  test('HA22: with nothing to cancel nothing is written', async () => {
    const harness = await stage.harness();
    const viewer = await stage.watch();
    await viewer.until('the session', () => viewer.find('session_resolved'));
    const done = await viewer.ask({ type: 'cancel_turn', channelId: harness.channelId });
    expect(done.result?.status).toBe('no_active_turn');
    expect(viewer.events().some(({ payload }) => payload.includes('session/cancel'))).toBe(false);
  });

  test('HA49: a prompt that interrupts cancels the open turn and goes before those that wait', async () => {
    const { harness, viewer } = await working();
    viewer.prompt(harness.channelId, 'waits');
    await viewer.until('the queue', () => viewer.find('prompt_queued'));
    const content = [{ type: 'text', text: 'now' } as { type: string }];
    const now = viewer.send({ type: 'prompt', channelId: harness.channelId, content, mode: 'interrupt' });
    const next = await viewer.until(
      'the next turn',
      () => viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_started')[1],
    );
    expect(next.payload).toContain(now);
    expect(viewer.find<TurnCompleted>('turn_completed')?.payload).toMatchObject({ outcome: 'cancelled' });
  });
});
