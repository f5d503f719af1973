import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlDraft } from '@heliograph/client';
import { localSigner, type SessionResolved } from '@heliograph/wire';
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

async function open(agentEnv: Record<string, string> = {}, options: StageOptions = {}) {
  const env = { AGENT_MEMORY: stage.file('memory'), ...agentEnv };
  const harness = await stage.harness({ script: 'remembers.mjs', agentEnv: env, ...options });
  const viewer = await stage.watch();
  return { harness, viewer };
}

const result = async (viewer: Watcher, draft: ControlDraft) => (await viewer.ask(draft)).result;

const said = (viewer: Watcher, words: string) =>
  viewer.until(words, () => viewer.events().find(({ payload }) => payload.includes(`"${words}"`)));

describe('a session that the agent does not end', () => {
  test('HA214: its channel is closed after the grace, the owner told so, and an answer that comes later changes nothing', async () => {
    const { harness, viewer } = await open({ AGENT_CLOSES: 'never' }, { cancelGraceMs: 200 });
    const { channelId } = harness;
    await viewer.until('the session', () => viewer.find('session_resolved'));
    const closed = await result(viewer, { type: 'close_session', channelId });
    expect(closed).toEqual(expect.objectContaining({ status: 'applied' }));
    expect(closed?.reason).toBe(
      'the agent has not answered session/close within 0.2 s: the channel is closed here, the session may go on in the agent',
    );
    const prompt = { type: 'prompt', channelId, content: [{ type: 'text', text: 'one' } as { type: string }] } as const;
    expect((await result(viewer, prompt))?.reason).toContain('this channel is closed');
    expect(await result(viewer, { type: 'new_session', channelId })).toMatchObject({ sessionId: 'S2' });
    viewer.send(prompt);
    await said(viewer, 'I know one');
  });
});

describe('what is kept of sessions', () => {
  test('HA215: a session id over 256 characters is refused with its length, from the agent and from an owner', async () => {
    const { harness, viewer } = await open();
    const { channelId } = harness;
    const load = { type: 'load_session', channelId: randomUUID(), sessionId: 's'.repeat(257) } as const;
    expect(await result(viewer, load)).toMatchObject({
      status: 'failure',
      reason: 'the sessionId has 257 characters: no more than 256 can be kept',
    });
    viewer.prompt(channelId, 'one');
    await said(viewer, 'I know one');
    await harness.close();
    const long = { AGENT_MEMORY: stage.file('other'), AGENT_ID_LENGTH: '70000', AGENT_REOPEN: 'none' };
    const refused = await stage.harness({ script: 'remembers.mjs', agentEnv: long });
    expect(await refused.closed).toEqual({
      code: 1,
      reason: 'the sessionId has 70000 characters: no more than 256 can be kept',
    });
  });

  test('HA215: with a command line that no list could hold a restart goes on with the session', async () => {
    const script = new URL('../../../fixtures/agents/remembers.mjs', import.meta.url).pathname;
    const command = [process.execPath, script, 'x'.repeat(100_000)];
    const first = await open({}, { command });
    first.viewer.prompt(first.harness.channelId, 'one');
    await said(first.viewer, 'I know one');
    await first.viewer.until('the end of the turn', () => first.viewer.find('turn_completed'));
    await first.harness.close();
    const { harness, viewer } = await open({}, { command });
    viewer.prompt(harness.channelId, 'two');
    await said(viewer, 'I know one, two');
    expect(viewer.find<SessionResolved>('session_resolved', (p) => p.contextLost !== undefined)).toBeUndefined();
  });

  /** The policies in the state folder, as their owner can read them. */
  async function keptPolicies(): Promise<{ agent?: { policy: string }; channels: Record<string, { policy: string }> }> {
    const owner = localSigner(stage.ownerKey, stage.crypto);
    const opened = await owner.decrypt(stage.agent, readFileSync(join(stage.stateDir, 'policies.sealed'), 'utf8'));
    return JSON.parse(opened.ok ? opened.value : '');
  }

  test('HA216: a policy that the disk did not take is not kept with the next one, and those of channels that are gone are let go', async () => {
    const { harness, viewer } = await open();
    const channelId = randomUUID();
    const refused = join(stage.stateDir, 'policies.sealed.new');
    mkdirSync(refused);
    const failed = await result(viewer, { type: 'set_policy', policy: 'allow', persist: true });
    expect(failed).toMatchObject({ status: 'failure', reason: expect.stringContaining('could not be kept') });
    rmdirSync(refused);
    await viewer.ask({ type: 'new_session', channelId });
    await viewer.ask({ type: 'set_policy', channelId: harness.channelId, policy: 'reject', persist: true });
    await viewer.ask({ type: 'set_policy', channelId, policy: 'reject', persist: true });
    expect(await keptPolicies()).toMatchObject({
      channels: { [harness.channelId]: { policy: 'reject' }, [channelId]: { policy: 'reject' } },
    });
    expect((await keptPolicies()).agent).toBeUndefined();
    await viewer.ask({ type: 'close_session', channelId });
    await harness.close();
    const again = await open();
    expect(again.viewer.snapshot).toMatchObject({ policy: 'ask', channels: [{ policy: 'reject' }] });
    await again.viewer.ask({ type: 'set_policy', policy: 'ask', persist: true });
    expect(Object.keys((await keptPolicies()).channels)).toEqual([harness.channelId]);
  });
});

test('HA217: of the channels an agent opens by itself 64 are open in one life, and 64 are remembered of those that ended with it', async () => {
  const harness = await stage.harness({ script: 'speaks-early.mjs', agentEnv: { AGENT_OWN: '70' } });
  const viewer = await stage.watch();
  const { channelId } = harness;
  const lives: string[][] = [];
  const ofKind = (wanted: string) =>
    viewer.events().flatMap(({ stream, kind }) => (kind === wanted && stream !== undefined ? [stream] : []));
  const streams = () => new Set(ofKind('stream_opened'));
  const seen = new Set([...streams(), harness.run, harness.stream]);
  for (const life of [1, 2, 3]) {
    viewer.prompt(channelId, 'go');
    const ends = () => viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_completed');
    await viewer.until(`turn ${life}`, () => ends().length === life);
    const fresh = () => [...streams()].filter((stream) => !seen.has(stream));
    await viewer.until(`its channels in life ${life}`, () => fresh().length === 64);
    const own = fresh();
    for (const stream of own) seen.add(stream);
    lives.push(own);
    expect(await result(viewer, { type: 'restart_agent' })).toMatchObject({ status: 'applied' });
  }
  const closed = () => ofKind('stream_closed');
  await viewer.until('the end of those of the first two lives', () => closed().length === 128);
  expect(new Set(closed())).toEqual(new Set([...(lives[0] ?? []), ...(lives[1] ?? [])]));
  const last = (stream: string) => viewer.rawEvents(stream).at(-1);
  for (const stream of closed()) expect(last(stream)?.kind).toBe('stream_closed');
  const late = await stage.watch();
  expect(late.snapshot?.channels).toHaveLength(65);
  const told = late.snapshot?.streams.map(({ stream }) => stream);
  expect(new Set(told)).toEqual(new Set([harness.run, harness.stream, ...(lives[2] ?? [])]));
});
