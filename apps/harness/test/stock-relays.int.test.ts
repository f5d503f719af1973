import { afterEach, beforeEach, expect, test } from 'vitest';
import { Stage } from './support/stage.ts';
import { NOSTR_RS_RELAY, STRFRY, StockRelay } from './support/stock-relay.ts';
import { until } from './support/until.ts';
import { Watcher } from './support/watcher.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(async () => {
  await stage.close();
});

test.each([
  ['strfry', STRFRY],
  ['nostr-rs-relay', NOSTR_RS_RELAY],
])('HA226: with the limits of a stock %s lines of any size arrive whole, and nothing is refused', async (_, limits) => {
  const relay = await StockRelay.open(limits);
  stage.atEnd(() => relay.close());
  const agentEnv = { AGENT_PIECE_BYTES: '200' };
  const harness = await stage.harness({ script: 'floods.mjs', relays: [relay.url], agentEnv });
  await until('the relay', () => stage.logs.some(({ message }) => message === 'connected to the relay'));
  const viewer = new Watcher(relay.url, stage.ownerKey, stage.agent, stage.crypto);
  stage.atEnd(() => viewer.close());
  await viewer.until('the snapshot', () => viewer.snapshot);
  const large = { type: 'text', text: 'é"'.repeat(10_000) } as { type: string };
  viewer.send({
    type: 'prompt',
    channelId: harness.channelId,
    content: [{ type: 'text', text: '3000' } as { type: string }, large],
  });
  await viewer.until('the end of the turn', () => viewer.find('turn_completed'));
  const pieces = () => viewer.events(harness.stream).filter(({ payload }) => payload.includes('"piece ')).length;
  await viewer.until('every piece', () => pieces() === 3_000);
  expect(relay.refusals).toEqual([]);
  expect(relay.taken).toBeGreaterThan(10);
  expect(viewer.warnings).toEqual([]);
});
