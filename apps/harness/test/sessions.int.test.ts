import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attest, type PermissionTerminal, type SessionResolved } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage, type StageOptions } from './support/stage.ts';
import type { Watcher } from './support/watcher.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** An agent that remembers, and a viewer of it. */
async function open(agentEnv: Record<string, string> = {}, options: StageOptions = {}) {
  const env = { AGENT_MEMORY: stage.file('memory'), ...agentEnv };
  const harness = await stage.harness({ script: 'remembers.mjs', agentEnv: env, ...options });
  const viewer = await stage.watch();
  await viewer.until('the session', () => viewer.find('session_resolved'));
  return { harness, viewer };
}

const said = (viewer: Watcher, words: string) =>
  viewer.until(words, () => viewer.events().find(({ payload }) => payload.includes(`"${words}"`)));

const result = async (asked: ReturnType<Watcher['ask']>) => (await asked).result;

describe('several channels', () => {
  test('HA120: turns of two channels run at the same time, each in its own stream, session and folder', async () => {
    const { harness, viewer } = await open();
    const channelId = randomUUID();
    const cwd = join(stage.folder, 'other');
    mkdirSync(cwd);
    const opened = await result(viewer.ask({ type: 'new_session', channelId, cwd }));
    expect(opened).toMatchObject({ status: 'applied', sessionId: 'S2' });
    viewer.prompt(harness.channelId, 'wait');
    await said(viewer, 'waiting');
    viewer.prompt(channelId, 'two');
    const answer = await said(viewer, 'I know two');
    expect(answer).toMatchObject({ channelId, sessionId: 'S2' });
    expect(answer.stream).not.toBe(harness.stream);
    const request = viewer.events(harness.run).find(({ payload }) => payload.includes(`"cwd":"${cwd}"`));
    expect(request?.kind).toBe('acp_write');
    const late = await stage.watch();
    expect(late.snapshot?.channels.map((channel) => [channel.sessionId, channel.cwd])).toEqual([
      ['S1', stage.folder],
      ['S2', cwd],
    ]);
    expect((await result(viewer.ask({ type: 'cancel_turn', channelId: harness.channelId })))?.status).toBe('cancelled');
  });

  test.each([
    [{ cwd: '/nowhere/at/all' }, 'is no folder on this machine'],
    [{ cwd: 'forbidden' }, 'not in there'],
  ])('HA120: a channel that can not be opened (%j) says why, and takes no prompts', async ({ cwd }, reason) => {
    const { viewer } = await open();
    mkdirSync(join(stage.folder, 'forbidden'));
    const channelId = randomUUID();
    const path = cwd.startsWith('/') ? cwd : join(stage.folder, cwd);
    const opened = await result(viewer.ask({ type: 'new_session', channelId, cwd: path }));
    expect(opened?.status).toBe('failure');
    expect(opened?.reason).toContain(reason);
    const prompt = viewer.ask({ type: 'prompt', channelId, content: [{ type: 'text' }] });
    expect((await result(prompt))?.status).toBe('rejected');
  });

  test('HA124: a cancel that the agent does not hear ends no other turn unless it is forced to', async () => {
    const { harness, viewer } = await open({ AGENT_DEAF: '1' }, { cancelGraceMs: 100 });
    const channelId = randomUUID();
    await viewer.ask({ type: 'new_session', channelId });
    viewer.prompt(harness.channelId, 'wait');
    viewer.prompt(channelId, 'wait');
    const waits = () => viewer.events().filter(({ payload }) => payload.includes('"waiting"'));
    await viewer.until('both turns', () => waits().length === 2);
    const asked = viewer.send({ type: 'cancel_turn', channelId });
    const told = await viewer.until('what else would die', () =>
      viewer.progress.find((p) => p.requestId === asked && p.result?.reason?.includes('1 other open turn')),
    );
    expect(told.result?.status).toBe('sent');
    expect(viewer.find('turn_completed')).toBeUndefined();
    const forced = await viewer.ask({ type: 'cancel_turn', channelId, force: true });
    expect(forced.result?.status).toBe('killed');
    const ended = () => viewer.events().filter(({ kind }) => kind === 'turn_completed');
    await viewer.until('both ends', () => ended().length === 2);
  });
});

