import { randomUUID } from 'node:crypto';
import type { Peers } from '@heliograph/relay';
import { type NostrEvent, parseEvent, type VerifiedEvent } from '@heliograph/wire';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { CatchUp } from './catch-up.ts';
import { PeerTable } from './peer-table.ts';

/** What a relay joins others with. */
export interface ClusterOptions {
  /** nats:// or tls://, with user and password, or a token, where the server wants one. */
  readonly url: string;
  /** Names the cluster: relays of others on the same server are not heard. */
  readonly cluster: string;
  /** Of one event, as configured now. */
  readonly maxEventBytes: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  /** An event came from another relay; not verified. */
  readonly onEvent: (event: NostrEvent) => void;
  /** Another relay changed what the operator decided. */
  readonly onAccess: () => void;
  readonly onPeers: (peers: Peers) => void;
  /** Reads what relays could not tell each other. */
  readonly catchUp: Pick<CatchUp, 'note' | 'surePlace' | 'from'>;
}

/** How the cluster is, for readiness and metrics. */
export interface ClusterState {
  readonly connected: boolean;
  /** Other relays heard of late. */
  readonly peers: number;
  /** Why it is not connected. */
  readonly reason: string | undefined;
}

const HEARTBEAT_MS = 2_000;
const CONNECT_MS = 5_000;
/** A server that does not say for so long that it has what was sent is left; a heartbeat is sent all the while. */
const ANSWER_MS = 10_000;
/** How long an orderly end waits for the server. */
const FAREWELL_MS = 1_000;
const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 10_000;
/** What is sent and was not taken by the server yet; what is over it is not sent, and counted. */
const MAX_OUTBOUND_BYTES = 16 * 1024 * 1024;

/**
 * Carries events between relays over NATS, each as one message, at most once. While the server can't be reached the relay
 * serves its own connections and this tries again, waiting longer each time. Frames of that time are not sent later; what
 * was stored is read from the storage by all, once they are told from where.
 */
