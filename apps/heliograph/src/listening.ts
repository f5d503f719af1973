import { createServer } from 'node:net';
import { badUsage, Failure, systemCode } from './failure.ts';
import type { Log } from './log.ts';

/** Where a part listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** Takes a free port where that one is in use. */
  readonly orFreePort?: boolean;
}

export const loopback = '127.0.0.1';

/** Where the parts listen unless told otherwise. */
export const defaultPort = { relay: 7447, desktop: 7448, archive: 7449 } as const;

/** The port when nothing listens there on loopback, else 0 (any free one), with a word about it. */
export async function freePortNear(port: number, log: Log): Promise<number> {
  const probe = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen({ host: loopback, port }, () => probe.close(() => resolve(true)));
  });
  if (!isFree) log.warn({ port }, `port ${port} is in use by another program: taking a free one`);
  return isFree ? port : 0;
}

/** Waits for a part that listens; a failure to listen becomes a sentence that names the flag to change. */
export async function listening<T>({ host, port }: Address, starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    throw listenFailure(error, host, port);
  }
}

function listenFailure(error: unknown, host: string, port: number): unknown {
  switch (systemCode(error)) {
    case 'EADDRINUSE':
      return new Failure(
        1,
        `port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any free one.`,
        { cause: error },
      );
    case 'EACCES':
      return new Failure(
        1,
        `port ${port} on ${host} is not allowed for this user. Choose one above 1023 with --port.`,
        { cause: error },
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return badUsage(`--host: ${host} is not an address of this machine. Expected one, or 0.0.0.0 for all.`);
    default:
      return error;
  }
}
