import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** One address before several servers of this machine: each connection goes to the next that takes it. */
export class Balancer {
  backends: number[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #next = 0;

  private constructor() {
    this.#server = createServer((client) => {
      this.#sockets.add(client);
      client.on('close', () => this.#sockets.delete(client));
      client.on('error', () => undefined);
      this.#forward(client, this.backends.length);
    });
  }

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #forward(client: Socket, tries: number): void {
    const port = this.backends[this.#next++ % this.backends.length];
    if (tries === 0 || port === undefined) {
      client.destroy();
      return;
    }
    const backend = connect(port, '127.0.0.1');
    const refused = (): void => this.#forward(client, tries - 1);
    backend.once('error', refused);
    backend.once('connect', () => {
      backend.off('error', refused);
      backend.on('error', () => client.destroy());
      backend.on('close', () => client.destroy());
      client.on('close', () => backend.destroy());
      client.pipe(backend).pipe(client);
    });
  }
}
