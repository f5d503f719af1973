import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import { until } from './support/until.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

describe('relays', () => {
  test('HA41: the agent works on while the relay is away, and everything arrives when it is back', async () => {
    const harness = await stage.harness({ script: 'floods.mjs' });
    const viewer = await stage.watch();
    await viewer.until('the session', () => viewer.find('session_resolved'));
    const port = Number(new URL(stage.relayUrl).port);
    viewer.prompt(harness.channelId, '3000');
    await viewer.until('the first piece', () =>
      viewer.events(harness.stream).find(({ payload }) => payload.includes('piece')),
    );
    await stage.closeRelay();
    await until('the harness to notice', () =>
      stage.logs.some(({ level, message }) => level === 'warn' && message.includes('trying again')),
    );
    await stage.openRelay(port);
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    const pieces = () => viewer.events(harness.stream).filter(({ payload }) => payload.includes('"piece '));
    await viewer.until('every piece', () => pieces().length === 3_000);
    expect(viewer.warnings).toEqual([]);
  });

  test('HA41: a relay that is not there at the start is said to be away, and found when it comes', async () => {
    const port = Number(new URL(stage.relayUrl).port);
    const url = stage.relayUrl;
    await stage.closeRelay();
    const harness = await stage.harness({ relays: [url] });
    await until('the warning', () =>
      stage.logs.find(
        ({ fields, message }) =>
          message.startsWith('not connected to the relay') && JSON.stringify(fields).includes(url),
      ),
    );
    await stage.openRelay(port);
    const viewer = await stage.watch();
    viewer.prompt(harness.channelId, 'hello');
    await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
    // What happened before the relay was there is asked for and comes.
    await viewer.until('the start of the run', () => viewer.rawEvents(harness.run)[0]?.kind === 'stream_opened');
  });

  test("HA14: a relay that refuses the key is told of once, in the relay's words, and tried again", async () => {
    const other = await Stage.open();
    try {
      // An agent of another owner: this relay does not know that one.
      await other.harness({ relays: [stage.relayUrl] });
      const refusal = await until('the warning', () => other.logs.find(({ level }) => level === 'warn'));
      expect(JSON.stringify(refusal.fields)).toContain('restricted:');
      expect(JSON.stringify(refusal.fields)).toContain('heliograph relay --owner');
      const refusals = other.logs.filter(({ fields }) => JSON.stringify(fields ?? {}).includes('restricted:'));
      expect(refusals).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  test('HA50: with two relays everything goes to both, and one is enough', async () => {
    const second = await Stage.open();
    try {
      // The same keys, another relay: the second stage only lends its relay.
      await second.closeRelay();
      second.ownerKey.set(stage.ownerKey);
      second.agentKey.set(stage.agentKey);
      await second.openRelay(0);
      const harness = await stage.harness({ relays: [stage.relayUrl, second.relayUrl] });
      const viewers = [await stage.watch(), await second.watch()];
      viewers[0]?.prompt(harness.channelId, 'one');
      for (const viewer of viewers) await viewer.until('the turn', () => viewer.find('turn_completed'));
      await stage.closeRelay();
      viewers[1]?.prompt(harness.channelId, 'two');
      await viewers[1]?.until(
        'the second turn',
        () => viewers[1]?.events(harness.stream).filter(({ kind }) => kind === 'turn_completed')[1],
      );
    } finally {
      await second.close();
    }
  });

  test('HA42: the relay has a profile that names the agent, its owner and who vouches', async () => {
    await stage.harness({ name: 'workhorse' });
    const line = await stage.ownerLine();
    const profile = await line.profileOf(stage.agent);
    expect(JSON.parse(profile.content)).toMatchObject({ name: 'workhorse', bot: true });
    expect(profile.tags).toContainEqual(['p', stage.owner]);
    expect(profile.tags.find(([name]) => name === 'auth')?.[1]).toBe(stage.owner);
  });
});
