import { existsSync, readFileSync } from 'node:fs';
import { payloadOf, type StreamClosed, type TurnCompleted, type TurnError } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import { until } from './support/until.ts';
import { linesOf } from './support/written-lines.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

describe('an agent that does not come up', () => {
  test.each([
    ['start', '3', 'exited with code 3 before it answered initialize'],
    ['initialize', 'SIGKILL', 'was ended by SIGKILL before it answered initialize'],
    ['session/new', '0', 'exited with code 0 before it answered session/new'],
  ])('HA32: leaving at %s (%s) ends the harness with a sentence', async (at, how, words) => {
    const harness = await stage.harness({ script: 'exits.mjs', agentEnv: { AGENT_EXIT_AT: at, AGENT_EXIT: how } });
    const { code, reason } = await harness.closed;
    expect(code).toBe(1);
    expect(reason).toContain(words);
    expect(reason).toContain('fatal: the model file is missing');
    expect(reason).toContain(`in ${stage.folder} to see why`);
  });

  test('HA32: its end is told to the viewer too, stderr included', async () => {
    // Slow enough for a viewer to be there: it leaves at session/new.
    const harness = await stage.harness({ script: 'exits.mjs', agentEnv: { AGENT_EXIT_AT: 'session/prompt' } });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'die');
    await viewer.until('the exit', () => viewer.find('agent_exited'));
    // The harness's own warnings stand among the agent's words.
    const words = viewer.events().filter(({ kind }) => kind === 'agent_stderr');
    expect(words.map(({ payload }) => payload).join()).toContain('the model file is missing');
  });

  test('HA32: one that is not logged in says how that is mended', async () => {
    const harness = await stage.harness({ script: 'refuses-session.mjs' });
    const { code, reason } = await harness.closed;
    expect(code).toBe(1);
    expect(reason).toContain('the agent is not logged in (Authentication required)');
    expect(reason).toContain('Log in with a browser');
  });

  test('HA34: one that writes garbage gets nothing written back, and is given up after its time', async () => {
    const received = stage.file('received');
    const harness = await stage.harness({
      script: 'writes-garbage.mjs',
      agentEnv: { AGENT_LOG: received },
      startTimeoutMs: 4_000,
    });
    const viewer = await stage.watch();
    await viewer.until('the garbage', () => viewer.events().find(({ payload }) => payload.includes('what?')));
    const { code, reason } = await harness.closed;
    expect(code).toBe(1);
    expect(reason).toMatch(/did not answer initialize within 4 s \(it wrote \d+ bytes that are no answer\)/);
    const read = viewer.events(harness.run).filter(({ kind }) => kind === 'acp_parse_error' || kind === 'acp_read');
    expect(read.map(({ kind }) => kind)).toEqual([
      'acp_parse_error',
      'acp_parse_error',
      'acp_parse_error',
      'acp_read',
      'acp_read',
      'acp_parse_error',
    ]);
    expect(linesOf(received)).toHaveLength(1);
  });

  test('HA36: a command that is not there, a folder that is not there: named, and nothing is left behind', async () => {
    await expect(stage.harness({ command: ['no-such-agent', '--acp'] })).rejects.toMatchObject({
      code: 'ENOENT',
      message: expect.stringContaining('"no-such-agent"'),
    });
    await expect(stage.harness({ cwd: '/no/such/folder' })).rejects.toMatchObject({
      code: 'ENOTDIR',
      message: expect.stringContaining('/no/such/folder'),
    });
    // The key is free again.
    await stage.harness();
  });
});