describe('another session in a channel', () => {
  test('HA121: a new one, then the first one again', async () => {
    const { harness, viewer } = await open();
    const { channelId } = harness;
    viewer.prompt(channelId, 'one');
    await said(viewer, 'I know one');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(await result(viewer.ask({ type: 'new_session', channelId }))).toMatchObject({ sessionId: 'S2' });
    viewer.prompt(channelId, 'two');
    await said(viewer, 'I know two');
    const loaded = await viewer.until('the load', () =>
      result(viewer.ask({ type: 'load_session', channelId, sessionId: 'S1' })),
    );
    expect(loaded).toMatchObject({ status: 'applied', sessionId: 'S1' });
    viewer.prompt(channelId, 'three');
    await said(viewer, 'I know one, three');
    const sessions = viewer.events(harness.stream).filter(({ kind }) => kind === 'session_resolved');
    const how = sessions.map(({ payload }) => JSON.parse(payload) as SessionResolved);
    expect(how.map(({ sessionId, loaded = false }) => [sessionId, loaded])).toEqual([
      ['S1', false],
      ['S2', false],
      ['S1', true],
    ]);
  });

  test('HA121: refused or not to be had, the channel keeps the one it has', async () => {
    const { harness, viewer } = await open();
    const { channelId } = harness;
    const refused = await result(viewer.ask({ type: 'load_session', channelId, sessionId: 'S9' }));
    expect(refused).toMatchObject({ status: 'failure' });
    expect(refused?.reason).toContain('no such session');
    const other = randomUUID();
    const taken = await result(viewer.ask({ type: 'load_session', channelId: other, sessionId: 'S1' }));
    expect(taken?.reason).toContain(`open in channel ${channelId}`);
    viewer.prompt(channelId, 'one');
    await said(viewer, 'I know one');
    viewer.prompt(channelId, 'wait');
    await said(viewer, 'waiting');
    const busy = await result(viewer.ask({ type: 'new_session', channelId }));
    expect(busy).toMatchObject({ status: 'failure', reason: expect.stringContaining('a turn is open') });
  });

  test('HA121: an agent that opens no session again is asked for none', async () => {
    const { harness, viewer } = await open({ AGENT_REOPEN: 'none' });
    const asked = viewer.ask({ type: 'load_session', channelId: harness.channelId, sessionId: 'S1-of-old' });
    expect((await result(asked))?.status).toBe('unsupported');
    viewer.prompt(harness.channelId, 'one');
    await said(viewer, 'I know one');
  });
});

describe('two orders at once', () => {
  test('HA121: one session is brought to one channel only, whoever asks for it at the same time or while its agent is away', async () => {
    const { harness, viewer } = await open();
    const { channelId } = harness;
    viewer.prompt(channelId, 'one');
    await said(viewer, 'I know one');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    viewer.prompt(channelId, 'die');
    await viewer.until('the exit', () => viewer.find('agent_exited'));
    const kept = await result(viewer.ask({ type: 'load_session', channelId: randomUUID(), sessionId: 'S1' }));
    expect(kept?.reason).toContain(`open in channel ${channelId}`);
    await result(viewer.ask({ type: 'new_session', channelId }));
    const [first, second] = [randomUUID(), randomUUID()];
    const asked = [first, second].map((id) => viewer.ask({ type: 'load_session', channelId: id, sessionId: 'S1' }));
    const outcomes = await Promise.all(asked.map(result));
    expect(outcomes.map((outcome) => outcome?.status)).toEqual(['applied', 'failure']);
    expect(outcomes[1]?.reason).toContain(`open in channel ${first}`);
    viewer.prompt(first, 'two');
    expect(await said(viewer, 'I know one, two')).toMatchObject({ channelId: first });
  });

  test('HA122: a session opened while the one before is being closed stays open', async () => {
    const { harness, viewer } = await open({ AGENT_CLOSES: 'late' });
    const { channelId } = harness;
    const closing = result(viewer.ask({ type: 'close_session', channelId }));
    await viewer.until('the order', () => viewer.events().find(({ payload }) => payload.includes('session/close')));
    expect(await result(viewer.ask({ type: 'new_session', channelId }))).toMatchObject({ sessionId: 'S2' });
    expect(await closing).toMatchObject({ status: 'applied', reason: expect.stringContaining('meanwhile') });
    viewer.prompt(channelId, 'one');
    await said(viewer, 'I know one');
  });
});

describe('closing', () => {
  test.each([
    ['ends', { AGENT_CLOSES: '1' }],
    ['can not end', {}],
  ])(
    'HA122: a session that the agent %s is told as closed and takes no prompts until another is opened',
    async (_, env) => {
      const { harness, viewer } = await open(env as Record<string, string>);
      const { channelId } = harness;
      const closed = await result(viewer.ask({ type: 'close_session', channelId }));
      expect(closed?.status).toBe('applied');
      expect(closed?.reason ?? '').toBe(
        'AGENT_CLOSES' in env ? '' : 'this agent can not end a session: it is left alone',
      );
      const prompt = {
        type: 'prompt',
        channelId,
        content: [{ type: 'text', text: 'one' } as { type: string }],
      } as const;
      expect((await result(viewer.ask(prompt)))?.reason).toContain('this channel is closed');
      const late = await stage.watch();
      expect(late.snapshot?.channels[0]).toMatchObject({ closed: true, sessionId: null });
      expect((await result(viewer.ask({ type: 'new_session', channelId })))?.status).toBe('applied');
      viewer.send(prompt);
      await said(viewer, 'I know one');
    },
  );
});

