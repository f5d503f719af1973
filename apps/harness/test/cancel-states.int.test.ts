import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import type { Watcher } from './support/watcher.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

const started = (viewer: Watcher, stream: string) =>
  viewer.events(stream).filter(({ kind }) => kind === 'turn_started').length;

describe('a cancel before there is anything to cancel', () => {
  test.each(['initialize', 'session/new', 'session/load'])(
    'HA222: while the agent is at %s a prompt waits, a cancel finds no turn, and what is taken back is never prompted',
    async (method) => {
      const [go, received] = [stage.file('go'), stage.file('received')];
      const agentEnv = { AGENT_HOLD: method, AGENT_GO: go, AGENT_LOG: received };
      const harness = await stage.harness({ script: 'holds-start.mjs', agentEnv });
      const viewer = await stage.watch();
      const { channelId, stream } = harness;
      const log = () => (existsSync(received) ? readFileSync(received, 'utf8') : '');
      if (method === 'session/load') {
        viewer.prompt(channelId, 'before');
        await viewer.until('a turn', () => viewer.find('turn_completed'));
        // Answered once the session is there, which takes until it may go.
        viewer.send({ type: 'restart_agent' });
      }
      const before = started(viewer, stream);
      await viewer.until(`the agent at ${method}`, () => log().includes(`"${method}"`));
      const requestId = viewer.prompt(channelId, 'taken back');
      await viewer.until('it to wait', () => viewer.find('prompt_queued'));
      expect((await viewer.ask({ type: 'cancel_turn', channelId })).result?.status).toBe('no_active_turn');
      const back = await viewer.ask({ type: 'unqueue', channelId, promptRequestId: requestId });
      expect(back.result?.status).toBe('removed');
      writeFileSync(go, '');
      viewer.prompt(channelId, 'after');
      await viewer.until('its answer', () => viewer.events().find(({ payload }) => payload.includes('"heard after"')));
      expect(log()).not.toContain('taken back');
      expect(log()).not.toContain('session/cancel');
      expect(started(viewer, stream)).toBe(before + 1);
    },
  );

  test('HA222: an agent that never comes up takes no prompt with it: after its time the harness ends with a sentence', async () => {
    const agentEnv = { AGENT_HOLD: 'session/new', AGENT_GO: stage.file('go') };
    const harness = await stage.harness({ script: 'holds-start.mjs', agentEnv, startTimeoutMs: 1_000 });
    const { code, reason } = await harness.closed;
    expect(code).toBe(1);
    expect(reason).toContain('did not answer session/new within 1 s');
  });
});
