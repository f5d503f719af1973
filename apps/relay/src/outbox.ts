import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** One open connection: its WebSocket and the stream beneath it. */
export interface Peer {
  readonly socket: WebSocket;
  readonly stream: Duplex;
}

/**
 * Sends, gathering what goes to one connection in one turn of the event loop into one write: a burst to a hundred
 * subscribers costs a hundred system calls, not ten thousand. `flush` ends the turn.
 */
export class Outbox {
  readonly #corked = new Set<Duplex>();

  /** Queues one text message; `text` as a Buffer is UTF-8 and may be shared between connections. */
  send({ socket, stream }: Peer, text: string | Buffer): void {
    if (!this.#corked.has(stream)) {
      this.#corked.add(stream);
      stream.cork();
    }
    socket.send(text, { binary: false });
  }

  /** Lets everything queued go. */
  flush(): void {
    for (const stream of this.#corked) stream.uncork();
    this.#corked.clear();
  }
}
