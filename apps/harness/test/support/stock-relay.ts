import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Filter, isEphemeral, matchFilter, type NostrEvent, parseClientMessage } from '@heliograph/wire';
import { type WebSocket, WebSocketServer } from 'ws';

/** What a relay of another make takes, and what it tells of that. */
export interface StockLimits {
  /** The members of its NIP-11 document. */
  readonly document: object;
  readonly maxMessageBytes: number;
  readonly maxEventBytes: number;
  readonly maxEphemeralAgeSec: number;
  readonly maxFutureSec: number;
}

/** Of strfry 1.0 as its configuration comes. */
export const STRFRY: StockLimits = {
  document: {
    supported_nips: [1, 2, 4, 9, 11, 22, 28, 40, 70, 77],
    software: 'git+https://github.com/hoytech/strfry.git',
    limitation: { max_message_length: 131_072, max_subscriptions: 20, max_limit: 500 },
  },
  maxMessageBytes: 131_072,
  maxEventBytes: 65_536,
  maxEphemeralAgeSec: 60,
  maxFutureSec: 900,
};

/** Of nostr-rs-relay 0.9 as its configuration comes. */
export const NOSTR_RS_RELAY: StockLimits = {
  document: {
    supported_nips: [1, 2, 9, 11, 12, 15, 16, 20, 22, 33, 40],
    software: 'https://git.sr.ht/~gheartsfield/nostr-rs-relay',
    limitation: { payment_required: false, restricted_writes: false },
  },
  maxMessageBytes: 131_072,
  maxEventBytes: 131_072,
  maxEphemeralAgeSec: Number.POSITIVE_INFINITY,
  maxFutureSec: 1_800,
};

/** A relay on a real port that passes events on to who asked for them, and refuses what that make refuses. It keeps nothing. */
export class StockRelay {
  readonly url: string;
  readonly refusals: string[] = [];
  taken = 0;
  readonly #close: () => void;

  static async open(limits: StockLimits): Promise<StockRelay> {
    const http = createServer((_request, response) => response.end(JSON.stringify(limits.document)));
    const sockets = new WebSocketServer({ server: http, maxPayload: limits.maxMessageBytes });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const close = () => {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      http.close();
    };
    const relay = new StockRelay(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, close);
    const asked = new Map<WebSocket, Map<string, readonly Filter[]>>();
    sockets.on('connection', (socket) => {
      asked.set(socket, new Map());
      socket.on('close', () => asked.delete(socket));
      socket.on('error', (error) => void relay.refusals.push(error.message));
      socket.on('message', (data) => relay.#receive(String(data), socket, asked, limits));
    });
    return relay;
  }

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.#close = close;
  }

  close(): void {
    this.#close();
  }

  #receive(
    text: string,
    socket: WebSocket,
    asked: Map<WebSocket, Map<string, readonly Filter[]>>,
    limits: StockLimits,
  ): void {
    const message = parseClientMessage(text);
    if (!message.ok) return;
    const send = (to: WebSocket, ...members: unknown[]) => to.send(JSON.stringify(members));
    if (message.value[0] === 'REQ') {
      const [, subId, ...filters] = message.value;
      asked.get(socket)?.set(subId, filters);
      send(socket, 'EOSE', subId);
    } else if (message.value[0] === 'CLOSE') asked.get(socket)?.delete(message.value[1]);
    else if (message.value[0] === 'EVENT') {
      const event = message.value[1];
      const refusal = refusalOf(event, limits);
      if (refusal === undefined) this.taken++;
      else this.refusals.push(refusal);
      send(socket, 'OK', event.id, refusal === undefined, refusal ?? '');
      if (refusal !== undefined) return;
      for (const [other, subscriptions] of asked)
        for (const [subId, filters] of subscriptions)
          if (filters.some((filter) => matchFilter(filter, event))) send(other, 'EVENT', subId, event);
    }
  }
}

function refusalOf(event: NostrEvent, { maxEventBytes, maxEphemeralAgeSec, maxFutureSec }: StockLimits) {
  const { id, pubkey, created_at, kind, tags, content, sig } = event;
  const bytes = Buffer.byteLength(JSON.stringify({ id, pubkey, created_at, kind, tags, content, sig }));
  const ageSec = Math.floor(Date.now() / 1_000) - created_at;
  if (bytes > maxEventBytes) return `invalid: event too large: ${bytes}`;
  if (isEphemeral(kind) && ageSec > maxEphemeralAgeSec) return 'invalid: ephemeral event expired';
  return -ageSec > maxFutureSec ? 'invalid: created_at too far in the future' : undefined;
}
