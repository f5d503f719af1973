import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

test('HA44: a flood on stderr is told in few bounded pieces, with what was cut, and holds nothing up', async () => {
  const harness = await stage.harness({ script: 'floods-stderr.mjs' });
  const viewer = await stage.watch();
  const startedMs = Date.now();
  viewer.prompt(harness.channelId, 'go');
  await viewer.until('the answer', () => viewer.events().find(({ payload }) => payload.includes('"still here"')));
  await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
  const told = () => viewer.events(harness.run).filter(({ kind }) => kind === 'agent_stderr');
  await viewer.until('its last words', () => told().at(-1)?.payload.includes('noise 39999'));
  const seconds = (Date.now() - startedMs) / 1_000;
  expect(told().length).toBeLessThanOrEqual(2 * seconds + 2);
  for (const { payload } of told()) expect(payload.length).toBeLessThan(6_000);
  expect(told().some(({ payload }) => /\d+ characters/.test(payload))).toBe(true);
});
