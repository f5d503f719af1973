import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';

/** One open connection: its WebSocket, the stream beneath it, and what it is sent at the end of this turn. */
export interface Recipient {
  readonly socket: WebSocket;
  readonly stream: Duplex;
  burst: Burst | undefined;
}

/**
 * Frames in a row. Connections that are sent the same frames share one Burst, and with it the bytes: a hundred
 * subscribers to one stream cost one copy of it, however many events came in the turn.
 */
class Burst {
  readonly bytes: number;
  readonly #before: Burst | undefined;
  readonly #frame: Buffer;
  #next: Burst | undefined;
  #joined: Buffer | undefined;

  constructor(before: Burst | undefined, frame: Buffer) {
    this.#before = before;
    this.#frame = frame;
    this.bytes = (before?.bytes ?? 0) + frame.length;
  }

  /** This burst with one more frame: the same object for everybody who goes on with the same one. */
  followedBy(frame: Buffer): Burst {
    if (this.#next === undefined || this.#next.#frame !== frame) this.#next = new Burst(this, frame);
    return this.#next;
  }

  join(): Buffer {
    this.#joined ??= this.#before === undefined ? this.#frame : this.#joinAll();
    return this.#joined;
  }

  #joinAll(): Buffer {
    const joined = Buffer.allocUnsafe(this.bytes);
    let end = this.bytes;
    for (let burst: Burst | undefined = this; burst !== undefined; burst = burst.#before) {
      end -= burst.#frame.length;
      burst.#frame.copy(joined, end);
    }
    return joined;
  }
}

/**
 * Sends whole frames straight to the streams below the WebSockets, gathering what goes to one connection in one turn of
 * the event loop into one write. That keeps their order because `ws` holds nothing back where no compression is agreed
 * to; its own frames (pings, close) are whole as well, and `flushOne` goes before a close. `flush` ends the turn.
 */
export class SocketWriter {
  #waiting: Recipient[] = [];
  #first: { readonly frame: Buffer; readonly burst: Burst } | undefined;
  #sentBytes = 0;

  /** Queues one frame, which may be shared between connections and is not changed after. */
  send(recipient: Recipient, frame: Buffer): void {
    if (recipient.burst !== undefined) {
      recipient.burst = recipient.burst.followedBy(frame);
      return;
    }
    if (this.#first?.frame !== frame) this.#first = { frame, burst: new Burst(undefined, frame) };
    recipient.burst = this.#first.burst;
    this.#waiting.push(recipient);
  }

  /** Lets everything queued go; gives the bytes that went since the last time. */
  flush(): number {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#first = undefined;
    for (const recipient of waiting) this.flushOne(recipient);
    const bytes = this.#sentBytes;
    this.#sentBytes = 0;
    return bytes;
  }

  /** Lets go what is queued for one connection; what can't be sent any more is dropped with it. */
  flushOne(recipient: Recipient): void {
    const { burst, socket, stream } = recipient;
    recipient.burst = undefined;
    if (burst === undefined || socket.readyState !== WebSocket.OPEN) return;
    stream.write(burst.join());
    this.#sentBytes += burst.bytes;
  }
}

/** Bytes that wait for this connection to read them. */
export function waitingBytes({ stream, burst }: Recipient): number {
  return stream.writableLength + (burst?.bytes ?? 0);
}
