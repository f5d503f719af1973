import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KnownAgent } from '@heliograph/client';
import type { Crypto } from '@heliograph/wire';
import { type AskArchive, DesktopApi, type MakeInvite, type OwnerKey } from './desktop-api.ts';
import { DesktopFile } from './desktop-file.ts';
import { type Reply, refuse, sendReply } from './http-reply.ts';
import type { Log } from './log.ts';
import { OneTimeTokens } from './one-time-tokens.ts';
import { readJson } from './read-json.ts';
import { allowedHosts, guardRequest } from './request-guard.ts';
import { fileRequest, openStaticFiles, type ServeFile } from './static-files.ts';

export interface DesktopHostOptions {
  /** Address to listen on; Host headers may name it besides the loopback names. */
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Takes a free port where that one is in use. */
  readonly orFreePort?: boolean;
  /** The built page. */
  readonly uiDir: string;
  /** JSON file that keeps agents, relays and this device's id. */
  readonly stateFile: string;
  readonly ownerKey: OwnerKey;
  /** Its public key, 64 hex digits: whose part of the state file it is. */
  readonly owner: string;
  /** When not empty they replace the relays of the state file. */
  readonly relays: readonly string[];
  /** Added to those of the state file, which win. */
  readonly agents: readonly KnownAgent[];
  readonly crypto: Crypto;
  readonly log: Log;
  readonly invite: MakeInvite;
  readonly archive: AskArchive;
  readonly version: string;
}

export interface DesktopHost {
  /** The page's address with a one-time token in its fragment. */
  readonly url: string;
  /** Another such address: each opens the page once. */
  link(): string;
  close(): Promise<void>;
}

/**
 * Serves the page and its few requests. Rejects with code `EADDRINUSE` (message names the port and the flag),
 * `UI_MISSING` or `BAD_STATE`.
 */
export async function startDesktopHost(options: DesktopHostOptions): Promise<DesktopHost> {
  const { host, log, crypto } = options;
  const serveFile = await openStaticFiles(options.uiDir);
  const file = await DesktopFile.open(options.stateFile, options.owner);
  await file.update((state) => {
    const known = new Set(state.agents.map((agent) => agent.publicKey));
    const agents = [...state.agents, ...options.agents.filter((agent) => !known.has(agent.publicKey))];
    return { ...state, agents, relays: options.relays.length > 0 ? options.relays : state.relays };
  });

  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 });
  const port = await listen(server, host, options.port).catch((error: unknown) => {
    if (options.orFreePort !== true || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return listen(server, host, 0);
  });
  const hosts = allowedHosts(host, port);
  const tokens = new OneTimeTokens(crypto);
  const api = new DesktopApi({ ...options, file, tokens });

  server.on('request', (request, response) => {
    const path = (request.url ?? '/').replace(/[?#].*$/s, '');
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    answer(request, path, hosts, api, serveFile, gone.signal)
      .catch((error: unknown): Reply => {
        log.error({ err: error, path }, 'a request of the page failed');
        const reason = error instanceof Error ? error.message : String(error);
        return refuse(500, 'failed', `The desktop's host failed: ${reason}.`);
      })
      .then((reply) => {
        if (reply.status >= 400) log.debug({ path, status: reply.status }, 'refused a request');
        sendReply(request, response, reply);
      })
      .catch((error: unknown) => log.debug({ err: error, path }, 'an answer could not be sent'));
  });

  const origin = `http://${urlHost(host)}:${port}`;
  const link = () => `${origin}/#${tokens.issue()}`;
  return { url: link(), link, close: () => close(server) };
}

async function answer(
  request: IncomingMessage,
  path: string,
  hosts: ReadonlySet<string>,
  api: DesktopApi,
  serveFile: ServeFile,
  gone: AbortSignal,
): Promise<Reply> {
  const refusal = guardRequest(request, hosts);
  if (refusal !== undefined) return refusal;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!path.startsWith('/api/')) {
    return isRead ? serveFile(fileRequest(request, path)) : refuse(405, 'read-only', 'Files can only be read.');
  }
  if (path === '/api/health') return isRead ? api.health() : refuse(405, 'read-only', 'Health can only be read.');

  const handler = {
    '/api/session': (body: Record<string, unknown>) => api.session(body),
    '/api/agents': (body: Record<string, unknown>) => api.changeAgent(body),
    '/api/invites': (body: Record<string, unknown>) => api.makeInvite(body),
    '/api/archive': (body: Record<string, unknown>) => api.askArchive(body, gone),
  }[path];
  if (handler === undefined) return refuse(404, 'not-found', 'There is no such request.');
  if (request.method !== 'POST') return refuse(405, 'post-only', 'This must be a POST.');
  if (path !== '/api/session' && !api.isAuthorized(request.headers.authorization)) {
    return refuse(401, 'old-session', 'The desktop was started anew: open the link it printed last.');
  }
  const body = await readJson(request);
  return body.ok ? handler(body.value) : body.error;
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      const message = `port ${port} on ${host} is in use: choose another with --port, or --port 0 for a free one`;
      reject(Object.assign(new Error(message, { cause: error }), { code: 'EADDRINUSE' }));
    };
    server.once('error', fail);
    server.listen({ host, port }, () => {
      server.off('error', fail);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** A wildcard address is no name to open: the loopback one leads to the same place. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
