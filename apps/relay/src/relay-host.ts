import type { Duplex } from 'node:stream';
import type {
  ConnectionId,
  EventStore,
  RelayEffect,
  RelayEngine,
  RelayInput,
  RelayLimits,
  StoreEffect,
} from '@heliograph/relay';
import { type Crypto, encodeMessage, encodeNpub, verifyEvent } from '@heliograph/wire';
import { WebSocket } from 'ws';
import type { Log } from './log.ts';
import { Outbox, type Peer } from './outbox.ts';

/** What a host runs the engine with. */
export interface RelayHostOptions {
  readonly engine: RelayEngine;
  readonly store: EventStore;
  readonly crypto: Crypto;
  readonly limits: RelayLimits;
  readonly log: Log;
}

interface Connection extends Peer {
  readonly id: ConnectionId;
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
  readonly #outbox = new Outbox();
  readonly #timers: NodeJS.Timeout[];
  #unwritten: StoreEffect[] = [];
  #turnEnd: NodeJS.Immediate | undefined;
  #lastId = 0;
  #isStopping = false;

  constructor(options: RelayHostOptions) {
    this.#options = options;
    this.#timers = [
      setInterval(() => this.#feed({ type: 'tick' }), 1_000),
      setInterval(() => this.#ping(), options.limits.pingIntervalMs),
    ];
  }

  /** Takes over an open WebSocket; `address` is its peer's. */
  accept(socket: WebSocket, stream: Duplex, address: string): void {
    if (this.#isStopping) {
      socket.terminate();
      return;
    }
    this.#lastId += 1;
    const connection: Connection = { id: this.#lastId, socket, stream, isAlive: true };
    const { id } = connection;
    this.#connections.set(id, connection);
    socket.on('message', (data, isBinary) => {
      if (isBinary) this.#send(id, encodeMessage(['NOTICE', 'invalid: messages are text frames (NIP-01)']));
      else this.#take(connection, data.toString());
    });
    socket.on('pong', () => {
      connection.isAlive = true;
    });
    // ws closes the connection by itself after an error; here it is only told.
    socket.on('error', (error) =>
      this.#options.log.debug({ connection: id, reason: error.message }, 'connection broke'),
    );
    socket.on('close', (code) => {
      this.#connections.delete(id);
      this.#feed({ type: 'close', connection: id });
      this.#options.log.debug({ connection: id, code }, 'connection closed');
    });
    this.#options.log.debug({ connection: id, address }, 'connection opened');
    this.#feed({ type: 'open', connection: id, address });
  }

  /** A fault of ours met by one client's message costs that client its connection, and nobody else theirs. */
  #take({ id, socket }: Connection, text: string): void {
    try {
      this.#feed({ type: 'message', connection: id, text });
    } catch (cause) {
      this.#options.log.error(
        { connection: id, ...describe(cause) },
        'a message could not be handled: this is a fault',
      );
      socket.close(INTERNAL_ERROR, 'error: a fault of the relay; its log says which');
    }
  }

  #feed(input: RelayInput): void {
    for (const effect of this.#options.engine.handle(input)) this.#run(effect);
  }

  #run(effect: RelayEffect): void {
    switch (effect.type) {
      case 'send':
        this.#send(effect.connection, effect.text);
        break;
      case 'broadcast': {
        const text = Buffer.from(effect.text);
        for (const id of effect.connections) this.#send(id, text);
        break;
      }
      case 'verify':
        this.#feed({ type: 'verified', request: effect, result: verifyEvent(effect.event, this.#options.crypto) });
        break;
      case 'store':
        this.#unwritten.push(effect);
        this.#endTurnSoon();
        break;
      case 'close':
        this.#connections.get(effect.connection)?.socket.close(effect.code, effect.reason);
        break;
      case 'report':
        this.#report(effect);
        break;
    }
  }

  #send(id: ConnectionId, text: string | Buffer): void {
    const connection = this.#connections.get(id);
    if (connection === undefined || connection.socket.readyState !== WebSocket.OPEN) return;
    if (connection.socket.bufferedAmount > this.#options.limits.maxOutboundBytes) {
      this.#dropSlow(connection);
    } else {
      this.#outbox.send(connection, text);
      this.#endTurnSoon();
    }
  }

  /** Nothing more is queued for who does not read; the close frame waits behind what is, for as long as ws is patient. */
  #dropSlow({ id, socket }: Connection): void {
    const { log, limits } = this.#options;
    log.warn({ connection: id, bytes: socket.bufferedAmount, limit: limits.maxOutboundBytes }, 'slow reader dropped');
    socket.close(TRY_AGAIN_LATER, 'too slow: more was waiting for you than this relay keeps');
    this.#feed({ type: 'close', connection: id });
  }

  #endTurnSoon(): void {
    this.#turnEnd ??= setImmediate(() => this.#endTurn());
  }

  #endTurn(): void {
    clearImmediate(this.#turnEnd);
    this.#turnEnd = undefined;
    this.#commit();
    this.#outbox.flush();
  }

  /** One transaction for all that came in this turn; each publisher hears of it after the disk has it. */
  #commit(): void {
    const requests = this.#unwritten;
    if (requests.length === 0) return;
    this.#unwritten = [];
    let outcomes: ReturnType<EventStore['write']> | undefined;
    try {
      outcomes = this.#options.store.write(requests.map(({ event }) => event));
    } catch (cause) {
      this.#options.log.error({ events: requests.length, ...describe(cause) }, 'events could not be stored');
    }
    for (const [index, request] of requests.entries()) {
      this.#feed({ type: 'stored', request, outcome: outcomes?.[index] ?? 'failed' });
    }
  }

  #ping(): void {
    for (const connection of this.#connections.values()) {
      const { socket, id } = connection;
      if (!connection.isAlive) {
        this.#options.log.debug({ connection: id }, 'connection gave no sign of life');
        socket.terminate();
      } else if (socket.readyState === WebSocket.OPEN) {
        connection.isAlive = false;
        socket.ping();
      }
    }
  }

  #report({ connection, report }: Extract<RelayEffect, { type: 'report' }>): void {
    const { log } = this.#options;
    switch (report.type) {
      case 'admitted':
        log.info({ connection, role: report.role, key: encodeNpub(report.pubkey) }, 'key admitted');
        break;
      case 'refused':
        log.warn({ connection, key: encodeNpub(report.pubkey), reason: report.message }, 'key refused');
        break;
      case 'admission-ended':
        log.info({ connection, key: encodeNpub(report.pubkey) }, 'attestation ended');
        break;
      case 'connection-ended':
        log.info({ connection, reason: report.message }, 'connection ended by the relay');
        break;
      case 'query-failed':
        log.error({ connection, ...describe(report.cause) }, 'a query failed');
        break;
    }
  }

  /** Commits what is unwritten, tells every client to come back, and waits a moment for them to go. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#endTurn();
    const gone = [...this.#connections.values()].map(
      ({ socket }) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
    );
    for (const { socket } of this.#connections.values()) socket.close(SERVICE_RESTART, 'the relay is stopping');
    const patience = setTimeout(() => {
      for (const { socket } of this.#connections.values()) socket.terminate();
    }, STOP_PATIENCE_MS);
    await Promise.all(gone);
    clearTimeout(patience);
    this.#endTurn();
  }
}

/** An error without its content: SQLite's messages name tables and limits, never values. */
function describe(cause: unknown): { code: unknown; reason: string } {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return { code, reason: cause instanceof Error ? cause.message : String(cause) };
}
