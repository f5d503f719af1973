// A relay in a process of its own, as `relay.bench.ts` starts it: `ours DIR`, `wasm DIR` (ours without
// libsecp256k1), `cluster` (ours on POSTGRES and NATS of the environment) or `peer`. Tells its parent the URL, and
// what it used of memory and processor whenever asked.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { nodeEngines, selectNodeCrypto } from '@heliograph/crypto/node';
import { eventSigner } from '@heliograph/wire';
import { type Event, EventRepository } from '@nostr-relay/common';
import { NostrRelay } from '@nostr-relay/core';
import { type WebSocket, WebSocketServer } from 'ws';
import { startRelay } from '../index.ts';

const best = selectNodeCrypto().crypto;
const wasm = nodeEngines().flatMap((engine) =>
  'crypto' in engine && engine.name === 'tiny-secp256k1' ? [engine] : [],
);
const owner = eventSigner(new Uint8Array(32).fill(1), best);
const [, , which, dataDir = ''] = process.argv;

/** With AUTH and every limit in force; the rates per key alone are raised, because one key makes all the load. */
async function serveOurs(): Promise<object> {
  const quiet = (): void => undefined;
  const { url } = await startRelay({
    host: '127.0.0.1',
    port: 0,
    dataDir,
    ...(which === 'cluster' && { postgres: process.env.POSTGRES, nats: process.env.NATS }),
    owners: [owner.publicKey],
    crypto: which === 'wasm' ? (wasm[0]?.crypto ?? best) : best,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    limits: {
      eventsPerSec: 1e9,
      eventBurst: 1e9,
      requestsPerSec: 1e9,
      requestBurst: 1e9,
      maxConnectionsPerAddress: 100_000,
    },
  });
  return { url };
}

/** Keeps nothing durably, which costs the peer less than any store of its own would. */
class ForgetfulRepository extends EventRepository {
  readonly #ids = new Set<string>();

  isSearchSupported(): boolean {
    return false;
  }

  upsert({ id }: Event): { isDuplicate: boolean } {
    const isDuplicate = this.#ids.has(id);
    this.#ids.add(id);
    return { isDuplicate };
  }

  find(): Event[] {
    return [];
  }

  async destroy(): Promise<void> {}
}

/** @nostr-relay/core on the same WebSocket server, without AUTH and without a validator: its fastest form. */
async function servePeer(): Promise<object> {
  const relay = new NostrRelay(new ForgetfulRepository());
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on('connection', (socket: WebSocket) => {
    relay.handleConnection(socket);
    socket.on('message', (data) => void relay.handleMessage(socket, JSON.parse(data.toString())));
    socket.on('close', () => relay.handleDisconnect(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

process.on('SIGINT', () => process.exit());
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ rssBytes: process.memoryUsage.rss(), cpuSec: (user + system) / 1e6 });
});
process.send?.(which === 'peer' ? await servePeer() : await serveOurs());
