import { afterEach, beforeEach, expect, test } from 'vitest';
import { HarnessProcess } from './support/harness-process.ts';
import { SpoolReader } from './support/spool-reader.ts';
import { Stage } from './support/stage.ts';
import { until } from './support/until.ts';
import { Withheld } from './support/withheld.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

const ENVELOPES = 60;

test('HA112: what the agent said is in the spool, as ciphertext, 50 ms later, also while lines gather for a relay that is away', async () => {
  const agentEnv = { AGENT_EVERY_MS: '8' };
  const harness = await HarnessProcess.start(stage, { script: 'ticks.mjs', agentEnv });
  const withheld = new Withheld(harness.pid);
  stage.atEnd(() => withheld.stop());
  const viewer = await stage.watch();
  viewer.prompt(harness.channelId, '100000');
  await viewer.until('the turn', () => viewer.find('turn_started'));
  await stage.closeRelay();
  const spool = new SpoolReader(stage);
  while (spool.take().length > 0);
  /** For each envelope: how long ago the oldest line in it was said, less what a busy machine withheld meanwhile. */
  const lags: number[] = [];
  await until('many envelopes', () => {
    const appended = spool.take();
    const nowMs = Date.now();
    for (const events of appended) {
      const oldest = events.find(({ payload }) => payload.includes('"tick '));
      if (oldest === undefined) continue;
      const saidMs = Number(/"tick \d+ (\d+)/.exec(oldest.payload)?.[1]);
      lags.push(nowMs - saidMs - withheld.since(saidMs));
    }
    return lags.length >= ENVELOPES;
  });
  // What else the machine does can only add to it: the quicker fourth shows what the harness itself takes.
  const quick = lags.toSorted((a, b) => a - b)[ENVELOPES / 4];
  expect(quick).toBeLessThanOrEqual(50);
});
