import type { AgentExited, PermissionPending, PermissionTerminal, TurnCompleted, TurnError } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import { linesOf } from './support/written-lines.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

describe('limits', () => {
  test('HA80: an agent that says nothing is told about, then its turn is cancelled on our behalf and the next one runs', async () => {
    const harness = await stage.harness({ script: 'waits-for-cancel.mjs', idleTimeoutMs: 300 });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    const { payload } = await viewer.until('the error', () => viewer.find<TurnError>('turn_error'));
    expect(payload).toEqual({
      outcome: 'idle_timeout',
      error: 'the agent has written nothing for 0.3 s: the turn is cancelled',
    });
    const done = await viewer.until('the end', () => viewer.find<TurnCompleted>('turn_completed'));
    expect(done.payload).toEqual({ outcome: 'cancelled', stopReason: 'cancelled' });
    const cancel = viewer.events(harness.stream).find(({ payload: line }) => line.includes('"session/cancel"'));
    expect(cancel?.via).toBe('harness');
  });

  test('HA80: an agent that does not stop for it is killed', async () => {
    const harness = await stage.harness({
      script: 'waits-for-cancel.mjs',
      agentEnv: { AGENT_CANCEL: 'ignore' },
      turnTimeoutMs: 200,
      cancelGraceMs: 100,
    });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    const done = await viewer.until('the end', () => viewer.find<TurnCompleted>('turn_completed'));
    expect(done.payload.outcome).toBe('killed');
    const outcomes = viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_error');
    expect(outcomes.map(({ payload }) => (JSON.parse(payload) as TurnError).outcome)).toEqual([
      'hard_timeout',
      'cancel_drain_timeout',
    ]);
  });

  test('HA80: a permission that waits for longer than the limit is still answerable', async () => {
    const harness = await stage.harness({ script: 'asks-permission.mjs', idleTimeoutMs: 2_000, turnLivenessMs: 100 });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    const { payload } = await viewer.until('the request', () =>
      viewer.find<{ requestNonce: string; requestSha256: string }>('permission_pending'),
    );
    await viewer.until('a long silence', () =>
      viewer.find<{ lastAgentByteAgeMs: number }>('turn_liveness', (p) => (p.lastAgentByteAgeMs ?? 0) > 3_000),
    );
    const { requestNonce = '', requestSha256 = '' } = payload;
    const optionId = 'id-of-allow_once';
    const { channelId } = harness;
    const type = 'permission_decision' as const;
    const answer = await viewer.ask({ type, channelId, requestNonce, requestSha256, optionId });
    expect(answer.result?.status).toBe('applied');
    const done = await viewer.until('the end', () => viewer.find<TurnCompleted>('turn_completed'));
    expect(done.payload.outcome).toBe('completed');
    expect(viewer.find('turn_error')).toBeUndefined();
  });

  test('HA91: a request that nobody decides in the time set for it is answered cancelled; the time is shown on it', async () => {
    const harness = await stage.harness({ script: 'asks-permission.mjs', permissionTimeoutMs: 400 });
    const viewer = await stage.watch();
    const askedMs = Date.now();
    viewer.prompt(harness.channelId, 'go');
    const { payload } = await viewer.until('the request', () => viewer.find<PermissionPending>('permission_pending'));
    expect(Date.parse(payload.expiresAt ?? '')).toBeGreaterThan(askedMs);
    const end = await viewer.until('its end', () => viewer.find<PermissionTerminal>('permission_terminal'));
    expect(end.payload).toMatchObject({
      reason: 'timed_out',
      decidedBy: { who: 'policy', rule: 'permission-timeout' },
    });
    const done = await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(done).toBeDefined();
    const answers = viewer.events(harness.stream).filter(({ payload: line }) => line.includes('"outcome":"cancelled"'));
    expect(answers.filter(({ kind }) => kind === 'acp_write')).toHaveLength(1);
  });

  test('HA81: an agent that keeps crashing is left alone, said once, and is there again afterwards', async () => {
    const received = stage.file('received');
    const harness = await stage.harness({
      script: 'exits.mjs',
      agentEnv: { AGENT_EXIT_AT: 'session/prompt', AGENT_LOG: received },
      crashRestMs: 1_500,
    });
    const viewer = await stage.watch();
    const crashes = () => viewer.events(harness.run).filter(({ kind }) => kind === 'agent_exited');
    for (const count of [1, 2, 3]) {
      viewer.prompt(harness.channelId, 'die');
      await viewer.until(`crash ${count}`, () => crashes().length === count);
    }
    const rests = crashes().map(({ payload }) => (JSON.parse(payload) as AgentExited).respawnInMs);
    expect(rests).toEqual([undefined, 1_000, 1_500]);
    const starts = () => linesOf(received).filter((line) => line.includes('"initialize"')).length;
    expect(starts()).toBe(3);
    const waiting = await viewer.ask({
      type: 'prompt',
      channelId: harness.channelId,
      content: [{ type: 'text', text: 'live' } as { type: string }],
    });
    expect(waiting.result).toMatchObject({ status: 'queued', reason: expect.stringContaining('keeps crashing') });
    expect(starts()).toBe(3);
    await viewer.until('the agent again', () =>
      viewer.find<TurnCompleted>('turn_completed', (p) => p.outcome === 'completed'),
    );
    expect(starts()).toBe(4);
    expect(crashes()).toHaveLength(3);
  });
});
