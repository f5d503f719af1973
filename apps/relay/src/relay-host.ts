import type { Duplex } from 'node:stream';
import {
  askStore,
  type ConnectionId,
  type Decisions,
  NO_CONNECTION,
  type Peers,
  type RelayEffect,
  type RelayEngine,
  type RelayInput,
  type RelayLimits,
  type RelayRules,
  type VerifyEffect,
  whenReady,
} from '@heliograph/relay';
import { type Crypto, encodeMessage, type NostrEvent, type VerifiedEvent, verifyEvent } from '@heliograph/wire';
import { WebSocket } from 'ws';
import { CommitQueue } from './commit-queue.ts';
import { describeFault, logReport } from './log-report.ts';
import { type Recipient, SocketWriter, waitingBytes } from './socket-writer.ts';
import { StorageUpkeep, type StorageUpkeepOptions } from './storage-upkeep.ts';
import { textFrame } from './text-frame.ts';
import { VerifyLine } from './verify-line.ts';
import type { VerifyPool } from './verify-pool.ts';

/** What a host runs the engine with. */
export interface RelayHostOptions extends Omit<StorageUpkeepOptions, 'onDecisions'> {
  readonly engine: RelayEngine;
  /** A key of this process alone that may always come in: the relay's own, for asking itself. */
  readonly ownKey: string;
  /** Gives an event to the other relays, where there are any. */
  readonly share?: ((event: VerifiedEvent) => void) | undefined;
  readonly crypto: Crypto;
  /** Checks the signatures of events instead of this thread. */
  readonly pool?: VerifyPool | undefined;
  /** At the start; `configure` changes them. */
  readonly limits: RelayLimits;
}

interface Connection extends Recipient {
  readonly id: ConnectionId;
  /** Where workers check signatures: what waits for them. */
  readonly line: VerifyLine | undefined;
  /** Whether it answered since the last ping. */
  isAlive: boolean;
}

/** WebSocket close codes (RFC 6455, IANA). */
const INTERNAL_ERROR = 1011;
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;
const STOP_PATIENCE_MS = 2_000;

/** Runs the engine: sockets and time in, effects out. Whatever comes in one turn of the event loop is committed and sent together. */
export class RelayHost {
  readonly #options: RelayHostOptions;
  readonly #connections = new Map<ConnectionId, Connection>();
  readonly #writer = new SocketWriter();
  readonly #commits: CommitQueue;
  readonly #upkeep: StorageUpkeep;
  readonly #ticking: NodeJS.Timeout;
  #pinging: NodeJS.Timeout;
  #limits: RelayLimits;
  #turnEnd: NodeJS.Immediate | undefined;
  #lastId = 0;
  #isStopping = false;
  /** When the message that is being handled came, for the time it takes to fan out. */
  #messageAtMs = 0;

