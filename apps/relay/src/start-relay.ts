import { createServer } from 'node:http';
import {
  attempt,
  type Decisions,
  type Peers,
  RelayEngine,
  type RelayRules,
  type RelayStore,
  type RetentionRule,
  readDecisions,
  relayDocument,
} from '@heliograph/relay';
import { type Crypto, encodeNpub, eventSigner, hexEncode, type NostrEvent } from '@heliograph/wire';
import manifest from '../package.json' with { type: 'json' };
import { addressGroup, clientAddress, isNearby, isTrusted, peerAddress } from './client-address.ts';
import { CatchUp } from './cluster/catch-up.ts';
import type { NatsCluster } from './cluster/nats-cluster.ts';
import { NeighbourWatch } from './cluster/neighbour-watch.ts';
import { hostCheck } from './host-check.ts';
import { HttpAuth } from './http-auth.ts';
import { boundHttp } from './http-connections.ts';
import { httpHandler, type ServeUi } from './http-handler.ts';
import { listen } from './listen.ts';
import { listeningUrls } from './listening-urls.ts';
import type { Log } from './log.ts';
import { managedRelay } from './managed-relay.ts';
import { manage } from './management.ts';
import { Metrics } from './metrics.ts';
import { openStore } from './open-store.ts';
import { createReadiness, echo } from './readiness.ts';
import { RelayHost } from './relay-host.ts';
import { type CheckedSettings, checkSettings, type RelaySettings } from './relay-settings.ts';
import { serveSockets } from './serve-sockets.ts';
import { VerifyPool } from './verify-pool.ts';

/** What a relay needs to start: what it is given once, and its settings. */
export interface StartRelayOptions extends RelaySettings {
  /** The address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 for all. */
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Picks a free one too where that one is in use. */
  readonly orFreePort?: boolean | undefined;
  /** The folder of its database; made when missing. */
  readonly dataDir: string;
  /** Instead of the folder: the URL of a PostgreSQL database, which several relays may share. */
  readonly postgres?: string | undefined;
  /** With `postgres`: the URL of a NATS server, over which the relays on that database act as one. */
  readonly nats?: string | undefined;
  readonly crypto: Crypto;
  readonly log: Log;
  /** Checks the signatures of events in `count` threads that run `file`, the built verify-worker; here unless said. */
  readonly verifyWorkers?: { readonly count: number; readonly file: string } | undefined;
  /** Serves the desktop's pages on the same port. */
  readonly ui?: ServeUi | undefined;
}

/** A relay that listens. */
export interface RunningRelay {
  /** The announced ws or wss URL: the public one, else where it listens. */
  readonly url: string;
  /** Puts other settings in force; who is no longer admitted by them loses the connection. Throws RangeError as starting does, and then nothing changed. */
  reconfigure(settings: RelaySettings): void;
  /** Commits, tells clients to come back (1012), closes files; safe to call again. */
  close(): Promise<void>;
}

/**
 * Starts a relay. Rejects with an Error whose message is a sentence for the user and whose `code` is one of StoreError's,
 * or the system's for listening (EADDRINUSE, EACCES, EADDRNOTAVAIL). Throws RangeError for an owner, URL or proxy that is none.
 */
