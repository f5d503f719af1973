import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network of one wire: it passes bytes to a port until it is cut or down. */
export class WireProxy {
  readonly url: string;
  /** Whether new connections are refused. */
  isDown = false;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  #isHeld = false;

  static async open(port: number): Promise<WireProxy> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      if (proxy.isDown) {
        near.destroy();
        return;
      }
      const far = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one.on('close', () => {
          sockets.delete(one);
          other.destroy();
        });
        one.on('error', () => other.destroy());
        one.on('data', (chunk) => void other.write(chunk));
        if (proxy.#isHeld) one.pause();
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new WireProxy(server, sockets);
    return proxy;
  }

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Passes nothing on and ends nothing, as a network that stalls; what was sent meanwhile waits. */
  hold(): void {
    for (const socket of this.#sockets) socket.pause();
    this.#isHeld = true;
  }

  /** What is connected now passes nothing on from now on and is never told so, as behind a router that forgot it; new connections work. */
  forget(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  letGo(): void {
    this.#isHeld = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Ends every connection, as a cable that is pulled out. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}
