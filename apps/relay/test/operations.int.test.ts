import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStore } from '@heliograph/relay';
import Database from 'better-sqlite3';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import {
  connectAs,
  otherOwner,
  owner,
  RawClient,
  startTestRelay,
  telemetry,
  template,
  temporaryFolder,
} from './relay-under-test.ts';

it('RL54: /healthz says that it lives; /readyz that it writes, knows the time and hears itself', async () => {
  const relay = await startTestRelay();
  expect(await (await fetch(`${relay.httpUrl}/healthz`)).json()).toEqual({ status: 'ok' });
  const ready = await fetch(`${relay.httpUrl}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({ ready: true, echoMs: expect.any(Number) });
});

it('RL54: /readyz says what is wrong, within its deadline', async () => {
  const dataDir = temporaryFolder();
  const store = openSqliteStore(dataDir);
  if (!store.ok) throw new Error(store.error.message);
  store.value.close();
  const relay = await startTestRelay({ dataDir, limits: { maxConnectionsPerAddress: 0 } });
  const unready = async () => {
    const response = await fetch(`${relay.httpUrl}/readyz`);
    return { status: response.status, ...((await response.json()) as object) };
  };
  expect(await unready()).toMatchObject({
    status: 503,
    ready: false,
    check: 'echo',
    reason: expect.stringMatching(/closed/),
  });
  const holder = new Database(join(relay.dataDir, 'relay.db'));
  holder.exec('BEGIN IMMEDIATE');
  await expect
    .poll(unready, { timeout: 20_000, interval: 1_000 })
    .toMatchObject({ status: 503, check: 'storage', reason: expect.stringContaining(relay.dataDir) });
  holder.exec('ROLLBACK');
  holder.close();
});

it('RL56: /metrics counts connections, events by kind, refusals by reason, bytes and latency, for machines nearby only', async () => {
  const relay = await startTestRelay({ limits: { eventBurst: 3, eventsPerSec: 0.001 } });
  const reader = await connectAs(otherOwner, relay);
  await reader.ask('live', { kinds: [20_001], limit: 0 });
  const client = await connectAs(owner, relay);
  await client.publish(owner, template({ kind: 1 }));
  await client.publish(owner, template({ kind: 20_001 }));
  await client.publish(owner, telemetry('x'));
  await client.publish(owner, template({ kind: 20_001, content: 'one too many' }));
  const response = await fetch(`${relay.httpUrl}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/version=0\.0\.4/);
  const text = await response.text();
  const value = (name: string) => Number(new RegExp(`^heliograph_relay_${name} (\\S+)$`, 'm').exec(text)?.[1]);
  expect(value('connections')).toBe(2);
  expect(value('admitted_connections')).toBe(2);
  expect(value('subscriptions')).toBe(1);
  expect(value('events_total{kind="1"}')).toBe(1);
  expect(value('events_total{kind="other"}')).toBe(1);
  expect(value('events_total{kind="24200"}')).toBe(1);
  expect(value('refused_total{reason="invalid"}')).toBe(1);
  expect(value('refused_total{reason="rate-limited"}')).toBe(1);
  expect(value('delivered_total')).toBe(1);
  expect(value('fan_out_seconds_count')).toBe(1);
  expect(value('received_bytes_total')).toBeGreaterThan(500);
  expect(value('sent_bytes_total')).toBeGreaterThan(500);
  expect(value('database_bytes')).toBeGreaterThan(10_000);
  const outside = await fetch(`${relay.httpUrl}/metrics`, { headers: { 'x-forwarded-for': '203.0.113.9' } });
  expect(outside.status).toBe(403);
});

it('RL158: metrics tell which limit connections were dropped at', async () => {
  const relay = await startTestRelay({ limits: { maxConnectionsPerAddress: 3, unauthenticatedMs: 300 } });
  const dropped = async () => {
    const text = await (await fetch(`${relay.httpUrl}/metrics`)).text();
    return Object.fromEntries(
      [...text.matchAll(/dropped_total\{reason="([a-z-]+)"\} (\d+)/g)].map(([, why, n]) => [why, Number(n)]),
    );
  };
  const keyed = await Promise.all([0, 1].map(() => connectAs(owner, relay)));
  const large = await connectAs(owner, relay);
  expect(await new RawClient(relay.url).closed).toMatchObject({ code: 1013 });
  large.socket.send('x'.repeat(300_000));
  await expect.poll(dropped).toEqual({ full: 1, size: 1 });
  keyed[0]?.socket.send(Buffer.from([0xff]), { binary: false });
  await expect.poll(dropped).toEqual({ full: 1, size: 1, frame: 1 });
  expect(await new RawClient(relay.url).closed).toMatchObject({ code: 1008 });
  expect(await dropped()).toEqual({ full: 1, size: 1, frame: 1, 'auth-required': 1 });
});

