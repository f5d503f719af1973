import type { IncomingMessage } from 'node:http';
import { type Reply, refuse } from './http-reply.ts';

/** `Host` values this server answers to: its own loopback names, and the address it was told to listen on. */
export function allowedHosts(host: string, port: number): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]', host.includes(':') ? `[${host}]` : host];
  // Browsers leave the scheme's own port out.
  return new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]));
}

/**
 * Refuses what a foreign page could send: a name that merely resolves here (DNS rebinding) shows in Host, a foreign origin
 * in Origin. Whatever changes something or hands out a secret must carry our own Origin.
 */
export function guardRequest(request: IncomingMessage, hosts: ReadonlySet<string>): Reply | undefined {
  const { host, origin } = request.headers;
  if (host === undefined || !hosts.has(host.toLowerCase())) {
    return refuse(421, 'wrong-host', `This server answers only to ${[...hosts].join(', ')}.`);
  }
  const isOwn = origin !== undefined && hosts.has(origin.replace(/^http:\/\//, '').toLowerCase());
  if (origin === undefined ? request.method === 'POST' : !isOwn) {
    return refuse(403, 'wrong-origin', 'Only the page that this server hands out may ask for that.');
  }
  return undefined;
}
