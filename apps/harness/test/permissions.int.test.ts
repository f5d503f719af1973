import type { PermissionPending, PermissionTerminal } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage, type StageOptions } from './support/stage.ts';
import type { Watcher } from './support/watcher.ts';
import { linesOf } from './support/written-lines.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** An agent in a turn, and what it was told so far. */
async function ask(options: StageOptions = {}, text = 'go') {
  const received = stage.file('received');
  const harness = await stage.harness({
    script: 'asks-permission.mjs',
    ...options,
    agentEnv: { AGENT_LOG: received, ...options.agentEnv },
  });
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, text);
  const answers = () => linesOf(received).filter((line) => line.includes('"id":0,'));
  return { harness, viewer, answers };
}

async function pending(viewer: Watcher): Promise<PermissionPending> {
  const { payload } = await viewer.until('the request', () => viewer.find<PermissionPending>('permission_pending'));
  await viewer.caughtUp();
  return payload as PermissionPending;
}

const terminal = (viewer: Watcher) =>
  viewer.until('the end of it', () => viewer.find<PermissionTerminal>('permission_terminal'));

describe('permissions', () => {
  test('HA20, HA197: the owner decides: the very option goes to the agent, once, and who decided, on which device, is told', async () => {
    const { harness, viewer, answers } = await ask();
    const { requestNonce, requestSha256, requestSeq, rpcId, toolCallId, actionable } = await pending(viewer);
    expect({ rpcId, toolCallId, actionable }).toEqual({ rpcId: '0', toolCallId: 'T1', actionable: true });
    const line = viewer.events(harness.stream).find(({ seq }) => seq === requestSeq);
    const digest = stage.crypto.sha256(new TextEncoder().encode(line?.payload));
    expect(requestSha256).toBe(Buffer.from(digest).toString('hex'));
    const draft = { type: 'permission_decision', channelId: harness.channelId, requestNonce, requestSha256 } as const;
    const done = await viewer.ask({ ...draft, optionId: 'id-of-allow_once' });
    expect(done.result).toMatchObject({ status: 'applied', optionId: 'id-of-allow_once' });
    const decidedBy = { who: 'owner', viewer: viewer.viewerId };
    expect((await terminal(viewer)).payload).toMatchObject({ reason: 'applied', decidedBy });
    const late = await viewer.ask({ ...draft, optionId: 'id-of-reject_once' });
    expect(late.result?.status).toBe('already_decided');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(answers()).toEqual([
      '{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"id-of-allow_once"}}}',
    ]);
    const write = viewer.events(harness.stream).find(({ payload }) => payload === answers()[0]);
    expect(write).toMatchObject({ kind: 'acp_write', via: 'owner' });
  });

  test('HA92: a rule answers without anybody, by its number; a policy set by the owner stands above the rules', async () => {
    const permissionRules = [
      { decide: 'reject', kind: ['execute'] },
      { decide: 'allow', path: '/tmp/*' },
    ] as const;
    const { harness, viewer } = await ask({ permissionRules });
    expect((await terminal(viewer)).payload).toMatchObject({
      reason: 'allowed',
      optionId: 'id-of-allow_once',
      decidedBy: { who: 'policy', rule: 'rule 2' },
    });
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    await viewer.ask({ type: 'set_policy', policy: 'reject' });
    viewer.prompt(harness.channelId, 'again');
    await viewer.until('the second end', () =>
      viewer.find<PermissionTerminal>('permission_terminal', (p) => p.decidedBy?.rule === 'permissions=reject'),
    );
  });

  test('HA20: a wrong nonce, hash, channel or option writes nothing, and the request stays open', async () => {
    const { harness, viewer, answers } = await ask();
    const { requestNonce, requestSha256 } = await pending(viewer);
    const right = {
      type: 'permission_decision',
      channelId: harness.channelId,
      requestNonce,
      requestSha256,
      optionId: 'id-of-allow_once',
    } as const;
    const { requestSha256: _left, ...unbound } = right;
    const wrong = [
      [{ ...right, requestNonce: '0'.repeat(32) }, 'unknown'],
      [{ ...right, requestSha256: '0'.repeat(64) }, 'unknown'],
      [{ ...right, channelId: harness.run }, 'unknown'],
      [unbound, 'unknown'],
      [{ ...right, optionId: 'allow_once' }, 'invalid_option'],
      [{ ...right, optionId: 'id-of-allow_always' }, 'invalid_option'],
    ] as const;
    for (const [draft, status] of wrong) expect((await viewer.ask(draft)).result?.status).toBe(status);
    expect(answers()).toEqual([]);
    expect(viewer.find('permission_terminal')).toBeUndefined();
    const sure = await viewer.ask({ ...right, optionId: 'id-of-allow_always', confirm: true });
    expect(sure.result?.status).toBe('applied');
  });

  test('HA21: policies answer at once and say by which rule', async () => {
    const { viewer, answers } = await ask({ permissions: 'allow' });
    expect((await terminal(viewer)).payload).toMatchObject({
      reason: 'allowed',
      optionId: 'id-of-allow_once',
      decidedBy: { who: 'policy', rule: 'permissions=allow' },
    });
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(answers()).toHaveLength(1);
    expect(viewer.events().find(({ payload }) => payload === answers()[0])?.via).toBe('policy');
  });

  test('HA21: reject rejects', async () => {
    const { viewer, answers } = await ask({ permissions: 'reject' });
    expect((await terminal(viewer)).payload).toMatchObject({ reason: 'rejected', optionId: 'id-of-reject_once' });
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(answers()[0]).toContain('"optionId":"id-of-reject_once"');
  });

  test('HA21: allow never takes allow_always or a kind it does not know: the owner is asked', async () => {
    const agentEnv = { AGENT_OPTIONS: 'allow_always,allow_everything' };
    const { harness, viewer, answers } = await ask({ permissions: 'allow', agentEnv });
    const { requestNonce, requestSha256 } = await pending(viewer);
    expect(answers()).toEqual([]);
    const done = await viewer.ask({
      type: 'permission_decision',
      channelId: harness.channelId,
      requestNonce,
      requestSha256,
      optionId: 'id-of-allow_everything',
    });
    expect(done.result?.status).toBe('applied');
  });

  test('HA48: what the agent takes back is closed, and answered so that nothing hangs', async () => {
    const { viewer, answers } = await ask({}, 'withdraw');
    expect((await terminal(viewer)).payload).toMatchObject({ reason: 'withdrawn' });
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(answers()).toEqual(['{"jsonrpc":"2.0","id":0,"error":{"code":-32800,"message":"Request cancelled"}}']);
  });

  test('HA22: a cancel answers what is open with cancelled, before session/cancel, in one piece', async () => {
    const { harness, viewer } = await ask();
    await pending(viewer);
    const { event } = viewer.find('turn_started') ?? {};
    const cancelled = await viewer.ask({
      type: 'cancel_turn',
      channelId: harness.channelId,
      turnId: event?.turnId as string,
    });
    expect(cancelled.result?.status).toBe('cancelled');
    expect((await terminal(viewer)).payload).toMatchObject({ reason: 'cancelled', decidedBy: { who: 'owner' } });
    const received = linesOf(stage.file('received'));
    expect(received.slice(-2)).toEqual([
      '{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}',
      '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"S1"}}',
    ]);
  });

  test('HA30: a viewer that comes later finds the open request in its snapshot, with the line it is about', async () => {
    const { harness, viewer } = await ask();
    const { requestNonce, requestSeq } = await pending(viewer);
    const late = await stage.watch();
    const [channel] = late.snapshot?.channels ?? [];
    expect(channel).toMatchObject({ channelId: harness.channelId, sessionId: 'S1', cwd: stage.folder });
    expect(channel?.pending).toMatchObject([{ requestNonce, requestSeq, stream: harness.stream, actionable: true }]);
    expect(channel?.activeTurn).toBe(channel?.turns.at(-1)?.turnId);
    expect(late.snapshot).toMatchObject({
      run: harness.run,
      policy: 'ask',
      agent: { name: 'scripted', process: 'running' },
    });
    await late.until('the request line', () => late.rawEvents(harness.stream).find(({ seq }) => seq === requestSeq));
  });

  test('HA19: when the agent goes away an open request is over, and a decision for it does nothing', async () => {
    const { harness, viewer } = await ask({ agentEnv: { AGENT_EXIT_ON_ASK: '1' } });
    const { requestNonce, requestSha256 } = await pending(viewer);
    expect((await terminal(viewer)).payload).toMatchObject({ reason: 'expired', decidedBy: { who: 'harness' } });
    const late = await viewer.ask({
      type: 'permission_decision',
      channelId: harness.channelId,
      requestNonce,
      requestSha256,
      optionId: 'id-of-allow_once',
    });
    expect(late.result?.status).toBe('already_decided');
    expect(viewer.find('turn_completed')?.payload).toMatchObject({ outcome: 'failed' });
  });
});
