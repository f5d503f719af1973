import { readFileSync } from 'node:fs';
import type { PermissionPending, TurnCompleted, TurnError } from '@heliograph/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

test.each([
  [{ code: -32000, message: 'Authentication required' }, 'auth'],
  [{ code: -32001, message: 'log in' }, 'auth'],
  [{ code: 401, message: '{"error":{"status":"UNAUTHENTICATED"}}' }, 'auth'],
  [{ code: -32603, message: 'Internal error', data: { details: '401 Invalid API key' } }, 'auth'],
  [{ code: -32603, message: 'HTTP 403' }, 'auth'],
  [{ code: -32603, message: 'parse error in main.ts, line 401' }, 'error'],
] as const)(
  'HA82: a prompt refused with %j ends its turn as %s, once, and is not tried again',
  async (error, outcome) => {
    const received = stage.file('received');
    const agentEnv = { AGENT_ERROR: JSON.stringify(error), AGENT_LOG: received };
    const harness = await stage.harness({ script: 'refuses-prompt.mjs', agentEnv });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'go');
    const { payload } = await viewer.until('the end', () => viewer.find<TurnCompleted>('turn_completed'));
    expect(payload.outcome).toBe('failed');
    const told = viewer.find<TurnError>('turn_error')?.payload;
    expect(told).toMatchObject({ outcome, error: error.message, code: error.code });
    if (outcome === 'auth')
      expect(told?.hint).toContain('log in with `codex login` on this machine (it offers: API key)');
    else expect(told?.hint).toBeUndefined();
    // The next one is the owner's.
    viewer.prompt(harness.channelId, 'again');
    const ends = () => viewer.events(harness.stream).filter(({ kind }) => kind === 'turn_completed');
    await viewer.until('both ends', () => ends().length === 2);
    expect(readFileSync(received, 'utf8').split('"session/prompt"')).toHaveLength(3);
  },
);

test('HA80: an agent that writes a byte now and then, without a line in all that time, is not silent', async () => {
  const harness = await stage.harness({ script: 'drips.mjs', idleTimeoutMs: 2_500 });
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, 'go');
  const { payload } = await viewer.until('the end', () => viewer.find<TurnCompleted>('turn_completed'));
  expect(payload).toMatchObject({ outcome: 'completed' });
  expect(viewer.find('turn_error')).toBeUndefined();
});

test('HA19: of two devices that answer a permission at once one is heard, and the other told so', async () => {
  const received = stage.file('received');
  const harness = await stage.harness({ script: 'asks-permission.mjs', agentEnv: { AGENT_LOG: received } });
  const [desk, phone] = [await stage.watch(), await stage.watch()];
  desk.prompt(harness.channelId, 'go');
  const { payload } = await desk.until('the request', () => desk.find<PermissionPending>('permission_pending'));
  const { requestNonce = '', requestSha256 = '' } = payload as { requestNonce?: string; requestSha256?: string };
  const answer = (optionId: string) =>
    ({
      type: 'permission_decision',
      channelId: harness.channelId,
      requestNonce,
      requestSha256,
      optionId,
    }) as const;
  const answers = await Promise.all([desk.ask(answer('id-of-allow_once')), phone.ask(answer('id-of-reject_once'))]);
  expect(answers.map(({ result }) => result?.status).toSorted()).toEqual(['already_decided', 'applied']);
  await desk.until('the end', () => desk.find('turn_completed'));
  expect(desk.events().filter(({ kind }) => kind === 'permission_terminal')).toHaveLength(1);
  expect(readFileSync(received, 'utf8').split('"outcome":"selected"')).toHaveLength(2);
});
