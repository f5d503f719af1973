import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Crypto, hexEncode, type NostrEvent, type Signer } from '@heliograph/wire';
import { type WebSocket, WebSocketServer } from 'ws';
import type { HeldFrames } from './held-frames.ts';
import { HistoryConnection } from './history-connection.ts';

export interface HistoryServerOptions {
  /** 0 takes a free one; the address is always loopback. */
  readonly port: number;
  /** Pages that may connect, like http://127.0.0.1:7448; programs send no Origin. */
  readonly origins: () => readonly string[];
  readonly owner: Signer;
  readonly frames: HeldFrames;
  readonly crypto: Crypto;
}

/** An archive's own socket. */
export interface HistoryServer {
  readonly url: string;
  /** Tells viewers of an event that has just been kept. */
  announce(event: NostrEvent, json: string): void;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 32;
const MAX_MESSAGE_BYTES = 131_072;
/** A reader this far behind is waited for; one that is further behind than the second is let go. */
const HIGH_WATER_BYTES = 1_048_576;
const MAX_BEHIND_BYTES = 64 * 1_048_576;
const LOOK_AGAIN_MS = 10;

/**
 * Listens on loopback for the owner's viewers. What a foreign page could reach is refused before anything is said: a name
 * that merely resolves here (DNS rebinding) shows in Host, a foreign page in Origin. Rejects with `EADDRINUSE` as listening does.
 */
export async function startHistoryServer(options: HistoryServerOptions): Promise<HistoryServer> {
  const { crypto } = options;
  const server = createServer((_, response) => {
    response.writeHead(426, { 'Content-Type': 'text/plain' });
    response.end('This is the socket of an archive.\n');
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const connections = new Map<WebSocket, HistoryConnection>();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: options.port }, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  const urls = names.map((name) => `ws://${name}`);

  server.on('upgrade', (request, socket, head) => {
    const refusal = refusalOf(request, names, options.origins(), connections.size);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => welcome(ws));
  });

  function welcome(ws: WebSocket): void {
    const connection = new HistoryConnection(
      {
        owner: options.owner,
        crypto,
        frames: options.frames,
        nowSec: () => Math.floor(Date.now() / 1_000),
        challenge: hexEncode(crypto.randomBytes(32)),
        relayUrls: urls,
      },
      {
        send(text) {
          if (ws.bufferedAmount > MAX_BEHIND_BYTES) ws.terminate();
          else ws.send(text);
        },
        drained: () => drained(ws),
        close: (code, reason) => ws.close(code, reason),
      },
    );
    connections.set(ws, connection);
    ws.on('message', (data, isBinary) => {
      if (!isBinary) connection.receive(String(data)).catch(() => ws.close(1011, 'the archive could not answer'));
    });
    ws.on('error', () => ws.terminate());
    ws.on('close', () => {
      connection.end();
      connections.delete(ws);
    });
  }

  return {
    url: urls[0] ?? '',
    announce(event, json) {
      for (const connection of connections.values()) connection.announce(event, json);
    },
    close: () =>
      new Promise((resolve) => {
        for (const ws of connections.keys()) ws.terminate();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function refusalOf(
  request: IncomingMessage,
  names: readonly string[],
  origins: readonly string[],
  connections: number,
): string | undefined {
  const { host, origin } = request.headers;
  if (host === undefined || !names.includes(host.toLowerCase())) return '421 Misdirected Request';
  if (origin !== undefined && !origins.includes(origin)) return '403 Forbidden';
  return connections >= MAX_CONNECTIONS ? '503 Service Unavailable' : undefined;
}

async function drained(ws: WebSocket): Promise<void> {
  while (ws.readyState === ws.OPEN && ws.bufferedAmount > HIGH_WATER_BYTES) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
