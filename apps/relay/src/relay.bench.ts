/**
 * Rough figures of a relay in its own process with load from this one: `npx tsx apps/relay/src/relay.bench.ts`.
 * All limits are in force; the rates per key alone are raised, because one key makes all the load.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { authTemplate, encodeMessage, eventSigner, type RelayMessage } from '@heliograph/wire';
import { WebSocket } from 'ws';
import { startRelay } from './index.ts';

const { crypto, report } = selectNodeCrypto();
const owner = eventSigner(new Uint8Array(32).fill(1), crypto);
const nowSec = (): number => Math.floor(Date.now() / 1_000);

if (process.argv[2] === 'serve') await serve(process.argv[3] ?? '');
else await measure();

async function serve(dataDir: string): Promise<void> {
  const quiet = (): void => undefined;
  const { url } = await startRelay({
    host: '127.0.0.1',
    port: 0,
    dataDir,
    owners: [owner.publicKey],
    crypto,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    limits: { eventsPerSec: 1e9, eventBurst: 1e9, requestsPerSec: 1e9, requestBurst: 1e9 },
  });
  process.send?.(url);
}

async function measure(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'heliograph-bench-'));
  const relay = fork(import.meta.filename, ['serve', dataDir], { execArgv: ['--import', 'tsx'] });
  try {
    const [url] = (await once(relay, 'message')) as [string];
    console.log(report);
    for (const bytes of [300, 1_000, 8_000, 64_000]) {
      const count = bytes > 10_000 ? 2_000 : 15_000;
      const { perSec } = await publishAll(url, 20_001, bytes, count, 1);
      console.log(`published, ${bytes} B ephemeral: ${perSec}/s`);
    }
    for (const readers of [10, 100]) {
      const { perSec } = await publishAll(url, 20_001, 1_000, 200_000 / readers, readers);
      console.log(`delivered to ${readers} readers, 1 KB: ${perSec * readers}/s (${perSec} published/s)`);
    }
    const durable = await publishAll(url, 1, 1_000, 15_000, 1);
    console.log(`stored and delivered, 1 KB kind 1: ${durable.perSec}/s`);
    const idle = await openMany(url, 1_000);
    const own = await publishAll(url, 20_001, 1_000, 15_000, 1);
    console.log(`published with ${idle.length} idle subscriptions on other #p: ${own.perSec}/s`);
    const [p50, p99] = await latency(url, 10);
    console.log(`publish to delivery at 500/s, 10 readers: p50 ${p50} ms, p99 ${p99} ms`);
  } finally {
    relay.kill();
    rmSync(dataDir, { recursive: true });
  }
}

async function connect(url: string, onText: (text: string) => void): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const text = data.toString();
      if (text.startsWith('["AUTH"')) {
        const [, challenge] = JSON.parse(text) as Extract<RelayMessage, readonly ['AUTH', string]>;
        const answer = authTemplate({ relayUrl: url, challenge, createdAtSec: nowSec() });
        socket.send(encodeMessage(['AUTH', owner.sign(answer)]));
      } else if (text.startsWith('["OK"') && socket.listenerCount('message') === 1) {
        socket.on('message', (more) => onText(more.toString()));
        resolve();
      }
    });
  });
  return socket;
}

async function openReaders(
  url: string,
  count: number,
  kind: number,
  onEvent: (text: string) => void,
): Promise<WebSocket[]> {
  const opened: Promise<WebSocket>[] = [];
  for (let n = 0; n < count; n++) {
    opened.push(
      new Promise((resolve) => {
        const reader = connect(url, (text) => {
          if (text.startsWith('["EVENT"')) onEvent(text);
          else if (text.startsWith('["EOSE"')) void reader.then(resolve);
        });
        void reader.then((socket) => socket.send(`["REQ","live",{"kinds":[${kind}],"limit":0}]`));
      }),
    );
  }
  return Promise.all(opened);
}

/** Many subscriptions that match nothing of the load, over a few connections. */
async function openMany(url: string, count: number): Promise<number[]> {
  const perConnection = 50;
  const all = Array.from({ length: count }, (_, n) => n);
  for (let at = 0; at < count; at += perConnection) {
    let open = 0;
    await new Promise<void>((resolve) => {
      const client = connect(url, (text) => {
        if (text.startsWith('["EOSE"')) open += 1;
        if (open === perConnection) resolve();
      });
      void client.then((socket) => {
        for (const n of all.slice(at, at + perConnection)) {
          socket.send(`["REQ","${n}",{"kinds":[20001],"#p":["${n.toString(16).padStart(64, '0')}"],"limit":0}]`);
        }
      });
    });
  }
  return all;
}

/** Publishes with 100 unanswered at a time until every reader has everything. */
async function publishAll(
  url: string,
  kind: number,
  bytes: number,
  count: number,
  readers: number,
): Promise<{ perSec: number }> {
  const messages = Array.from({ length: count }, (_, n) =>
    encodeMessage(['EVENT', owner.sign({ kind, created_at: nowSec(), tags: [], content: `${n}`.padEnd(bytes - 300) })]),
  );
  let delivered = 0;
  let answered = 0;
  let sent = 0;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const check = (): void => {
    if (answered === count && delivered === count * readers) finish();
  };
  const sockets = await openReaders(url, readers, kind, () => {
    delivered += 1;
    check();
  });
  const publisher = await connect(url, () => {
    answered += 1;
    if (sent < count) publisher.send(messages[sent++] as string);
    check();
  });
  const startedMs = performance.now();
  while (sent < Math.min(100, count)) publisher.send(messages[sent++] as string);
  await finished;
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const socket of [publisher, ...sockets]) socket.close();
  return { perSec: Math.round(count / seconds) };
}

/** Milliseconds from publishing to each delivery, median and 99th percentile. */
async function latency(url: string, readers: number): Promise<[p50: string, p99: string]> {
  const times: number[] = [];
  const count = 2_000;
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const sentAtMs = new Map<string, number>();
  await openReaders(url, readers, 20_002, (text) => {
    const id = text.slice(text.indexOf('"id":"') + 6, text.indexOf('"id":"') + 70);
    times.push(performance.now() - (sentAtMs.get(id) ?? 0));
    if (times.length === count * readers) finish();
  });
  const publisher = await connect(url, () => undefined);
  let sent = 0;
  const timer = setInterval(() => {
    const event = owner.sign({ kind: 20_002, created_at: nowSec(), tags: [], content: `${sent}`.padEnd(700) });
    sentAtMs.set(event.id, performance.now());
    publisher.send(encodeMessage(['EVENT', event]));
    sent += 1;
    if (sent === count) clearInterval(timer);
  }, 2);
  await finished;
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  return [at(0.5), at(0.99)];
}