export class NatsCluster {
  readonly #options: ClusterOptions;
  readonly #node = randomUUID();
  readonly #peers: PeerTable;
  readonly #subjects: {
    readonly events: string;
    readonly access: string;
    readonly here: string;
    readonly gone: string;
    readonly missed: string;
  };
  readonly #running: Promise<void>;
  readonly #timer: NodeJS.Timeout;
  #connection: NatsConnection | undefined;
  #reason: string | undefined = 'it was not connected yet';
  #waiting: { readonly timer: NodeJS.Timeout; readonly resolve: () => void } | undefined;
  #isClosing = false;
  #outboundBytes = 0;
  /** Since when the server owes us an answer; undefined when it owes none. */
  #flushingSinceMs: number | undefined;
  #isSlow = false;
  /** From where others and we may have missed something, until it was asked for on a connection that holds. */
  #missedFrom: number | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const subject = (name: string): string => `heliograph.${options.cluster}.${name}`;
    this.#subjects = {
      events: subject('events'),
      access: subject('access'),
      here: subject('here'),
      gone: subject('gone'),
      missed: subject('missed'),
    };
    this.#peers = new PeerTable(() => performance.now());
    void options.catchUp.note();
    this.#timer = setInterval(() => this.#beat(), HEARTBEAT_MS);
    this.#running = this.#run();
  }

  get state(): ClusterState {
    return { connected: this.#connection !== undefined, peers: this.#peers.count(), reason: this.#reason };
  }

  /** Gives an event to the other relays; what can't be sent now is counted and not kept. */
  share({ json }: VerifiedEvent): void {
    this.#publish(this.#subjects.events, Buffer.from(json));
  }

  /** Tells the other relays to read what the operator decided. */
  tellAccess(): void {
    this.#publish(this.#subjects.access, Buffer.alloc(0));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    this.#publish(this.#subjects.gone, Buffer.from(this.#node));
    this.#waiting?.resolve();
    const connection = this.#connection;
    if (connection !== undefined) {
      const farewell = new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
      await Promise.race([connection.flush().catch(() => undefined), farewell]);
      await connection.close();
    }
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    let cutAtMs: number | undefined;
    const { log } = this.#options;
    while (!this.#isClosing) {
      try {
        const connection = await connect(connectionOptions(this.#options.url));
        this.#join(connection);
        const cutForMs = cutAtMs === undefined ? undefined : Math.round(performance.now() - cutAtMs);
        log.info({ server: connection.getServer(), cutForMs }, 'connected to NATS: other relays are reached');
        failures = 0;
        const cause = await connection.closed();
        this.#leave(this.#reason ?? (cause instanceof Error ? cause.message : 'the server closed the connection'));
        cutAtMs = performance.now();
      } catch (cause) {
        this.#leave(cause instanceof Error ? cause.message : String(cause));
      }
      if (this.#isClosing) return;
      cutAtMs ??= performance.now();
      if (failures === 0) log.error({ reason: this.#reason }, 'NATS is not reached: only own connections are served');
      failures += 1;
      this.#options.metrics.add('cluster_connect_failures_total');
      await this.#wait(failures);
    }
  }

  #join(connection: NatsConnection): void {
    this.#connection = connection;
    this.#reason = undefined;
    this.#outboundBytes = 0;
    this.#flushingSinceMs = undefined;
    this.#isSlow = false;
    this.#peers.joined();
    connection.subscribe(this.#subjects.events, { callback: (_, message) => this.#take(message.data) });
    connection.subscribe(this.#subjects.access, { callback: () => this.#options.onAccess() });
    connection.subscribe(this.#subjects.here, {
      callback: (_, message) => {
        // Who is new hears of us at once.
        if (this.#peers.heard(message.string())) this.#beat();
      },
    });
    connection.subscribe(this.#subjects.gone, { callback: (_, message) => this.#peers.gone(message.string()) });
    connection.subscribe(this.#subjects.missed, {
      callback: (_, message) => {
        const place = message.string();
        if (/^\d{1,15}$/.test(place)) this.#options.catchUp.from(Number(place));
      },
    });
    this.#beat();
    // What was decided while we were away.
    this.#options.onAccess();
    void this.#catchUp(connection);
  }

  /** What was stored here did not reach the others, nor theirs us. Once the server has our subscriptions, what comes after comes live. */
  async #catchUp(connection: NatsConnection): Promise<void> {
    this.#missedFrom ??= this.#options.catchUp.surePlace;
    const place = this.#missedFrom;
    if (place === undefined) return;
    this.#publish(this.#subjects.missed, Buffer.from(`${place}`));
    try {
      await connection.flush();
    } catch {
      // The connection ended again; the next one begins from the same place.
      return;
    }
    this.#missedFrom = undefined;
    this.#options.catchUp.from(place);
  }

  #leave(reason: string): void {
    this.#connection = undefined;
    this.#reason = reason;
    this.#tellPeers();
  }

  #beat(): void {
    const owingMs = performance.now() - (this.#flushingSinceMs ?? Number.POSITIVE_INFINITY);
    if (this.#connection !== undefined && owingMs > ANSWER_MS) {
      this.#reason = 'the server does not answer';
      void this.#connection.close();
    } else if (this.#connection !== undefined && !this.#isSlow) void this.#options.catchUp.note();
    if (!this.#isClosing) this.#publish(this.#subjects.here, Buffer.from(this.#node));
    this.#tellPeers();
  }

  #tellPeers(): void {
    this.#options.onPeers(this.#connection === undefined ? 'cut' : this.#peers.mayBeHeard() ? 'heard' : 'quiet');
  }

  #take(data: Uint8Array): void {
    const { metrics, maxEventBytes, onEvent } = this.#options;
    const event = data.length <= maxEventBytes() ? readEvent(data) : undefined;
    if (event === undefined) {
      metrics.add('cluster_refused_total', 'reason="malformed"');
      return;
    }
    metrics.add('cluster_received_total');
    onEvent(event);
  }

  #publish(subject: string, data: Uint8Array): void {
    const { metrics, log } = this.#options;
    const connection = this.#connection;
    if (connection === undefined || connection.isClosed()) {
      metrics.add('cluster_dropped_total', 'reason="cut"');
      return;
    }
    if (this.#outboundBytes + data.length > MAX_OUTBOUND_BYTES) {
      metrics.add('cluster_dropped_total', 'reason="slow"');
      if (!this.#isSlow)
        log.error({ bytes: this.#outboundBytes }, 'NATS is too slow: events do not reach other relays');
      this.#isSlow = true;
      return;
    }
    connection.publish(subject, data);
    this.#outboundBytes += data.length;
    metrics.add('cluster_sent_total');
    if (this.#flushingSinceMs === undefined) void this.#flush(connection);
  }

  /** Asks the server to say that it has all that was sent; until then that counts as waiting. */
  async #flush(connection: NatsConnection): Promise<void> {
    while (connection === this.#connection && this.#outboundBytes > 0) {
      this.#flushingSinceMs = performance.now();
      const bytes = this.#outboundBytes;
      try {
        await connection.flush();
      } catch {
        // The connection ended; joining again begins anew.
        return;
      }
      if (connection !== this.#connection) return;
      this.#outboundBytes -= bytes;
      const wasSlow = this.#isSlow;
      this.#isSlow = false;
      // What was not sent while it was slow is read by the others.
      if (wasSlow) void this.#catchUp(connection);
    }
    if (connection === this.#connection) this.#flushingSinceMs = undefined;
  }

  /** Twice as long each time, give or take a half, so that relays that lost the same server don't come back as one. */
  #wait(failures: number): Promise<void> {
    const ms = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LAST_WAIT_MS) * (0.5 + Math.random());
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#waiting = { timer, resolve: done };
    });
  }
}

function connectionOptions(text: string): NodeConnectionOptions {
  const { protocol, host, username, password } = new URL(text);
  const user = decodeURIComponent(username);
  const credentials =
    user === '' ? {} : password === '' ? { token: user } : { user, pass: decodeURIComponent(password) };
  return {
    servers: host,
    name: 'heliograph relay',
    noEcho: true,
    // We connect again ourselves, so that every step is told.
    reconnect: false,
    timeout: CONNECT_MS,
    ...credentials,
    ...(protocol === 'tls:' ? { tls: {} } : {}),
  };
}

function readEvent(data: Uint8Array): NostrEvent | undefined {
  try {
    const event = parseEvent(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data)));
    return event.ok ? event.value : undefined;
  } catch {
    return undefined;
  }
}
