import type { IncomingMessage, Server } from 'node:http';
import { WebSocketServer } from 'ws';
import type { RelayHost } from './relay-host.ts';
import { explainingSocket } from './relay-socket.ts';

/** Pieces of one message: each is kept until the last one comes, even an empty one. */
const MAX_FRAGMENTS = 1_024;

/** How one WebSocket is taken: from which address it counts, and how long its messages may be. */
interface SocketTerms {
  readonly address: string;
  readonly maxMessageBytes: number;
}

/** Gives the relay every WebSocket that the server is asked for. `termsFor` may answer differently each time. */
export function serveSockets(
  server: Server,
  relay: RelayHost,
  termsFor: (request: IncomingMessage) => SocketTerms,
): void {
  let sockets: WebSocketServer | undefined;
  server.on('upgrade', (request, stream, head) => {
    const { address, maxMessageBytes } = termsFor(request);
    if (sockets?.options.maxPayload !== maxMessageBytes) sockets = socketServer(maxMessageBytes);
    sockets.handleUpgrade(request, stream, head, (socket) => relay.accept(socket, stream, address));
  });
}

function socketServer(maxMessageBytes: number): WebSocketServer {
  const settings = {
    noServer: true,
    clientTracking: false,
    maxPayload: maxMessageBytes,
    // Ciphertext does not shrink, and compressed bombs stay outside.
    perMessageDeflate: false,
    maxFragments: MAX_FRAGMENTS,
    autoPong: false,
    // How long a closed socket may take to go; @types/ws does not know it yet.
    closeTimeout: 5_000,
    WebSocket: explainingSocket(maxMessageBytes),
  };
  return new WebSocketServer(settings);
}
