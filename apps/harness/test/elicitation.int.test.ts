import type { ElicitationPending, ElicitationTerminal } from '@heliograph/wire';
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

const CONTENT = { branch: 'main', replicas: 3, dryRun: false, region: 'eu', labels: ['canary', 'blue'] };

/** An agent in a turn that asks for a form, and what it was told so far. */
async function ask(options: StageOptions = {}, text = 'go') {
  const received = stage.file('received');
  const harness = await stage.harness({
    script: 'asks-form.mjs',
    ...options,
    agentEnv: { AGENT_LOG: received, ...options.agentEnv },
  });
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, text);
  const lines = () => linesOf(received);
  const answers = () => lines().filter((line) => line.includes('"id":0,'));
  return { harness, viewer, lines, answers };
}

async function pending(viewer: Watcher): Promise<ElicitationPending> {
  const { payload } = await viewer.until('the form', () => viewer.find<ElicitationPending>('elicitation_pending'));
  await viewer.caughtUp();
  return payload as ElicitationPending;
}

const terminal = (viewer: Watcher) =>
  viewer.until('the end of it', () => viewer.find<ElicitationTerminal>('elicitation_terminal'));

describe('elicitation', () => {
  test('HA150: the owner fills the form in: exactly that goes to the agent, once, and who answered is told', async () => {
    const { harness, viewer, lines, answers } = await ask();
    const { requestNonce, requestSha256, requestSeq, rpcId, toolCallId, actionable } = await pending(viewer);
    expect(JSON.parse(lines()[0] as string).params.clientCapabilities.elicitation).toEqual({ form: {} });
    expect({ rpcId, toolCallId, actionable }).toEqual({ rpcId: '0', toolCallId: 'T1', actionable: true });
    const line = viewer.events(harness.stream).find(({ seq }) => seq === requestSeq);
    const digest = stage.crypto.sha256(new TextEncoder().encode(line?.payload));
    expect(requestSha256).toBe(Buffer.from(digest).toString('hex'));
    const { channelId } = harness;
    const draft = { type: 'elicitation_answer', channelId, requestNonce, requestSha256, action: 'accept' } as const;
    const done = await viewer.ask({ ...draft, content: CONTENT });
    expect(done.result).toMatchObject({ status: 'applied', action: 'accept' });
    expect((await terminal(viewer)).payload).toMatchObject({
      reason: 'applied',
      action: 'accept',
      decidedBy: { who: 'owner' },
    });
    expect((await viewer.ask({ ...draft, action: 'cancel' })).result?.status).toBe('already_decided');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    const answer = `{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":${JSON.stringify(CONTENT)}}}`;
    expect(answers()).toEqual([answer]);
    expect(viewer.events(harness.stream).find(({ payload }) => payload === answer)).toMatchObject({
      kind: 'acp_write',
      via: 'owner',
    });
  });

  test('HA151: what does not fit names its field and writes nothing; what belongs to another request is unknown', async () => {
    const { harness, viewer, answers } = await ask();
    const { requestNonce, requestSha256 } = await pending(viewer);
    const right = {
      type: 'elicitation_answer',
      channelId: harness.channelId,
      requestNonce,
      requestSha256,
      action: 'accept',
      content: CONTENT,
    } as const;
    const { branch: _branch, ...withoutBranch } = CONTENT;
    const unfit = [
      [withoutBranch, 'branch'],
      [{ ...CONTENT, branch: 'MAIN' }, 'branch'],
      [{ ...CONTENT, replicas: 10 }, 'replicas'],
      [{ ...CONTENT, replicas: '3' }, 'replicas'],
      [{ ...CONTENT, region: 'mars' }, 'region'],
      [{ ...CONTENT, labels: ['red'] }, 'labels'],
      [{ ...CONTENT, more: 1 }, 'more'],
    ] as const;
    for (const [content, field] of unfit) {
      const { result } = await viewer.ask({ ...right, content });
      expect(result).toMatchObject({ status: 'invalid_option', field });
      expect(result?.reason).toContain(field);
    }
    expect((await viewer.ask({ ...right, action: 'decline' })).result?.status).toBe('invalid_option');
    const wrong = [
      { ...right, requestNonce: '0'.repeat(32) },
      { ...right, requestSha256: '0'.repeat(64) },
      { ...right, channelId: null },
      { type: 'permission_decision', channelId: harness.channelId, requestNonce, requestSha256, optionId: 'accept' },
    ] as const;
    for (const draft of wrong) expect((await viewer.ask(draft)).result?.status).toBe('unknown');
    expect(answers()).toEqual([]);
    expect(viewer.find('elicitation_terminal')).toBeUndefined();
    expect((await viewer.ask(right)).result?.status).toBe('applied');
  });

  test('HA152: of two devices that answer at once one is heard', async () => {
    const { harness, viewer, answers } = await ask();
    const { requestNonce, requestSha256 } = await pending(viewer);
    const second = await stage.watch();
    const draft = { type: 'elicitation_answer', channelId: harness.channelId, requestNonce, requestSha256 } as const;
    const results = await Promise.all([
      viewer.ask({ ...draft, action: 'decline' }),
      second.ask({ ...draft, action: 'accept', content: CONTENT }),
    ]);
    expect(results.map(({ result }) => result?.status).sort()).toEqual(['already_decided', 'applied']);
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(answers()).toHaveLength(1);
  });

  test('HA152: a cancel answers every open form before session/cancel, in one piece', async () => {
    const { harness, viewer, lines } = await ask({}, 'twice');
    await viewer.until('both', () => viewer.find<ElicitationPending>('elicitation_pending', (p) => p.rpcId === '1'));
    const { event } = viewer.find('turn_started') ?? {};
    const cancelled = await viewer.ask({
      type: 'cancel_turn',
      channelId: harness.channelId,
      turnId: event?.turnId as string,
    });
    expect(cancelled.result?.status).toBe('cancelled');
    expect((await terminal(viewer)).payload).toMatchObject({ reason: 'cancelled', action: 'cancel' });
    expect(
      lines()
        .filter((line) => line !== '')
        .slice(-3),
    ).toEqual([
      '{"jsonrpc":"2.0","id":0,"result":{"action":"cancel"}}',
      '{"jsonrpc":"2.0","id":1,"result":{"action":"cancel"}}',
      '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"S1"}}',
    ]);
  });

  test('HA152: what the agent takes back, or leaves behind, is over', async () => {
    const { viewer, answers } = await ask({}, 'withdraw');
    expect((await terminal(viewer)).payload).toMatchObject({ reason: 'withdrawn' });
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(answers()).toEqual(['{"jsonrpc":"2.0","id":0,"error":{"code":-32800,"message":"Request cancelled"}}']);
  });

  test('HA152: when the agent goes away an open form is over, and an answer to it does nothing', async () => {
    const { harness, viewer } = await ask({ agentEnv: { AGENT_EXIT_ON_ASK: '1' } });
    const { requestNonce, requestSha256 } = await pending(viewer);
    expect((await terminal(viewer)).payload).toMatchObject({ reason: 'expired', decidedBy: { who: 'harness' } });
    const { channelId } = harness;
    const late = await viewer.ask({
      type: 'elicitation_answer',
      channelId,
      requestNonce,
      requestSha256,
      action: 'decline',
    });
    expect(late.result?.status).toBe('already_decided');
  });

  test('HA152: the idle clock stands still while a form waits; its own time limit closes it, and is shown on it', async () => {
    const { viewer, answers } = await ask({ idleTimeoutMs: 2_000, permissionTimeoutMs: 4_000 });
    expect((await pending(viewer)).expiresAt).toBeDefined();
    expect((await terminal(viewer)).payload).toMatchObject({
      reason: 'timed_out',
      action: 'cancel',
      decidedBy: { who: 'policy', rule: 'permission-timeout' },
    });
    const { payload } = await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(payload).toMatchObject({ outcome: 'completed' });
    expect(viewer.find('turn_error')).toBeUndefined();
    expect(answers()).toEqual(['{"jsonrpc":"2.0","id":0,"result":{"action":"cancel"}}']);
  });

  test('HA153: a page to visit takes no content; reject declines a form, allow leaves it to the owner', async () => {
    const { harness, viewer, answers } = await ask({ permissions: 'allow' }, 'url');
    const { requestNonce, requestSha256 } = await pending(viewer);
    const { channelId } = harness;
    const draft = { type: 'elicitation_answer', channelId, requestNonce, requestSha256, action: 'accept' } as const;
    expect((await viewer.ask({ ...draft, content: {} })).result?.status).toBe('invalid_option');
    expect((await viewer.ask(draft)).result?.status).toBe('applied');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(answers()).toEqual(['{"jsonrpc":"2.0","id":0,"result":{"action":"accept"}}']);
    await viewer.ask({ type: 'set_policy', policy: 'reject' });
    viewer.prompt(channelId, 'again');
    const { payload } = await viewer.until('the second end', () =>
      viewer.find<ElicitationTerminal>('elicitation_terminal', (p) => p.reason === 'rejected'),
    );
    expect(payload).toMatchObject({ action: 'decline', decidedBy: { who: 'policy', rule: 'permissions=reject' } });
  });

  test('HA155: a viewer that comes later finds the open form in its snapshot, gets its line, and answers it', async () => {
    const { harness, viewer, answers } = await ask();
    const { requestNonce, requestSha256, requestSeq } = await pending(viewer);
    const late = await stage.watch();
    expect(late.snapshot?.channels[0]?.pending).toMatchObject([
      { ask: 'elicitation', requestNonce, requestSeq, stream: harness.stream, actionable: true },
    ]);
    await late.until('the line', () => late.rawEvents(harness.stream).find(({ seq }) => seq === requestSeq));
    const { channelId } = harness;
    const done = await late.ask({
      type: 'elicitation_answer',
      channelId,
      requestNonce,
      requestSha256,
      action: 'accept',
      content: { branch: 'main', replicas: 1 },
    });
    expect(done.result?.status).toBe('applied');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(answers()).toHaveLength(1);
  });

  test('HA156: what is asked before a session is open stands in the harness stream, and the start waits for its answer', async () => {
    const harness = await stage.harness({
      script: 'asks-form.mjs',
      agentEnv: { AGENT_ASK_EARLY: '1' },
      startTimeoutMs: 5_000,
    });
    const early = await stage.watch();
    const { requestNonce, requestSha256 } = await pending(early);
    const { event } = early.find('elicitation_pending') ?? {};
    expect(event).toMatchObject({ stream: harness.run, channelId: null });
    // Longer than a start may take.
    const { timestamp } = event ?? {};
    await early.until('the limit to be over', () => Date.now() - Date.parse(timestamp as string) > 5_500);
    const late = await stage.watch();
    expect(late.snapshot?.pending).toMatchObject([{ ask: 'elicitation', requestNonce, stream: harness.run }]);
    const draft = { type: 'elicitation_answer', requestNonce, requestSha256, action: 'accept' } as const;
    expect((await late.ask({ ...draft, channelId: harness.channelId, content: CONTENT })).result?.status).toBe(
      'unknown',
    );
    expect((await late.ask({ ...draft, channelId: null, content: CONTENT })).result?.status).toBe('applied');
    const { payload } = await late.until('the session', () => late.find('session_resolved'));
    expect(payload).toMatchObject({ sessionId: 'S-main' });
  });
});
