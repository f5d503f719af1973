import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_LIMITS, openSqliteStore, RelayEngine, type RelayLimits, relayDocument } from '@heliograph/relay';
import { type Crypto, hexEncode, normalizeRelayUrl, parsePublicKey } from '@heliograph/wire';
import { WebSocketServer } from 'ws';
import manifest from '../package.json' with { type: 'json' };
import { hostCheck } from './host-check.ts';
import { httpHandler } from './http-handler.ts';
import { listeningUrls } from './listening-urls.ts';
import type { Log } from './log.ts';
import { RelayHost } from './relay-host.ts';
import { explainingSocket } from './relay-socket.ts';

/** What a relay needs to start. */
export interface StartRelayOptions {
  /** The address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 for all. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** The folder of its database; made when missing. */
  readonly dataDir: string;
  /** npub or hex; without one the relay admits nobody. */
  readonly owners: readonly string[];
  /** The ws or wss URL clients use, where it is not the one listened on. */
  readonly publicUrl?: string | undefined;
  /** Shown in NIP-11 and on the landing page. */
  readonly name?: string | undefined;
  readonly crypto: Crypto;
  readonly log: Log;
  /** Serves the desktop's pages on the same port. */
  readonly ui?: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Changes to DEFAULT_LIMITS. */
  readonly limits?: Partial<RelayLimits> | undefined;
}

/** A relay that listens. */
export interface RunningRelay {
  /** The announced ws or wss URL: the public one, else where it listens. */
  readonly url: string;
  /** Commits, tells clients to come back (1012), closes files; safe to call again. */
  close(): Promise<void>;
}

/**
 * Starts a relay. Rejects with an Error whose message is a sentence for the user and whose `code` is one of StoreError's,
 * or the system's for listening (EADDRINUSE, EACCES, EADDRNOTAVAIL). Throws RangeError for an owner or URL that is none.
 */
export async function startRelay(options: StartRelayOptions): Promise<RunningRelay> {
  const { host, crypto, log, publicUrl, ui, name = 'Heliograph relay' } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const owners = options.owners.map(readOwner);
  if (publicUrl !== undefined && normalizeRelayUrl(publicUrl) === undefined) {
    throw new RangeError(`publicUrl (--public-url) must be a ws:// or wss:// URL, got ${JSON.stringify(publicUrl)}`);
  }
  const opened = openSqliteStore(options.dataDir);
  if (!opened.ok) {
    const { code, message, cause } = opened.error;
    throw Object.assign(new Error(message, { cause }), { code });
  }
  const store = opened.value;
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 5_000 });
  let port: number;
  try {
    port = await listen(server, host, options.port);
  } catch (cause) {
    store.close();
    throw cause;
  }

  // A failing accept (no file descriptors left, say) must not end those who are connected.
  server.on('error', (error: NodeJS.ErrnoException) =>
    log.error({ code: error.code }, 'a connection was not accepted'),
  );

  const relayUrls = listeningUrls(host, port, publicUrl);
  const url = relayUrls[0] as string;
  const newChallenge = (): string => hexEncode(crypto.randomBytes(32));
  const engine = new RelayEngine({ owners, relayUrls, store, crypto, nowMs: Date.now, newChallenge, limits });
  const relay = new RelayHost({ engine, store, crypto, limits, log });
  const document = relayDocument(
    { name, description: DESCRIPTION, software: 'heliograph', version: manifest.version },
    limits,
  );
  server.on('request', httpHandler({ document, name, url, ui }));
  serveSockets(server, relay, limits, hostCheck(relayUrls, log));
  log.info({ url, host, port, knownAs: relayUrls, owners: owners.length, crypto: crypto.name }, 'relay is listening');
  if (owners.length === 0) log.warn({}, 'the relay has no owner, so it admits nobody: start it with --owner npub1…');

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await relay.stop();
    server.closeAllConnections();
    await closed;
    store.close();
    log.info({ url }, 'relay has stopped');
  };
  return {
    url,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

const DESCRIPTION =
  'A private relay for watching and steering coding agents. It serves its owners and the agents they vouch for (NIP-42, NIP-AA).';

function readOwner(text: string): string {
  const key = parsePublicKey(text);
  if (!key.ok) throw new RangeError(`owners (--owner): ${key.error.message}`);
  return key.value;
}

function serveSockets(
  server: Server,
  relay: RelayHost,
  limits: RelayLimits,
  checkHost: (request: IncomingMessage) => void,
): void {
  const settings = {
    noServer: true,
    clientTracking: false,
    maxPayload: limits.maxMessageBytes,
    // Ciphertext does not shrink, and compressed bombs stay outside.
    perMessageDeflate: false,
    // How long a closed socket may take to go; @types/ws does not know it yet.
    closeTimeout: 5_000,
    WebSocket: explainingSocket(limits.maxMessageBytes),
  };
  const sockets = new WebSocketServer(settings);
  server.on('upgrade', (request, stream, head) => {
    checkHost(request);
    const address = request.socket.remoteAddress ?? '';
    sockets.handleUpgrade(request, stream, head, (socket) => relay.accept(socket, stream, address));
  });
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message = listenProblem(cause, host, port);
      reject(Object.assign(new Error(message, { cause }), { code: cause.code }));
    });
    server.listen({ host, port }, resolve);
  });
  server.removeAllListeners('error');
  return (server.address() as AddressInfo).port;
}

function listenProblem(cause: NodeJS.ErrnoException, host: string, port: number): string {
  switch (cause.code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use: choose another with --port, or --port 0 for any free one`;
    case 'EACCES':
      return `port ${port} on ${host} is not for this user: choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine: choose another with --host (0.0.0.0 for all)`;
    default:
      return `can't listen on port ${port} of ${host} (${cause.message}): choose others with --host and --port`;
  }
}