describe('an agent that goes away', () => {
  test.each([
    ['9', { code: 9, signal: null }, 'exited with code 9'],
    ['SIGKILL', { code: null, signal: 'SIGKILL' }, 'was ended by SIGKILL'],
  ])(
    'HA33: in a turn (%s): exit and turn are told, and the next prompt starts it anew in the same channel',
    async (how, exit, words) => {
      const harness = await stage.harness({
        script: 'exits.mjs',
        agentEnv: { AGENT_EXIT_AT: 'session/prompt', AGENT_EXIT: how },
      });
      const viewer = await stage.watch();
      viewer.prompt(harness.channelId, 'die');
      await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
      expect(viewer.find<TurnCompleted>('turn_completed')?.payload).toEqual({ outcome: 'failed', stopReason: null });
      const error = viewer.find<TurnError>('turn_error')?.payload;
      expect(error).toMatchObject({ outcome: 'exited', error: expect.stringContaining(words) });
      expect(error?.error).toContain('the model file is missing');
      const exited = await viewer.until('the exit', () => viewer.find('agent_exited'));
      expect(exited.payload).toEqual({ ...exit, expected: false });
      const next = viewer.prompt(harness.channelId, 'live');
      await viewer.until('the agent to be back', () =>
        viewer.events().find(({ payload }) => payload.includes('alive')),
      );
      const resolved = viewer.events(harness.stream).filter(({ kind }) => kind === 'session_resolved');
      expect(resolved).toHaveLength(2);
      expect(resolved[1]?.payload).toContain('"isNewSession":true');
      expect(viewer.find<{ promptRequestId: string }>('turn_started', (p) => p.promptRequestId === next)).toBeDefined();
    },
  );

  test('HA33: one that can not be started again fails the prompt that wanted it, visibly', async () => {
    const flag = stage.file('flag');
    const script = new URL('../../../fixtures/agents/exits.mjs', import.meta.url).pathname;
    const shell = `if [ -e "${flag}" ]; then echo "second start" >&2; exit 4; fi; touch "${flag}"; exec "${process.execPath}" "${script}"`;
    const harness = await stage.harness({
      command: ['sh', '-c', shell],
      agentEnv: { AGENT_EXIT_AT: 'session/prompt' },
    });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'die');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    const next = viewer.prompt(harness.channelId, 'live');
    await viewer.until(
      'both turns to fail',
      () => viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_completed').length === 2,
    );
    const error = viewer.find<TurnError>('turn_error', (p) => p.error?.includes('second start') === true);
    expect(error?.payload).toMatchObject({ outcome: 'exited', error: expect.stringContaining('exited with code 4') });
    expect(viewer.find<{ promptRequestId: string }>('turn_started', (p) => p.promptRequestId === next)).toBeDefined();
  });
});

describe('the end', () => {
  test('HA40: close ends the agent, ends every stream with its last envelope named, and frees the key', async () => {
    const harness = await stage.harness();
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'hello');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    await harness.close();
    expect(await harness.closed).toEqual({ code: 0, reason: 'closed' });
    for (const stream of [harness.run, harness.stream]) {
      const closed = await viewer.until('the end of the stream', () => {
        const last = viewer.rawEvents(stream).at(-1);
        return last?.kind === 'stream_closed' ? last : undefined;
      });
      expect(payloadOf<StreamClosed>(closed)?.lastSeq).toBe(closed.seq - 1);
    }
    expect(viewer.events(harness.run).find(({ kind }) => kind === 'agent_exited')?.payload).toContain(
      '"expected":true',
    );
    expect(viewer.warnings).toEqual([]);
    const next = await stage.harness();
    expect(next.run).not.toBe(harness.run);
  });

  test.each([
    ['no process is left', {}],
    ['none that left its group either', { AGENT_CHILD_LEAVES: '1' }],
  ])('HA40: an open turn is ended with the harness, and %s', async (_, leaves) => {
    const child = stage.file('child');
    const harness = await stage.harness({
      script: 'waits-for-cancel.mjs',
      agentEnv: { AGENT_DEAF: '1', AGENT_CHILD: child, ...(leaves as Record<string, string>) },
      exitGraceMs: 100,
    });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    await viewer.until('a sign of life', () => viewer.events().find(({ payload }) => payload.includes('working')));
    await harness.close();
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    expect(viewer.find<TurnCompleted>('turn_completed')?.payload).toMatchObject({ outcome: 'killed' });
    const pid = Number(readFileSync(child, 'utf8'));
    await until('the grandchild to be gone', () => {
      const path = `/proc/${pid}/stat`;
      return !existsSync(path) || readFileSync(path, 'utf8').includes(') Z ');
    });
  });

  test('HA37: a key runs once on a machine, whatever its state folder; a dead holder holds nothing', async () => {
    const harness = await stage.harness();
    const second = stage.harness({ stateDir: stage.file('elsewhere') });
    await expect(second).rejects.toMatchObject({
      code: 'ELOCKED',
      message: expect.stringContaining(String(process.pid)),
    });
    await harness.close();
    await stage.harness({ stateDir: stage.file('elsewhere') });
  });
});
