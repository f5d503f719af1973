import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRelayClient, type RelayClient } from '@heliograph/client';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { localSigner, NO_FIGURES, openUsage, type UsageReport, verifyEvent } from '@heliograph/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../src/clock.ts';
import { MAX_WAITING, UsageOutbox } from '../src/mirror/usage-outbox.ts';
import { ScriptedRelay } from './support/scripted-relay.ts';
import { until } from './support/until.ts';

const { crypto } = selectNodeCrypto();
const agent = localSigner(crypto.randomBytes(32), crypto);
const owner = localSigner(crypto.randomBytes(32), crypto);

let stateDir: string;
let logs: string[];
const clients: RelayClient[] = [];
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'heliograph-usage-'));
  logs = [];
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  rmSync(stateDir, { recursive: true });
});

const log = (_: object, message: string) => void logs.push(message);
const open = () =>
  UsageOutbox.open({
    stateDir,
    owner: owner.publicKey,
    signer: agent,
    crypto,
    clock: systemClock,
    log: { debug: log, info: log, warn: log, error: log },
    authTag: () => undefined,
  });

function connect(outbox: UsageOutbox, relay: ScriptedRelay, url: string): void {
  const client = createRelayClient({
    url,
    signer: agent,
    openSocket: relay.open,
    clock: systemClock,
    random: Math.random,
    onState: (state) => outbox.relayChanged(url, state),
  });
  clients.push(client);
  outbox.connect(client);
}

const report = (turnId: string): UsageReport => ({
  harness: 'h',
  model: null,
  channelId: null,
  sessionId: null,
  turnId,
  turnSeq: 1,
  timestamp: '2026-11-30T09:20:03Z',
  turn: NO_FIGURES,
  cumulative: NO_FIGURES,
  deltaReliable: true,
  stopReason: 'end_turn',
});

const files = () => readdirSync(join(stateDir, 'usage'));

async function turnsAt(relay: ScriptedRelay): Promise<(string | null)[]> {
  const opened = relay.taken.map(async (event) => {
    const verified = verifyEvent(event, crypto);
    const read = verified.ok ? await openUsage(verified.value, owner) : verified;
    return read.ok ? read.value.turnId : read.error.message;
  });
  return Promise.all(opened);
}

test('HA195: each report goes to every relay; one that refuses them holds back no other, and it stays on disk for it', async () => {
  const [good, closed] = [new ScriptedRelay(), new ScriptedRelay()];
  closed.answer = () => 'blocked: no such kind here';
  const outbox = await open();
  connect(outbox, good, 'ws://good');
  connect(outbox, closed, 'ws://closed');
  await outbox.publish(report('a'));
  await outbox.publish(report('b'));
  await until('both', () => good.taken.length === 2);
  expect(await turnsAt(good)).toEqual(['a', 'b']);
  await until('the refusal', () => logs.includes('the relay took no usage reports: trying again'));
  expect(files()).toHaveLength(2);
  await outbox.close();

  const later = await open();
  closed.answer = () => 'ok';
  connect(later, good, 'ws://good');
  connect(later, closed, 'ws://closed');
  await until('the rest', () => closed.taken.length === 2 && files().length === 0);
  expect(new Set(good.taken.map(({ id }) => id)).size).toBe(2);
  expect(logs.some((message) => message.includes('connected to the relay'))).toBe(false);
});

test('HA195: one report that a relay calls invalid does not hold back the next, and is tried again in the next run', async () => {
  const relay = new ScriptedRelay();
  let isFirst = true;
  relay.answer = () => {
    if (!isFirst) return 'ok';
    isFirst = false;
    return 'invalid: created_at is 700 s ahead';
  };
  const outbox = await open();
  connect(outbox, relay, 'ws://relay');
  await outbox.publish(report('a'));
  await until('the refusal', () => relay.received.length === 1);
  await outbox.publish(report('b'));
  await until('the second', () => relay.taken.length === 1 && files().length === 1);
  expect(await turnsAt(relay)).toEqual(['b']);
  await outbox.close();
  const later = await open();
  connect(later, relay, 'ws://relay');
  await until('the first', () => relay.taken.length === 2 && files().length === 0);
  expect(await turnsAt(relay)).toEqual(['b', 'a']);
});

test('HA196: a file that is no report of this agent is removed; of very many that wait the oldest are dropped, and said', async () => {
  mkdirSync(join(stateDir, 'usage'));
  for (const [name, text] of [
    ['a.json', '{"cut":'],
    ['b.json', '{}'],
    ['c.json.new', ''],
    ['d.json', JSON.stringify(owner.sign({ kind: 44_200, created_at: 1, tags: [], content: 'x' }))],
  ] as const) {
    writeFileSync(join(stateDir, 'usage', name), text);
  }
  const outbox = await open();
  expect(files()).toEqual([]);
  for (let at = 0; at < MAX_WAITING + 5; at++) await outbox.publish(report(`t${at}`));
  await until('the bound', () => files().length === MAX_WAITING);
  expect(logs.filter((message) => message.includes('the oldest are dropped'))).toHaveLength(1);
  const relay = new ScriptedRelay();
  connect(outbox, relay, 'ws://relay');
  await until('all of them', () => relay.taken.length === MAX_WAITING && files().length === 0);
  const turns = new Set(await turnsAt(relay));
  expect([turns.has('t4'), turns.has('t5'), turns.size]).toEqual([false, true, MAX_WAITING]);
});
