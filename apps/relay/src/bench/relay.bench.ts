/**
 * What the relay does in a second, beside @nostr-relay/core and any other in the same run:
 * `npm run bench:relay [-- --peer ws://HOST:PORT] [--events 1000000]`. Each relay has a process (and a core, where
 * `taskset` is found) of its own, one after the other; the load is made here.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeEngines, selectNodeCrypto } from '@heliograph/crypto/node';
import { type Crypto, eventSigner, hexDecode } from '@heliograph/wire';
import { latency, openIdle, openQuiet, publishAll, type Target } from './load.bench.ts';
import { measureQueries, QUERY_GOALS } from './queries.bench.ts';
import { pinToCore, serve, type Usage } from './served.bench.ts';

const { values } = parseArgs({
  options: { peer: { type: 'string' }, events: { type: 'string', default: '200000' }, quick: { type: 'boolean' } },
});
const { crypto, report } = selectNodeCrypto();
const key = eventSigner(new Uint8Array(32).fill(1), crypto);
const scale = values.quick === true ? 0.1 : 1;
const folder = mkdtempSync(join(tmpdir(), 'heliograph-bench-'));

type Row = readonly [what: string, value: number | undefined, unit: string];

pinToCore(process.pid, 0);
try {
  const ours = await measureServed('ours', 1);
  const peer = await measureServed('peer', 0.05);
  const wasm = await measureServed('wasm', 0.2, true);
  const other = values.peer === undefined ? [] : await measure({ name: values.peer, url: values.peer, key }, 0.2);
  console.log(`\n${report}; signatures this processor checks now: ${verificationRates()}\n`);
  console.log(
    `| | Heliograph | @nostr-relay/core 0.0.40 | ratio |${other.length > 0 ? ` ${values.peer} | ratio |` : ''}`,
  );
  console.log(`|---|--:|--:|--:|${other.length > 0 ? '--:|--:|' : ''}`);
  for (const [what, value, unit] of ours) {
    const beside = [peer, ...(other.length > 0 ? [other] : [])].map((rows) => {
      const theirs = rows.find(([name]) => name === what)?.[1];
      return `${show(theirs, unit)} | ${ratio(value, theirs, unit)}`;
    });
    console.log(`| ${what} | ${show(value, unit)} | ${beside.join(' | ')} |`);
  }
  const [, withoutLibrary, perSec] = wasm[0] ?? [];
  console.log(
    `| published 1 KB with WebAssembly instead of libsecp256k1 | ${show(withoutLibrary, perSec ?? '')} | | |`,
  );
  const count = Math.round(Number(values.events) * scale);
  console.log(`\n| over ${count} events, limit 500 | p50 ms | p95 ms | CPU ms | events |\n|---|--:|--:|--:|--:|`);
  for (const { question, p50Ms, p95Ms, cpuMs, events } of measureQueries(join(folder, 'queries'), count)) {
    const row = [
      question,
      atMost(p50Ms, QUERY_GOALS.p50Ms),
      atMost(p95Ms, QUERY_GOALS.p95Ms),
      cpuMs.toFixed(2),
      events,
    ];
    console.log(`| ${row.join(' | ')} |`);
  }
  console.log(
    `| (aim: p50 at most ${QUERY_GOALS.p50Ms} ms, p95 ${QUERY_GOALS.p95Ms} ms; what is over it has a !) | | | | |`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts a relay in its own process and measures it; slow ones get fewer events, `share` of ours. */
async function measureServed(which: 'ours' | 'wasm' | 'peer', share: number, isShort = false): Promise<Row[]> {
  const relay = await serve(which, join(folder, which));
  try {
    return await measure({ name: which, url: relay.url, key }, share, () => relay.usage(), isShort);
  } finally {
    relay.end();
  }
}

/**
 * Rates are events per second of the relay's own processor time, so that what else the machine does hardly shows; of a
 * relay that is not ours to ask, events per second.
 */
