import { statfsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  DEFAULT_LIMITS,
  NOTHING_OPEN,
  type OpenKinds,
  openSqliteStore,
  RelayEngine,
  type RelayLimits,
  type RetentionRule,
  relayDocument,
  type SqliteStore,
} from '@heliograph/relay';
import { type Crypto, encodeNpub, eventSigner, hexEncode, normalizeRelayUrl, parsePublicKey } from '@heliograph/wire';
import { WebSocketServer } from 'ws';
import manifest from '../package.json' with { type: 'json' };
import { addressGroup, clientAddress, isNearby, peerAddress, trustedProxies } from './client-address.ts';
import { hostCheck } from './host-check.ts';
import { HttpAuth } from './http-auth.ts';
import { httpHandler } from './http-handler.ts';
import { listeningUrls } from './listening-urls.ts';
import type { Log } from './log.ts';
import { managedRelay } from './managed-relay.ts';
import { manage } from './management.ts';
import { Metrics } from './metrics.ts';
import { createReadiness, echo } from './readiness.ts';
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
  /** What everybody may read and write without AUTH; nothing unless said. */
  readonly open?: OpenKinds | undefined;
  /** How long kinds are kept; for ever unless said. */
  readonly retention?: readonly RetentionRule[] | undefined;
  /** Addresses and ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[] | undefined;
}

/** What can change while the relay runs. */
export type RelaySettings = Pick<StartRelayOptions, 'owners' | 'open' | 'retention'>;

/** A relay that listens. */
export interface RunningRelay {
  /** The announced ws or wss URL: the public one, else where it listens. */
  readonly url: string;
  /** Puts other owners, open kinds and retention in force; who is no longer admitted loses the connection. Throws RangeError as starting does. */
  reconfigure(settings: RelaySettings): void;
  /** Commits, tells clients to come back (1012), closes files; safe to call again. */
  close(): Promise<void>;
}

/**
 * Starts a relay. Rejects with an Error whose message is a sentence for the user and whose `code` is one of StoreError's,
 * or the system's for listening (EADDRINUSE, EACCES, EADDRNOTAVAIL). Throws RangeError for an owner, URL or proxy that is none.
 */
export async function startRelay(options: StartRelayOptions): Promise<RunningRelay> {
  const { host, crypto, log, publicUrl, dataDir, ui } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  let settings = readSettings(options);
  const trusted = trustedProxies(options.trustedProxies ?? []);
  if (publicUrl !== undefined && normalizeRelayUrl(publicUrl) === undefined) {
    throw new RangeError(`publicUrl (--public-url) must be a ws:// or wss:// URL, got ${JSON.stringify(publicUrl)}`);
  }
  const opened = openSqliteStore(dataDir);
  if (!opened.ok) {
    const { code, message, cause } = opened.error;
    throw Object.assign(new Error(message, { cause }), { code });
  }
  const store = opened.value;
  const { headersMs } = limits;
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: headersMs * 1.5,
    connectionsCheckingInterval: headersMs / 2,
  });
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
  const { owners, open } = settings;
  const engine = new RelayEngine({ owners, open, relayUrls, crypto, nowMs: Date.now, newChallenge, limits });
  const metrics = new Metrics();
  const own = eventSigner(crypto.randomBytes(32), crypto);
  const retention = (): readonly RetentionRule[] => settings.retention;
  const relay = new RelayHost({
    engine,
    store,
    crypto,
    limits,
    log,
    metrics,
    retention,
    dataDir,
    ownKey: own.publicKey,
  });
  relay.applyAccess();

  const identity = (): { name: string; description: string } => ({
    name: store.access.setting('name') ?? options.name ?? 'Heliograph relay',
    description: store.access.setting('description') ?? DESCRIPTION,
  });
  const software = { software: 'heliograph', version: manifest.version };
  const ownUrl = `ws://${['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
  const readiness = createReadiness(
    {
      storage: () => storageProblem(store, dataDir),
      clock: () => clockProblem(store, limits.maxFutureSec),
      echo: (deadlineMs) => echo(ownUrl, url, own, { nowSec: nowSec(), deadlineMs }),
    },
    () => performance.now(),
  );
  const managed = managedRelay({ store, relay, engine, metrics, log, owners: () => new Set(settings.owners) });
  const httpAuth = new HttpAuth(relayUrls, crypto);
  server.on(
    'request',
    httpHandler({
      document: () => relayDocument({ ...identity(), ...software }, limits, settings),
      name: () => identity().name,
      url,
      ui,
      readiness,
      metrics: () => {
        const { outboundBytes } = relay;
        return metrics.render({ ...engine.counts, outboundBytes, databaseBytes: store.sizeBytes() });
      },
      // A proxy on this machine says whom it asks for: those from outside are not served.
      mayMeasure: (request) => request.headers['x-forwarded-for'] === undefined && isNearby(peerAddress(request)),
      manage: (authorization, body) => {
        const key = httpAuth.check(authorization, 'POST', body, nowSec());
        if (!key.ok) return { denied: key.error };
        if (!settings.owners.includes(key.value))
          return { denied: `${encodeNpub(key.value)} is no owner of this relay` };
        return manage(managed, body.toString());
      },
    }),
  );
  const groupOf = (request: IncomingMessage): string => addressGroup(clientAddress(request, trusted));
  serveSockets(server, relay, limits, hostCheck(relayUrls, log), groupOf);
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
    reconfigure: (changed) => {
      settings = readSettings(changed);
      relay.configure(settings.owners, settings.open);
      log.info({ owners: settings.owners.length }, 'relay was configured again');
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function readSettings({ owners, open = NOTHING_OPEN, retention = [] }: RelaySettings) {
  return { owners: owners.map(readOwner), open, retention };
}

function nowSec(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Less than this is as good as full: SQLite needs room for its WAL. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

/** A real write, since what SQLite keeps in memory says nothing about the disk; and room for more. */
function storageProblem({ access }: SqliteStore, dataDir: string): string | undefined {
  try {
    access.setSetting('probe', `${Date.now()}`);
    const { bavail, bsize } = statfsSync(dataDir);
    if (bavail * bsize >= MIN_FREE_BYTES) return undefined;
    return `only ${Math.floor((bavail * bsize) / 1024)} KiB are free at ${dataDir}`;
  } catch (cause) {
    return `${dataDir} can't be written by uid ${process.getuid?.()}: ${cause instanceof Error ? cause.message : cause}`;
  }
}

/** Before this the program did not exist. */
const EARLIEST_SEC = 1_735_689_600;

/** A clock that is behind what is stored refuses everybody's AUTH. */
function clockProblem(store: SqliteStore, maxFutureSec: number): string | undefined {
  const everything = { reader: { pubkey: undefined, kinds: undefined }, nowSec: 0, maxEvents: 1, maxBytes: 1e9 };
  const newest = Math.max(EARLIEST_SEC, (store.query({}, everything)[0]?.createdAtSec ?? 0) - maxFutureSec);
  if (nowSec() >= newest) return undefined;
  return `the clock says ${new Date().toISOString()}, and what is stored is newer: set it`;
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
  groupOf: (request: IncomingMessage) => string,
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
    const address = groupOf(request);
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