export async function startRelay(options: StartRelayOptions): Promise<RunningRelay> {
  const { host, crypto, log, dataDir, ui } = options;
  let settings = checkSettings(options);
  if (options.nats !== undefined && options.postgres === undefined) {
    throw new RangeError('nats (--nats) needs postgres (--postgres): relays that act as one share one database');
  }
  const isJoined = options.nats !== undefined;
  const store = await openStore(dataDir, options.postgres, isJoined ? 'joined' : 'apart');
  const { headersMs } = settings.limits;
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: headersMs * 1.5,
    connectionsCheckingInterval: headersMs / 2,
  });
  let decisions: Decisions;
  let port: number;
  try {
    decisions = await readDecisions(store.access);
    port = await listen(server, host, options.port).catch((cause: NodeJS.ErrnoException) => {
      if (options.orFreePort !== true || cause.code !== 'EADDRINUSE') throw cause;
      log.warn({ port: options.port }, 'the port went to another program meanwhile: taking a free one');
      return listen(server, host, 0);
    });
  } catch (cause) {
    await store.close();
    throw cause;
  }

  // A failing accept (no file descriptors left, say) must not end those who are connected.
  server.on('error', (error: NodeJS.ErrnoException) =>
    log.error({ code: error.code }, 'a connection was not accepted'),
  );

  /** What the settings say, and what follows from them for this port. */
  const rulesOf = (checked: CheckedSettings): RelayRules => {
    const { owners, open, limits, publicUrl } = checked;
    return { owners, open, limits, relayUrls: listeningUrls(host, port, publicUrl) };
  };
  let rules = rulesOf(settings);
  const announced = (): string => rules.relayUrls[0] as string;
  const newChallenge = (): string => hexEncode(crypto.randomBytes(32));
  const peers: Peers = options.nats === undefined ? 'none' : 'cut';
  const engine = new RelayEngine({ ...rules, crypto, nowMs: Date.now, newChallenge, peers });
  const metrics = new Metrics();
  const { verifyWorkers } = options;
  const pool = verifyWorkers === undefined ? undefined : new VerifyPool({ ...verifyWorkers, crypto, log });
  const own = eventSigner(crypto.randomBytes(32), crypto);
  const retention = (): readonly RetentionRule[] => settings.retention;
  let cluster: NatsCluster | undefined;
  const relay = new RelayHost({
    engine,
    store,
    crypto,
    pool,
    limits: rules.limits,
    log,
    metrics,
    retention,
    decisions,
    ownKey: own.publicKey,
    share: (event) => cluster?.share(event),
  });

  let catchUp: CatchUp | undefined;
  if (options.nats !== undefined && store.cluster !== undefined && store.journal !== undefined) {
    const { NatsCluster } = await import('./cluster/nats-cluster.ts');
    const onEvent = (event: NostrEvent, ageMs?: number): void => relay.takeShared(event, ageMs);
    catchUp = new CatchUp({ journal: store.journal, onEvent, log, metrics, nowMs: () => performance.now() });
    cluster = new NatsCluster({
      url: options.nats,
      cluster: store.cluster,
      maxEventBytes: () => rules.limits.maxMessageBytes,
      log,
      metrics,
      onEvent,
      catchUp,
      onAccess: () => void relay.applyAccess(),
      onPeers: (known) => relay.setPeers(known),
    });
  }

  const watch = store.neighbours && new NeighbourWatch(store.neighbours, isJoined, log);

  const identity = (): { name: string; description: string } => ({
    name: relay.decisions.name ?? settings.name,
    description: relay.decisions.description ?? DESCRIPTION,
  });
  const software = { software: 'heliograph', version: manifest.version };
  const ownUrl = `ws://${['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
  const readiness = createReadiness(
    {
      storage: () => store.trouble(),
      clock: () => clockProblem(store, rules.limits.maxFutureSec),
      cluster: cluster && (() => cluster.state),
      neighbours: watch && (() => watch.problem),
      echo: (deadlineMs) => echo(ownUrl, announced(), own, { nowSec: nowSec(), deadlineMs }),
    },
    () => performance.now(),
  );
  const managed = managedRelay({
    store,
    relay,
    engine,
    metrics,
    log,
    owners: () => new Set(settings.owners),
    tellOthers: () => cluster?.tellAccess(),
  });
  const httpAuth = new HttpAuth(() => rules.relayUrls, crypto);
  server.on(
    'request',
    httpHandler({
      document: () => relayDocument({ ...identity(), ...software }, settings.limits, settings),
      name: () => identity().name,
      url: announced,
      ui,
      readiness,
      metrics: async () => {
        const { outboundBytes } = relay;
        const size = await attempt(() => store.sizeBytes());
        return metrics.render({
          ...engine.counts,
          outboundBytes,
          databaseBytes: size.ok ? size.value : Number.NaN,
          cluster: cluster?.state,
        });
      },
      // A proxy on this machine says whom it asks for: those from outside are not served.
      mayMeasure: (request) => request.headers['x-forwarded-for'] === undefined && isNearby(peerAddress(request)),
      manage: async (authorization, body) => {
        const key = httpAuth.check(authorization, 'POST', body, nowSec());
        if (!key.ok) return { denied: key.error };
        if (!settings.owners.includes(key.value))
          return { denied: `${encodeNpub(key.value)} is no owner of this relay` };
        return manage(managed, body.toString());
      },
    }),
  );
  boundHttp(
    server,
    () => ({ max: rules.limits.maxHttpConnections, maxPerAddress: rules.limits.maxHttpConnectionsPerAddress }),
    (peer) => (isTrusted(peer, settings.trusted) ? undefined : addressGroup(peer)),
    () => metrics.add('dropped_total', 'reason="http"'),
  );
  let checkHost = hostCheck(rules.relayUrls, log);
  serveSockets(server, relay, (request) => {
    checkHost(request);
    const address = addressGroup(clientAddress(request, settings.trusted));
    return { address, maxMessageBytes: rules.limits.maxMessageBytes };
  });
  const facts = (): object => ({ url: announced(), knownAs: rules.relayUrls, owners: rules.owners.length });
  log.info(
    { ...facts(), host, port, crypto: crypto.name, verifyWorkers: verifyWorkers?.count ?? 0 },
    'relay is listening',
  );
  if (rules.owners.length === 0)
    log.warn({}, 'the relay has no owner, so it admits nobody: start it with --owner npub1…');

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await relay.stop();
    watch?.close();
    await cluster?.close();
    await catchUp?.close();
    server.closeAllConnections();
    await closed;
    await pool?.close();
    await store.close();
    log.info({ url: announced() }, 'relay has stopped');
  };
  return {
    get url() {
      return announced();
    },
    reconfigure: (changed) => {
      settings = checkSettings(changed);
      rules = rulesOf(settings);
      checkHost = hostCheck(rules.relayUrls, log);
      server.headersTimeout = rules.limits.headersMs;
      server.requestTimeout = rules.limits.headersMs * 1.5;
      relay.configure(rules);
      log.info(facts(), 'relay was configured again');
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

function nowSec(): number {
  return Math.floor(Date.now() / 1_000);
}

/** Before this the program did not exist. */
const EARLIEST_SEC = 1_735_689_600;

/** A clock that is behind what is stored refuses everybody's AUTH. */
async function clockProblem(store: RelayStore, maxFutureSec: number): Promise<string | undefined> {
  const everything = { reader: { pubkey: undefined, kinds: undefined }, nowSec: 0, maxEvents: 1, maxBytes: 1e9 };
  const [last] = await store.query({}, everything);
  const newest = Math.max(EARLIEST_SEC, (last?.createdAtSec ?? 0) - maxFutureSec);
  if (nowSec() >= newest) return undefined;
  return `the clock says ${new Date().toISOString()}, and what is stored is newer: set it`;
}

const DESCRIPTION =
  'A private relay for watching and steering coding agents. It serves its owners and the agents they vouch for (NIP-42, NIP-AA).';
