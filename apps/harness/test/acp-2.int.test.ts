import type { PermissionPending, PermissionTerminal, TurnCompleted } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage, type StageOptions } from './support/stage.ts';
import { linesOf } from './support/written-lines.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

async function open(options: StageOptions = {}) {
  const received = stage.file('received');
  const agentEnv = { AGENT_LOG: received, ...options.agentEnv };
  const harness = await stage.harness({ script: 'speaks-v2.mjs', acp: 2, ...options, agentEnv });
  const viewer = await stage.watch();
  await viewer.until('the session', () => viewer.find('session_resolved'));
  const lines = () => linesOf(received);
  const ends = () => viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_completed');
  const end = async (n: number) => {
    await viewer.until(`end ${n}`, () => ends().length >= n);
    return JSON.parse(ends()[n - 1]?.payload as string) as TurnCompleted;
  };
  return { harness, viewer, lines, ends, end };
}

describe('ACP 2', () => {
  test('HA160: asked for, it is spoken where the agent can: turns end by the state `idle`, each once, with its reason and usage', async () => {
    const { harness, viewer, lines, ends, end } = await open();
    const { params } = JSON.parse(lines()[0] as string);
    expect(params).toMatchObject({
      protocolVersion: 2,
      info: { name: 'heliograph' },
      capabilities: { elicitation: {} },
    });
    expect(params).not.toHaveProperty('clientCapabilities');
    expect((await stage.watch()).snapshot?.agent).toMatchObject({ name: 'scripted', version: '2' });
    viewer.prompt(harness.channelId, 'one');
    expect(await end(1)).toMatchObject({ outcome: 'completed', stopReason: 'end_turn', usage: { totalTokens: 9 } });
    viewer.prompt(harness.channelId, 'fail');
    expect(await end(2)).toMatchObject({ outcome: 'failed' });
    expect(viewer.find('turn_error')?.payload).toMatchObject({ error: 'the model is away' });
    viewer.prompt(harness.channelId, 'two');
    await end(3);
    expect(ends()).toHaveLength(3);
  });

  test('HA161: a cancel ends its turn as cancelled, and a prompt meanwhile waits for that end', async () => {
    const { harness, viewer, end } = await open();
    viewer.prompt(harness.channelId, 'wait');
    const { event } = await viewer.until('the turn', () => viewer.find('turn_started'));
    await viewer.until('its words', () => viewer.events().find(({ payload }) => payload.includes('heard wait')));
    viewer.prompt(harness.channelId, 'next');
    const turnId = event.turnId as string;
    const done = await viewer.ask({ type: 'cancel_turn', channelId: harness.channelId, turnId });
    expect(done.result?.status).toBe('cancelled');
    expect(await end(1)).toMatchObject({ outcome: 'cancelled' });
    expect(await end(2)).toMatchObject({ outcome: 'completed' });
  });

  test('HA162: permissions about a command and settings are understood as in version 1', async () => {
    const { harness, viewer, end } = await open({ permissionRules: [{ decide: 'allow', command: 'rm *' }] });
    const { channelId } = harness;
    const switched = await viewer.ask({ type: 'switch_model', channelId, modelId: 'b' });
    expect(switched.result).toMatchObject({ status: 'switched', value: 'b' });
    viewer.prompt(channelId, 'ask');
    const { payload } = await viewer.until('the request', () => viewer.find<PermissionPending>('permission_pending'));
    expect(payload.toolCallId).toBe('T1');
    const decided = await viewer.until('its end', () => viewer.find<PermissionTerminal>('permission_terminal'));
    expect(decided.payload).toMatchObject({ reason: 'allowed', optionId: 'yes', decidedBy: { rule: 'rule 1' } });
    expect(await end(1)).toMatchObject({ outcome: 'completed' });
  });

  test('HA163: an agent that answers version 1 is spoken to in it; without being asked for, 2 is never offered', async () => {
    const { lines } = await open({ agentEnv: { AGENT_ACP: '1' } });
    expect(JSON.parse(lines()[0] as string).params.protocolVersion).toBe(2);
    await stage.close();
    stage = await Stage.open();
    const plain = await open({ acp: 1 });
    expect(JSON.parse(plain.lines()[0] as string).params).toMatchObject({ protocolVersion: 1, clientCapabilities: {} });
  });
});
