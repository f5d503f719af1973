import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy on loopback that passes everything below a path on, path and Host as they are, and nothing else. */
export class PathProxy {
  readonly #server: Server;
  #target = 0;
  /** Answers of its own, by path: what another build of the page would be served as. */
  readonly answers = new Map<string, { readonly type: string; readonly body: string }>();

  private constructor(path: string) {
    const proxy = () => this;
    this.#server = createServer((asked, answer) => {
      if (!isBelow(asked, path)) return void answer.writeHead(404).end();
      const own = proxy().answers.get(asked.url ?? '');
      if (own !== undefined) return void answer.writeHead(200, { 'Content-Type': own.type }).end(own.body);
      const { method, url, headers } = asked;
      const passed = request({ port: this.#target, method, path: url, headers: withClient(headers) }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      });
      passed.on('error', () => answer.destroy());
      asked.pipe(passed);
    });
    this.#server.on('upgrade', (asked: IncomingMessage, socket, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      if (!isBelow(asked, path)) return void socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
      const passed = request({ port: this.#target, path: asked.url, headers: withClient(asked.headers) });
      passed.on('error', () => socket.destroy());
      passed.on('upgrade', (response, upstream, first) => {
        const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join('')}\r\n`);
        socket.write(first);
        upstream.write(head);
        upstream.on('error', () => socket.destroy());
        upstream.pipe(socket).pipe(upstream);
      });
      passed.end();
    });
  }

  static async listen(path: string): Promise<PathProxy> {
    const proxy = new PathProxy(path);
    await new Promise<void>((resolve) => proxy.#server.listen({ host: '127.0.0.1', port: 0 }, resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Where it passes on to: a port of this machine. */
  passTo(port: number): void {
    this.#target = port;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function isBelow({ url = '' }: IncomingMessage, path: string): boolean {
  return url === path || url.startsWith(`${path}/`);
}

function withClient(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return { ...headers, 'x-forwarded-for': '192.0.2.7' };
}
