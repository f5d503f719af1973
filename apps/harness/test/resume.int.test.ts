import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionResolved } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { Stage, type StageOptions } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** An agent that learned "one", died, and was prompted "two". */
async function comesBack(how: string, name = 'scripted', options: StageOptions = {}, beforeDeath = () => {}) {
  const agentEnv = { AGENT_REOPEN: how, AGENT_NAME: name, AGENT_MEMORY: stage.file('memory') };
  const harness = await stage.harness({ script: 'remembers.mjs', agentEnv, ...options });
  const viewer = await stage.watch();
  const said = (words: string) =>
    viewer.until(words, () => viewer.events().find(({ payload }) => payload.includes(`"${words}"`)));
  viewer.prompt(harness.channelId, 'one');
  await said('I know one');
  beforeDeath();
  viewer.prompt(harness.channelId, 'die');
  await viewer.until('the exit', () => viewer.find('agent_exited'));
  viewer.prompt(harness.channelId, 'two');
  const resolved = await viewer.until('the second session', () => {
    const all = viewer.events(harness.stream).filter(({ kind }) => kind === 'session_resolved');
    return all[1] && (JSON.parse(all[1].payload) as SessionResolved);
  });
  return { harness, viewer, said, resolved };
}

describe('after a crash', () => {
  test('HA86: an agent that loads sessions knows what it knew, and what it repeats is marked', async () => {
    const { harness, viewer, said, resolved } = await comesBack('load');
    expect(resolved).toMatchObject({ sessionId: 'S1', isNewSession: false, loaded: true });
    await said('I know one, two');
    const repeated = viewer.events(harness.stream).filter(({ replayed }) => replayed === true);
    expect(repeated.map(({ payload }) => payload).join('\n')).toContain('you said one');
    expect(repeated).toHaveLength(2);
    const request = viewer.events(resolved.requestStream).find(({ seq }) => seq === resolved.requestSeq);
    expect(request?.payload).toContain('"session/load"');
  });

  test('HA86: an agent that resumes sessions is resumed', async () => {
    const { viewer, said, resolved } = await comesBack('resume');
    expect(resolved).toMatchObject({ sessionId: 'S1', isNewSession: false });
    expect(resolved.loaded).toBeUndefined();
    await said('I know one, two');
    expect(viewer.events().some(({ replayed }) => replayed === true)).toBe(false);
  });

  test.each([
    ['none', 'this agent can not open a session again'],
    ['refuse', 'no such session'],
  ])('HA86: where it can not (%s) a new session begins, and it is said that context was lost', async (how, reason) => {
    const { said, resolved } = await comesBack(how);
    expect(resolved).toMatchObject({ sessionId: 'S2', isNewSession: true });
    expect(resolved.contextLost).toContain(reason);
    await said('I know two');
  });

  test('HA87: gemini is not asked for a session within the clock minute of its creation nor twice, and what it repeats late is marked', async () => {
    // Our minute has just begun when the session is made, and ends soon when it is to be loaded.
    let aheadMs = 1_000 - (Date.now() % 60_000);
    const clock = { ...systemClock, nowMs: () => Date.now() + aheadMs };
    const hurry = () => {
      aheadMs += 56_000 - (clock.nowMs() % 60_000);
    };
    const { harness, viewer, said } = await comesBack('early', 'gemini-cli', { clock }, hurry);
    await viewer.until('the repetition', () => viewer.events().find(({ replayed }) => replayed === true));
    const written = (method: string) =>
      viewer.events().find(({ kind, payload }) => kind === 'acp_write' && payload.includes(`"${method}"`));
    const minute = (method: string) => written(method)?.timestamp.slice(0, 16) ?? '';
    expect(minute('session/load') > minute('session/new')).toBe(true);
    await said('I know one, two');
    const fresh = viewer.events(harness.stream).find(({ payload }) => payload.includes('"I know one, two"'));
    expect(fresh?.replayed).toBeUndefined();
    // A second time it would be destroyed.
    viewer.prompt(harness.channelId, 'die');
    await viewer.until('the second exit', () => viewer.events().filter(({ kind }) => kind === 'agent_exited')[1]);
    viewer.prompt(harness.channelId, 'three');
    await said('I know three');
    const resolved = viewer.events(harness.stream).findLast(({ kind }) => kind === 'session_resolved');
    expect(JSON.parse(resolved?.payload ?? '')).toMatchObject({
      isNewSession: true,
      contextLost: expect.stringContaining('only once'),
    });
  });
});

describe('after a restart of the harness', () => {
  test('HA90: the agent goes on with the session it had, in the same channel, and its id is in no file', async () => {
    const agentEnv = { AGENT_REOPEN: 'load', AGENT_MEMORY: stage.file('memory') };
    const first = await stage.harness({ script: 'remembers.mjs', agentEnv });
    const before = await stage.watch();
    before.prompt(first.channelId, 'one');
    await before.until('the answer', () => before.events().find(({ payload }) => payload.includes('"I know one"')));
    await before.until('the end of the turn', () => before.find('turn_completed'));
    await first.close();
    expect(readFileSync(join(stage.stateDir, 'channels.sealed'), 'utf8')).not.toContain('"S1"');
    const second = await stage.harness({ script: 'remembers.mjs', agentEnv });
    expect(second.channelId).toBe(first.channelId);
    const viewer = await stage.watch();
    viewer.prompt(second.channelId, 'two');
    await viewer.until('the answer', () =>
      viewer.events().find(({ payload }) => payload.includes('"I know one, two"')),
    );
    viewer.resync();
    const resolved = await viewer.until('the session', () =>
      viewer.events(second.stream).find(({ kind }) => kind === 'session_resolved'),
    );
    expect(JSON.parse(resolved.payload)).toMatchObject({ sessionId: 'S1', isNewSession: false, loaded: true });
  });

  test('HA90: a session that another command line had is not asked for', async () => {
    const agentEnv = { AGENT_REOPEN: 'load', AGENT_MEMORY: stage.file('memory') };
    const first = await stage.harness({ script: 'remembers.mjs', agentEnv });
    const before = await stage.watch();
    before.prompt(first.channelId, 'one');
    await before.until('the end of the turn', () => before.find('turn_completed'));
    await first.close();
    const received = stage.file('received');
    await stage.harness({ script: 'echoes.mjs', agentEnv: { AGENT_LOG: received } });
    const viewer = await stage.watch();
    await viewer.until('a session', () => viewer.find('session_resolved'));
    expect(readFileSync(received, 'utf8')).not.toContain('session/load');
  });
});