  constructor(options: RelayHostOptions) {
    this.#options = options;
    this.#upkeep = new StorageUpkeep({ ...options, onDecisions: (decisions) => this.#enforce(decisions) });
    this.#enforce(options.decisions);
    this.#commits = new CommitQueue({
      store: options.store,
      settle: (request, outcome) =>
        this.#guard(request.connection, () => this.#feed({ type: 'stored', request, outcome })),
      failed: (cause, events) =>
        options.log.error({ events, ...describeFault(cause), ...options.store.place }, 'events could not be stored'),
    });
    this.#limits = options.limits;
    this.#ticking = setInterval(() => this.#tick(), 1_000);
    this.#pinging = this.#startPinging();
  }

  #tick(): void {
    this.#feed({ type: 'tick' });
    this.#upkeep.tick();
  }

  /** Reads the operator's decisions and puts them in force. */
  applyAccess(): Promise<void> {
    return this.#upkeep.applyAccess();
  }

  /** Who is banned loses the connection now. */
  #enforce({ rules }: Decisions): void {
    this.#feed({ type: 'access', access: { ...rules, allowed: new Set([...rules.allowed, this.#options.ownKey]) } });
    this.#endTurnSoon();
  }

  /** What the operator decided, as it is in force. */
  get decisions(): Decisions {
    return this.#upkeep.decisions;
  }

  /** Puts a configuration that was read again in force. */
  configure(rules: RelayRules): void {
    const { pingIntervalMs } = this.#limits;
    this.#limits = rules.limits;
    if (rules.limits.pingIntervalMs !== pingIntervalMs) {
      clearInterval(this.#pinging);
      this.#pinging = this.#startPinging();
    }
    this.#feed({ type: 'configure', rules });
    this.#endTurnSoon();
  }

  #startPinging(): NodeJS.Timeout {
    return setInterval(() => this.#ping(), this.#limits.pingIntervalMs);
  }

  /** Takes an event of another relay; `ageMs` where it was stored that long ago and comes only now. */
  takeShared(event: NostrEvent, ageMs?: number): void {
    this.#messageAtMs = performance.now();
    const storedAtMs = ageMs === undefined ? undefined : Date.now() - ageMs;
    this.#guard(NO_CONNECTION, () => this.#feed({ type: 'shared', event, storedAtMs }));
  }

  /** Says what is known of the other relays. */
  setPeers(peers: Peers): void {
    this.#feed({ type: 'peers', peers });
  }

  /** Bytes that wait for clients to read them. */
  get outboundBytes(): number {
    let bytes = 0;
    for (const connection of this.#connections.values()) bytes += waitingBytes(connection);
    return bytes;
  }

  /** Takes over an open WebSocket; `address` is its peer's. */
  accept(socket: WebSocket, stream: Duplex, address: string): void {
    if (this.#isStopping) {
      socket.terminate();
      return;
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const line = this.#lineFor(id, socket);
    const connection: Connection = { id, socket, stream, line, burst: undefined, isAlive: true };
    const { metrics } = this.#options;
    metrics.add('connections_total');
    this.#connections.set(id, connection);
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.#send(id, encodeMessage(['NOTICE', 'invalid: messages are text frames (NIP-01)']));
      else if (line === undefined) this.#take(id, data.toString());
      else line.receive(data.toString());
      metrics.add('received_bytes_total', '', (data as Buffer).length);
    });
    socket.on('closing', () => this.#writer.flushOne(connection));
    // Not left to ws, which would go on answering who does not read.
    socket.on('ping', (data) => this.#answerPing(connection, data));
    socket.on('pong', () => {
      connection.isAlive = true;
    });
    // ws closes the connection by itself after an error; here it is only told.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') metrics.add('dropped_total', 'reason="size"');
      else if (error.code?.startsWith('WS_ERR_')) metrics.add('dropped_total', 'reason="frame"');
      this.#options.log.debug({ connection: id, reason: error.message }, 'connection broke');
    });
    socket.on('close', (code) => {
      this.#connections.delete(id);
      this.#feed({ type: 'close', connection: id });
      this.#options.log.debug({ connection: id, code }, 'connection closed');
    });
    this.#options.log.debug({ connection: id, address }, 'connection opened');
    this.#feed({ type: 'open', connection: id, address });
  }

  /** A fault of ours met by one client's message costs that client its connection, and nobody else theirs. */
  #take(id: ConnectionId, text: string): void {
    this.#messageAtMs = performance.now();
    this.#guard(id, () => this.#feed({ type: 'message', connection: id, text }));
  }

  #guard(id: ConnectionId, act: () => void): void {
    try {
      act();
    } catch (cause) {
      this.#options.log.error(
        { connection: id, ...describeFault(cause) },
        'a message could not be handled: this is a fault',
      );
      this.#connections.get(id)?.socket.close(INTERNAL_ERROR, 'error: a fault of the relay; its log says which');
    }
  }

  #feed(input: RelayInput): void {
    for (const effect of this.#options.engine.handle(input)) this.#run(effect);
  }

  #run(effect: RelayEffect): void {
    switch (effect.type) {
      case 'send':
        if (effect.refusal !== undefined) this.#options.metrics.add('refused_total', `reason="${effect.refusal}"`);
        this.#send(effect.connection, effect.text);
        break;
      case 'broadcast': {
        const frame = textFrame(effect.text);
        this.#options.metrics.fannedOut(performance.now() - this.#messageAtMs);
        this.#options.metrics.add('delivered_total', '', effect.connections.length);
        for (const id of effect.connections) this.#queue(id, frame);
        break;
      }
      case 'verify':
        this.#verify(effect);
        break;
      case 'query':
        void whenReady(askStore(this.#options.store, effect.question), (answer) => {
          this.#guard(effect.connection, () => this.#feed({ type: 'answered', request: effect, answer }));
        });
        break;
      case 'store':
        this.#commits.add(effect);
        this.#endTurnSoon();
        break;
      case 'share':
        this.#options.share?.(effect.event);
        break;
      case 'close':
        this.#connections.get(effect.connection)?.socket.close(effect.code, effect.reason);
        break;
      case 'report':
        logReport(effect, this.#options);
        break;
    }
  }

  /** Here and now, or in a worker; AUTH, which comes seldom and decides on what follows, always here. */
  #verify(request: VerifyEffect): void {
    const { crypto, metrics } = this.#options;
    const line = this.#connections.get(request.connection)?.line;
    if (request.purpose === 'publish') metrics.offered(request.event.kind);
    if (request.purpose === 'publish' && line !== undefined) line.verify(request);
    else this.#feed({ type: 'verified', request, result: verifyEvent(request.event, crypto) });
  }

  #lineFor(id: ConnectionId, socket: WebSocket): VerifyLine | undefined {
    const { pool, crypto } = this.#options;
    if (pool === undefined) return undefined;
    return new VerifyLine({
      pool,
      crypto,
      take: (text) => this.#take(id, text),
      settle: (request, result, sinceMs) => {
        this.#messageAtMs = sinceMs;
        this.#guard(id, () => this.#feed({ type: 'verified', request, result }));
      },
      pause: () => socket.pause(),
      resume: () => socket.resume(),
    });
  }

  #send(id: ConnectionId, text: string): void {
    this.#queue(id, textFrame(text));
  }

  #queue(id: ConnectionId, frame: Buffer): void {
    const connection = this.#connections.get(id);
    if (connection === undefined || connection.socket.readyState !== WebSocket.OPEN) return;
    if (waitingBytes(connection) > this.#limits.maxOutboundBytes) {
      this.#dropSlow(connection);
    } else {
      this.#writer.send(connection, frame);
      this.#endTurnSoon();
    }
  }

  #answerPing(connection: Connection, data: Buffer): void {
    const { socket } = connection;
    if (socket.readyState !== WebSocket.OPEN) return;
    if (waitingBytes(connection) > this.#limits.maxOutboundBytes) this.#dropSlow(connection);
    else socket.pong(data);
  }

  /** Nothing more is queued for who does not read; the close frame waits behind what is, for as long as ws is patient. */
  #dropSlow(connection: Connection): void {
    const { id, socket } = connection;
    const { log, metrics } = this.#options;
    metrics.add('dropped_total', 'reason="slow"');
    const bytes = waitingBytes(connection);
    log.warn({ connection: id, bytes, limit: this.#limits.maxOutboundBytes }, 'slow reader dropped');
    socket.close(TRY_AGAIN_LATER, 'too slow: more was waiting for you than this relay keeps');
    this.#feed({ type: 'close', connection: id });
  }

  #endTurnSoon(): void {
    this.#turnEnd ??= setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    clearImmediate(this.#turnEnd);
    this.#turnEnd = undefined;
    if (!this.#commits.commitWhenQuiet()) this.#endTurnSoon();
    this.#flush();
  }

  #flush(): void {
    this.#options.metrics.add('sent_bytes_total', '', this.#writer.flush());
  }

  #ping(): void {
    for (const connection of this.#connections.values()) {
      const { socket, id } = connection;
      if (!connection.isAlive) {
        this.#options.metrics.add('dropped_total', 'reason="silent"');
        this.#options.log.debug({ connection: id }, 'connection gave no sign of life');
        socket.terminate();
      } else if (socket.readyState === WebSocket.OPEN) {
        connection.isAlive = false;
        socket.ping();
      }
    }
  }

  /** Commits what is unwritten, tells every client to come back, and waits a moment for them to go. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#ticking);
    clearInterval(this.#pinging);
    this.#commits.commit();
    await this.#commits.idle();
    this.#flush();
    const gone = [...this.#connections.values()].map(
      ({ socket }) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    for (const { socket } of this.#connections.values()) socket.close(SERVICE_RESTART, 'the relay is stopping');
    const patience = setTimeout(() => {
      for (const { socket } of this.#connections.values()) socket.terminate();
    }, STOP_PATIENCE_MS);
    await Promise.all(gone);
    clearTimeout(patience);
    clearImmediate(this.#turnEnd);
    this.#commits.commit();
    this.#flush();
  }
}
