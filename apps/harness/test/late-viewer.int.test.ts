import { TranscriptFold } from '@heliograph/transcript';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import type { Watcher } from './support/watcher.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

test('HA224: a viewer that comes in the middle of a turn ends with the same transcript as one that was there from the start', async () => {
  const harness = await stage.harness({ script: 'ticks.mjs', agentEnv: { AGENT_EVERY_MS: '20' } });
  const first = await stage.watch();
  first.resync();
  first.prompt(harness.channelId, '400');
  const ticks = (viewer: Watcher) =>
    viewer.events(harness.stream).filter(({ payload }) => payload.includes('"tick ')).length;
  await first.until('a part of the turn', () => ticks(first) > 20);
  const late = await stage.watch();
  expect(first.find('turn_completed')).toBeUndefined();
  await first.until('the end', () => first.find('turn_completed'));
  const isWhole = (viewer: Watcher) =>
    [harness.run, harness.stream].every((stream) => {
      const events = viewer.rawEvents(stream);
      return events.length > 0 && events.at(-1)?.seq === events.length;
    });
  const shown = (viewer: Watcher) => {
    const fold = new TranscriptFold();
    for (const stream of [harness.run, harness.stream])
      for (const event of viewer.rawEvents(stream)) fold.insert(event);
    return fold.transcript(harness.channelId);
  };
  await late.until('all of the turn', () => late.find('turn_completed') !== undefined && ticks(late) === 400);
  // What is older than what is open is asked for when somebody looks at it.
  late.resync();
  for (const viewer of [first, late]) await viewer.until('everything', () => isWhole(viewer));
  expect(shown(late).turns).toEqual(shown(first).turns);
  expect(shown(late).session).toEqual(shown(first).session);
  expect(JSON.stringify(shown(late).turns)).toContain('tick 399 ');
});
