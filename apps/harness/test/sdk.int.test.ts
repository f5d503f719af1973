import type { PermissionPending, TurnCompleted } from '@heliograph/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

describe('an agent built on the official SDK', () => {
  test('HA51: takes every message of ours: handshake, prompt, permission answer, cancel', async () => {
    const main = new URL('./support/sdk-agent.mjs', import.meta.url).pathname;
    const harness = await stage.harness({ command: [process.execPath, main] });
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'first');
    const { payload } = await viewer.until('the request', () => viewer.find<PermissionPending>('permission_pending'));
    const { requestNonce = '', requestSha256 = '' } = payload;
    await viewer.ask({
      type: 'permission_decision',
      channelId: harness.channelId,
      requestNonce,
      requestSha256,
      optionId: 'go',
    });
    await viewer.until('the end of the turn', () =>
      viewer.find<TurnCompleted>('turn_completed', (p) => p.stopReason === 'end_turn'),
    );
    expect(viewer.events().some(({ payload: text }) => text.includes('outcome selected'))).toBe(true);
    viewer.prompt(harness.channelId, 'second');
    const second = await viewer.until('the second request', () =>
      viewer.find<PermissionPending>('permission_pending', (p) => p.requestNonce !== requestNonce),
    );
    const cancelled = await viewer.ask({
      type: 'cancel_turn',
      channelId: harness.channelId,
      turnId: second.event.turnId as string,
    });
    expect(cancelled.result?.status).toBe('cancelled');
    // The SDK answers what it can't take with an error: there was none.
    expect(
      viewer.events().filter(({ kind, payload: text }) => kind === 'acp_read' && text.includes('"error"')),
    ).toEqual([]);
  });
});
