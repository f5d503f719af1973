/**
 * What a relay of a cluster (PostgreSQL and NATS, both started here) costs beside one on SQLite, in one run:
 * `npm run bench:cluster`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { eventSigner } from '@heliograph/wire';
import { NatsServer } from '../../../../fixtures/servers/nats-server.ts';
import { PostgresServer } from '../../../../fixtures/servers/postgres-server.ts';
import { type Load, latency, publishAll, type Target } from './load.bench.ts';
import { pinToCore, type Served, serve } from './served.bench.ts';

const { crypto } = selectNodeCrypto();
const key = eventSigner(new Uint8Array(32).fill(1), crypto);
const folder = mkdtempSync(join(tmpdir(), 'heliograph-bench-'));

/** Microseconds of each relay's processor time per event, and events per second by the clock. */
async function cost(relays: readonly Served[], at: Target, load: Load): Promise<{ us: number[]; perSec: number }> {
  await publishAll(at, { ...load, count: Math.ceil(load.count / 5) });
  const before = await Promise.all(relays.map((relay) => relay.usage()));
  const perSec = await publishAll(at, load);
  const after = await Promise.all(relays.map((relay) => relay.usage()));
  const us = after.map(({ cpuSec }, n) => ((cpuSec - (before[n]?.cpuSec ?? 0)) * 1e6) / load.count);
  return { us, perSec };
}

function row(what: string, alone: number, node: number, unit: string): void {
  console.log(
    `| ${what} | ${alone.toFixed(unit === 'µs' ? 0 : 2)} ${unit} | ${node.toFixed(unit === 'µs' ? 0 : 2)} ${unit} | ${(node / alone).toFixed(2)}× |`,
  );
}

pinToCore(process.pid, 0);
const [postgres, nats] = await Promise.all([PostgresServer.start(), NatsServer.start()]);
const served: Served[] = [];
try {
  const env = { POSTGRES: postgres.database(), NATS: nats.url };
  for (const which of ['ours', 'cluster', 'cluster'])
    served.push(await serve(which, join(folder, `${served.length}`), env));
  const [alone, first, second] = served as [Served, Served, Served];
  const target = ({ url }: Served): Target => ({ name: url, url, key });
  const ephemeral = { kind: 20_001, bytes: 1_000, count: 10_000, readers: 1 };
  const stored = { kind: 1, bytes: 1_000, count: 5_000, readers: 1 };
  console.log(
    '| 1 KB events | one relay on SQLite | a relay of two on PostgreSQL and NATS | ratio |\n|---|--:|--:|--:|',
  );
  const [here, there] = [
    await cost([alone], target(alone), ephemeral),
    await cost([first, second], target(first), ephemeral),
  ];
  row('published, ephemeral, read on the same', here.us[0] ?? 0, there.us[0] ?? 0, 'µs');
  const across = await cost([first, second], target(first), { ...ephemeral, readAt: target(second) });
  row('published, ephemeral, read on the other: the one that takes it', here.us[0] ?? 0, across.us[0] ?? 0, 'µs');
  row('… the one that delivers it', here.us[0] ?? 0, across.us[1] ?? 0, 'µs');
  const [kept, shared] = [
    await cost([alone], target(alone), stored),
    await cost([first, second], target(first), stored),
  ];
  row('stored', kept.us[0] ?? 0, shared.us[0] ?? 0, 'µs');
  row('stored, by the clock', 1e3 / kept.perSec, 1e3 / shared.perSec, 'ms');
  const [near, far] = [await latency(target(alone), 10), await latency(target(first), 10, target(second))];
  row('latency at 500/s to 10, p50', near[0], far[0], 'ms');
  row('latency at 500/s to 10, p99', near[1], far[1], 'ms');
} finally {
  for (const relay of served) relay.end();
  await Promise.all([postgres.close(), nats.close()]);
  rmSync(folder, { recursive: true, force: true });
}
