import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { peerAddress } from './client-address.ts';

/** How many connections may be open that are no WebSocket, or not yet: in all, and from one address. */
export interface HttpConnectionBounds {
  readonly max: number;
  readonly maxPerAddress: number;
}

/**
 * Bounds the connections of plain HTTP, which are open before anybody knows what they ask for: where it is full, in all or
 * from one address, the one that has been open longest is cut off for the new one. `addressOf` gives what a connection
 * counts by, undefined for a proxy's, behind which there are many. WebSockets are bounded elsewhere. `bounds` may change.
 */
export function boundHttp(
  server: Server,
  bounds: () => HttpConnectionBounds,
  addressOf: (peer: string) => string | undefined,
  onCut: () => void,
): void {
  // Sets give what was added first.
  const all = new Set<Socket>();
  const byAddress = new Map<string, Set<Socket>>();
  const addresses = new WeakMap<Socket, string>();
  const forget = (socket: Socket): void => {
    if (!all.delete(socket)) return;
    const address = addresses.get(socket);
    const there = address === undefined ? undefined : byAddress.get(address);
    there?.delete(socket);
    if (address !== undefined && there?.size === 0) byAddress.delete(address);
  };
  const cutLongest = (of: Set<Socket>): void => {
    const [longest] = of;
    if (longest === undefined) return;
    longest.destroy();
    forget(longest);
    onCut();
  };
  server.on('connection', (socket: Socket) => {
    const { max, maxPerAddress } = bounds();
    const address = addressOf(peerAddress({ socket }));
    if (all.size >= max) cutLongest(all);
    if (address !== undefined) {
      const before = byAddress.get(address);
      if (before !== undefined && before.size >= maxPerAddress) cutLongest(before);
      const there = byAddress.get(address) ?? new Set();
      byAddress.set(address, there.add(socket));
      addresses.set(socket, address);
    }
    all.add(socket);
    socket.on('close', () => forget(socket));
  });
  server.on('upgrade', (request: IncomingMessage) => forget(request.socket));
}
