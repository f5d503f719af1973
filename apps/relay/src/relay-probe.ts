import { type EventSigner, encodeMessage, normalizeRelayUrl, type RelayMessage } from '@heliograph/wire';
import { WebSocket } from 'ws';

/** A message from a relay, also of kinds that wire does not know. */
export type Heard = RelayMessage | readonly [string, ...unknown[]];

/** A connection that asks one thing at a time and waits for the answer, never longer than its patience. */
export class RelayProbe {
  readonly #socket: WebSocket;
  readonly #heard: Heard[] = [];
  readonly #patienceMs: number;
  #wake = (): void => undefined;
  #end: string | undefined;

  private constructor(socket: WebSocket, patienceMs: number) {
    this.#socket = socket;
    this.#patienceMs = patienceMs;
    socket.on('message', (data) => {
      this.#heard.push(JSON.parse(data.toString()) as Heard);
      this.#wake();
    });
    socket.on('error', (error) => {
      this.#end = error.message;
      this.#wake();
    });
    socket.on('close', (code, reason) => {
      this.#end ??= `the relay closed the connection (${code} ${reason.toString()})`;
      this.#wake();
    });
  }

  /** Opens a connection; rejects with an Error that names what went wrong. */
  static async open(url: string, patienceMs: number): Promise<RelayProbe> {
    const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: patienceMs });
    const probe = new RelayProbe(socket, patienceMs);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return probe;
  }

  say(message: readonly unknown[]): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** The first message from now on, or already heard and not asked for, that fits; rejects when none comes in time. */
  async until(fits: (message: Heard) => boolean, what: string): Promise<Heard> {
    const deadlineMs = performance.now() + this.#patienceMs;
    for (;;) {
      const at = this.#heard.findIndex(fits);
      if (at !== -1) return this.#heard.splice(at, 1)[0] as Heard;
      if (this.#end !== undefined) throw new Error(this.#end);
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) throw new Error(`${what} did not come within ${this.#patienceMs} ms`);
      await this.#next(leftMs);
    }
  }

  #next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Publishes and gives the relay's OK. */
  async publish(event: ReturnType<EventSigner['sign']>): Promise<{ readonly ok: boolean; readonly reason: string }> {
    this.#socket.send(encodeMessage(['EVENT', event]));
    const [, , ok, reason] = await this.until(([type, id]) => type === 'OK' && id === event.id, 'an OK');
    return { ok: ok === true, reason: String(reason) };
  }

  close(): void {
    this.#socket.terminate();
  }
}

/** The http or https address of a relay's ws or wss one. */
export function httpUrlOf(relayUrl: string): string {
  return (normalizeRelayUrl(relayUrl) ?? relayUrl).replace(/^ws/, 'http');
}