it('RL59: connections count by the address a trusted proxy names, and IPv6 by /64', async () => {
  const relay = await startTestRelay({ trustedProxies: ['127.0.0.1'], limits: { maxConnectionsPerAddress: 1 } });
  const from = (address: string) => new RawClient(relay.url, { 'x-forwarded-for': address });
  await from('2001:db8::1').authenticate(owner);
  expect(await from('2001:db8::2').closed).toMatchObject({ code: 1013, reason: expect.stringMatching(/too many/) });
  await from('2001:db8:0:1::1').until('AUTH');
  await from('203.0.113.9').until('AUTH');
  await expect(startTestRelay({ trustedProxies: ['proxy'] })).rejects.toThrow(/--trusted-proxy/);
});

/** Rounds in each of four folders, and events one round may acknowledge: it is killed within the next few. */
const KILLS = 25;
const MAX_ACKNOWLEDGED = 100;

it('RL58: killed at any moment, a relay loses no event it acknowledged: a hundred times', async () => {
  const [relay, store] = await Promise.all([bundle('write-until-killed'), bundle('store-until-killed')]);
  const signed = join(temporaryFolder(), 'events.jsonl');
  writeFileSync(
    signed,
    Array.from({ length: (KILLS + 2) * MAX_ACKNOWLEDGED }, (_, n) => {
      return owner.sign(template({ tags: [['t', 'kill']], content: `${n}` })).json;
    }).join('\n'),
  );
  // Most of a round is waiting, for the disk and for other programs, so four folders have theirs at a time.
  const folders = Array.from({ length: 4 }, () => temporaryFolder());
  const lanes = folders.map(async (dataDir) => {
    const acknowledged = new Set<string>();
    // Every fifth is a whole relay with a client; all commit by the same code.
    for (let kill = 0; kill < KILLS; kill++) {
      const storing = [store, dataDir, signed, `${kill * MAX_ACKNOWLEDGED}`];
      await killDuringWrites(kill % 5 === 0 ? [relay, dataDir] : storing, acknowledged);
    }
    return { dataDir, acknowledged };
  });
  for (const { dataDir, acknowledged } of await Promise.all(lanes)) {
    const db = new Database(join(dataDir, 'relay.db'), { readonly: true });
    const kept = new Set(db.prepare('SELECT lower(hex(id)) FROM events').pluck().all());
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    db.close();
    expect(acknowledged.size).toBeGreaterThan(100);
    expect([...acknowledged].filter((id) => !kept.has(id))).toEqual([]);
  }
}, 300_000);

/** Starting it from source a hundred times would take minutes. */
async function bundle(program: string): Promise<string> {
  const outfile = join(import.meta.dirname, '..', 'node_modules', '.cache', `${program}-${process.pid}.mjs`);
  onTestFinished(() => rmSync(outfile, { force: true }));
  await build({
    entryPoints: [join(import.meta.dirname, 'support', `${program}.mts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3', 'koffi', 'tiny-secp256k1', 'ws'],
  });
  return outfile;
}

/** Starts a relay that writes, kills it after a random number of acknowledged events, and notes those. */
async function killDuringWrites(program: readonly string[], acknowledged: Set<string>): Promise<void> {
  const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  const enough = 65 * (1 + Math.floor(Math.random() * (MAX_ACKNOWLEDGED - 40)));
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (text.length >= enough) child.kill('SIGKILL');
  });
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  for (const id of text.split('\n')) if (id.length === 64) acknowledged.add(id);
}

it('RL60: a client that offers compression is served without it, and one that compresses anyway is ended alone', async () => {
  const relay = await startTestRelay();
  const other = await connectAs(otherOwner, relay);
  const socket = new WebSocket(relay.url, { perMessageDeflate: true });
  await once(socket, 'open');
  expect(socket.extensions).toBe('');
  const { _socket: raw } = socket as unknown as { _socket: { write(bytes: Buffer): void } };
  // FIN, RSV1, text; masked, 5 bytes: a frame marked as compressed.
  raw.write(Buffer.from([0xc1, 0x85, 0, 0, 0, 0, 1, 2, 3, 4, 5]));
  const [code] = (await once(socket, 'close')) as [number];
  expect([1002, 1006]).toContain(code);
  expect(await other.publish(otherOwner, template())).toMatchObject({ ok: true });
});