async function measure(target: Target, share: number, usage?: () => Promise<Usage>, isShort = false): Promise<Row[]> {
  const rows: Row[] = [];
  const row = (...values: Row): void => {
    rows.push(values);
    process.stderr.write(`${target.name}: ${values[0]} ${show(values[1], values[2])}\n`);
  };
  const count = (most: number): number => Math.max(200, Math.round(most * share * scale));
  const rate = async (load: Parameters<typeof publishAll>[1]): Promise<number> => {
    const before = await usage?.();
    const perSec = await publishAll(target, load);
    const after = await usage?.();
    return before === undefined || after === undefined ? perSec : load.count / (after.cpuSec - before.cpuSec);
  };
  await rate({ kind: 20_001, bytes: 1_000, count: count(4_000), readers: 1 });
  for (const bytes of isShort ? [1_000] : [300, 1_000, 8_000, 64_000]) {
    const most = bytes > 10_000 ? 3_000 : bytes > 2_000 ? 10_000 : 30_000;
    const perSec = await rate({ kind: 20_001, bytes, count: count(most), readers: 1 });
    row(`published ${bytes} B, ephemeral`, perSec, '/s');
  }
  if (isShort) return rows;
  for (const readers of [10, 100]) {
    const perSec = await rate({ kind: 20_001, bytes: 1_000, count: count(400_000 / readers), readers });
    row(`delivered to ${readers}, 1 KB`, perSec * readers, '/s');
  }
  await rate({ kind: 1, bytes: 1_000, count: count(4_000), readers: 1 });
  row('stored 1 KB kind 1', await rate({ kind: 1, bytes: 1_000, count: count(20_000), readers: 1 }), '/s');
  const [p50, p99] = await latency(target, 10);
  row('latency at 500/s to 10, p50', p50, 'ms');
  row('latency at 500/s to 10, p99', p99, 'ms');
  const idle = await openIdle(target, Math.round(2_000 * scale));
  const perSec = await rate({ kind: 20_001, bytes: 1_000, count: count(10_000), readers: 1 });
  row(`published 1 KB beside ${Math.round(2_000 * scale)} idle subscriptions`, perSec, '/s');
  for (const socket of idle) socket.terminate();
  if (usage !== undefined) {
    const before = (await usage()).rssBytes;
    const many = Math.round(3_000 * scale);
    const quiet = await openQuiet(target, many);
    row('memory per idle connection', ((await usage()).rssBytes - before) / many / 1_024, 'KB');
    for (const socket of quiet) socket.terminate();
  }
  return rows;
}

/** How fast this processor is at this moment: what else it does, and its neighbours, show in this as in everything above. */
function verificationRates(): string {
  const engines = nodeEngines().flatMap((engine) => ('crypto' in engine ? [engine] : []));
  return engines.map(({ name, crypto: by }) => `${name} ${Math.round(verificationsPerSec(by))}/s`).join(', ');
}

function verificationsPerSec(by: Crypto): number {
  const event = key.sign({ kind: 1, created_at: 1, tags: [], content: '' });
  const [sig, hash, publicKey] = [hexDecode(event.sig), hexDecode(event.id), hexDecode(event.pubkey)];
  const { user } = process.cpuUsage();
  for (let n = 0; n < 2_000; n++) by.schnorrVerify(sig, hash, publicKey);
  return 2_000 / ((process.cpuUsage().user - user) / 1e6);
}

function show(value: number | undefined, unit: string): string {
  if (value === undefined) return '–';
  return unit === '/s' ? Math.round(value).toLocaleString('en') : value.toFixed(unit === 'ms' ? 2 : 1);
}

function atMost(ms: number, goalMs: number): string {
  return `${ms.toFixed(2)}${ms > goalMs ? ' !' : ''}`;
}

/** How many times better ours is: more per second, or less of anything else. */
function ratio(ours: number | undefined, theirs: number | undefined, unit: string): string {
  if (ours === undefined || theirs === undefined || ours <= 0 || theirs <= 0) return '–';
  return `${(unit === '/s' ? ours / theirs : theirs / ours).toFixed(1)}×`;
}
