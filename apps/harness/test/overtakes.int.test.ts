import type { PermissionPending } from '@heliograph/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HarnessProcess } from './support/harness-process.ts';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

/** At two frames a second far more than a minute's: a busy machine has the time to ask and answer. */
const PIECES = 15_000;

test('HA115: a permission request, its decision, results and snapshots overtake a burst that the relay takes long for', async () => {
  const port = Number(new URL(stage.relayUrl).port);
  await stage.closeRelay();
  await stage.openRelay(port, undefined, { eventsPerSec: 2, eventBurst: 12 });
  const agentEnv = { AGENT_SAYS_FIRST: String(PIECES) };
  const { channelId } = await HarnessProcess.start(stage, { script: 'asks-permission.mjs', agentEnv });
  const viewer = await stage.watch();
  const pieces: string[] = [];
  viewer.onEvent = ({ payload }) => {
    if (payload.includes('"piece ')) pieces.push(payload);
  };
  viewer.prompt(channelId, 'go');
  const { payload } = await viewer.until('the request', () => viewer.find<PermissionPending>('permission_pending'));
  const { requestNonce, requestSha256 } = payload as PermissionPending;
  expect(pieces.length).toBeLessThan(PIECES);
  const draft = { type: 'permission_decision', channelId, requestNonce, requestSha256 } as const;
  const decided = await viewer.askAhead({ ...draft, optionId: 'id-of-allow_once' });
  expect(decided.result?.status).toBe('applied');
  await viewer.until('its end', () => viewer.find('permission_terminal'));
  viewer.snapshot = undefined;
  viewer.resync();
  await viewer.until('a snapshot', () => viewer.snapshot);
  expect(pieces.length).toBeLessThan(PIECES);
  await stage.closeRelay();
  await stage.openRelay(port);
  await viewer.until('every piece', () => pieces.length === PIECES);
  const said = viewer.events().filter(({ payload }) => payload.includes('"piece '));
  const numbers = said.map(({ payload }) => Number(/"piece (\d+) /.exec(payload)?.[1]));
  expect(numbers).toEqual(Array.from({ length: PIECES }, (_, index) => index));
  expect(viewer.warnings).toEqual([]);
});