describe('channels go on', () => {
  async function withTwo(agentEnv: Record<string, string> = {}) {
    const { harness, viewer } = await open(agentEnv);
    const channelId = randomUUID();
    await viewer.ask({ type: 'new_session', channelId });
    viewer.prompt(channelId, 'two');
    await said(viewer, 'I know two');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    return { harness, viewer, channelId };
  }

  test('HA123: after a crash the session of each is opened again when it is prompted', async () => {
    const { harness, viewer, channelId } = await withTwo();
    viewer.prompt(harness.channelId, 'die');
    await viewer.until('the exit', () => viewer.find('agent_exited'));
    viewer.prompt(channelId, 'three');
    await said(viewer, 'I know two, three');
  });

  test('HA123: after a restart of the harness they are there, and a closed one is not', async () => {
    const { harness, viewer, channelId } = await withTwo({ AGENT_REOPEN: 'resume' });
    const closed = randomUUID();
    await viewer.ask({ type: 'new_session', channelId: closed });
    await viewer.ask({ type: 'close_session', channelId: closed });
    await harness.close();
    const again = await open({ AGENT_REOPEN: 'resume' });
    expect(again.viewer.snapshot?.channels.map((channel) => channel.channelId)).toEqual([harness.channelId, channelId]);
    again.viewer.prompt(channelId, 'three');
    await said(again.viewer, 'I know two, three');
  });
});

describe('policies', () => {
  const ends = (viewer: Watcher) => viewer.events().filter(({ kind }) => kind === 'permission_terminal');
  const last = (viewer: Watcher) => JSON.parse(ends(viewer).at(-1)?.payload ?? '{}') as Partial<PermissionTerminal>;

  test('HA89: rules for one channel leave the others alone, and what is to stay stays after a restart', async () => {
    const harness = await stage.harness({ script: 'asks-permission.mjs' });
    const { channelId } = harness;
    const viewer = await stage.watch();
    const rules = [{ decide: 'allow', kind: ['edit'] } as const];
    const nowhere = await result(viewer.ask({ type: 'set_policy', channelId: randomUUID(), policy: 'allow' }));
    expect(nowhere?.status).toBe('failure');
    const set = await result(viewer.ask({ type: 'set_policy', channelId, policy: 'reject', rules, persist: true }));
    expect(set?.status).toBe('applied');
    viewer.prompt(channelId, 'go');
    await viewer.until('the end of it', () => ends(viewer).length === 1);
    expect(last(viewer)).toMatchObject({ reason: 'allowed', decidedBy: { rule: 'rule 1' } });
    const late = await stage.watch();
    expect(late.snapshot).toMatchObject({ policy: 'ask', channels: [{ policy: 'reject' }] });
    expect(readFileSync(join(stage.stateDir, 'policies.sealed'), 'utf8')).not.toContain('edit');
    await harness.close();
    await stage.harness({ script: 'asks-permission.mjs' });
    const second = await stage.watch();
    expect(second.snapshot?.channels[0]).toMatchObject({ channelId, policy: 'reject' });
    second.prompt(channelId, 'go');
    await second.until('the end of it', () => ends(second).length > 0);
    expect(last(second)).toMatchObject({ reason: 'allowed', decidedBy: { rule: 'rule 1' } });
    const taken = await result(second.ask({ type: 'set_policy', channelId, policy: 'inherit', persist: true }));
    expect(taken?.status).toBe('applied');
    const third = await stage.watch();
    expect(third.snapshot?.channels[0]?.policy).toBeUndefined();
  });
});

describe('a newer attestation', () => {
  const until = (sec: number) => `created_at<${Math.floor(Date.now() / 1_000) + sec}`;

  test('HA125: is shown to the relay at once, kept, and a wrong one changes nothing', async () => {
    const { harness, viewer } = await open();
    const tag = attest(stage.ownerKey, stage.agent, until(9_000), stage.crypto);
    const stranger = attest(stage.crypto.randomBytes(32), stage.agent, '', stage.crypto);
    const over = attest(stage.ownerKey, stage.agent, until(-9_000), stage.crypto);
    expect((await result(viewer.ask({ type: 'set_auth', tag: stranger })))?.reason).toContain('the tag is signed by');
    expect((await result(viewer.ask({ type: 'set_auth', tag: over })))?.reason).toContain('does not hold now');
    expect((await result(viewer.ask({ type: 'set_auth', tag })))?.status).toBe('applied');
    const line = await stage.ownerLine();
    const shown = async () => (await line.profileOf(stage.agent)).tags.find(([name]) => name === 'auth')?.[2];
    while ((await shown()) !== tag[2]);
    await harness.close();
    await open({}, { authTag: attest(stage.ownerKey, stage.agent, until(60), stage.crypto) });
    expect(await shown()).toBe(tag[2]);
  });
});

test('HA126: who comes late is told what waits, what can be set and what it is set to', async () => {
  const harness = await stage.harness({ script: 'has-options.mjs' });
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, 'go');
  await said(viewer, 'working');
  await viewer.ask({ type: 'switch_model', channelId: harness.channelId, modelId: 'large' });
  viewer.prompt(harness.channelId, 'next');
  await viewer.until('the queue', () => viewer.find('prompt_queued'));
  const late = await stage.watch();
  const [channel] = late.snapshot?.channels ?? [];
  expect(channel?.queue).toMatchObject([{ position: 1, content: [{ text: 'next' }] }]);
  expect(channel?.config?.configOptions).toContainEqual(
    expect.objectContaining({ id: 'model', currentValue: 'large' }),
  );
});
