import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens, and resolves to the port. Rejects with a sentence for the user and the system's code. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message = listenProblem(cause, host, port);
      reject(Object.assign(new Error(message, { cause }), { code: cause.code }));
    });
    server.listen({ host, port }, resolve);
  });
  server.removeAllListeners('error');
  return (server.address() as AddressInfo).port;
}

function listenProblem(cause: NodeJS.ErrnoException, host: string, port: number): string {
  switch (cause.code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is in use: choose another with --port, or --port 0 for any free one`;
    case 'EACCES':
      return `port ${port} on ${host} is not for this user: choose one above 1023 with --port`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is no address of this machine: choose another with --host (0.0.0.0 for all)`;
    default:
      return `can't listen on port ${port} of ${host} (${cause.message}): choose others with --host and --port`;
  }
}
