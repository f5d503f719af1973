import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import { until } from './support/until.ts';
import { WireProxy } from './support/wire-proxy.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

test('HA223: a connection that passes nothing on, and is not said to have ended, is found and replaced; what waited arrives', async () => {
  const port = Number(new URL(stage.relayUrl).port);
  const proxy = await WireProxy.open(port);
  stage.atEnd(() => proxy.close());
  await stage.closeRelay();
  await stage.openRelay(port, proxy.url);
  const harness = await stage.harness({
    script: 'ticks.mjs',
    relays: [proxy.url],
    relaySilenceMs: 2_000,
    agentEnv: { AGENT_EVERY_MS: '20' },
  });
  const viewer = await stage.watch(undefined, `ws://127.0.0.1:${port}`);
  viewer.prompt(harness.channelId, '50');
  const ticks = () => viewer.events(harness.stream).filter(({ payload }) => payload.includes('"tick ')).length;
  await viewer.until('the first ticks', () => ticks() > 3);
  proxy.forget();
  const connections = () => stage.logs.filter(({ message }) => message === 'connected to the relay').length;
  expect(connections()).toBe(1);
  // 2 s of silence until it asks (30 where nobody says otherwise), 10 s for the answer.
  await until('another connection', () => connections() === 2, undefined, 60_000);
  await viewer.until('every tick', () => ticks() === 50);
  await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
  expect(viewer.find('observer_telemetry_gap')).toBeUndefined();
});
