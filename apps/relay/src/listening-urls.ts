import { networkInterfaces } from 'node:os';

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];
const WILDCARD = ['0.0.0.0', '::'];

/**
 * The URLs a client may rightly think it is connected to, the announced one first: the public URL, then where the relay
 * listens. The Host header is not among them: whoever relays our challenge to a client could set it, and an AUTH made
 * for that other relay would then pass here.
 */
export function listeningUrls(
  host: string,
  port: number,
  publicUrl: string | undefined,
  ownAddresses: readonly string[] = interfaceAddresses(),
): string[] {
  const hosts = hostsOf(host, ownAddresses);
  const urls = hosts.map((name) => `ws://${name.includes(':') ? `[${name}]` : name}:${port}`);
  return publicUrl === undefined ? urls : [publicUrl, ...urls.filter((url) => url !== publicUrl)];
}

function hostsOf(host: string, ownAddresses: readonly string[]): string[] {
  const name = host.toLowerCase();
  if (LOOPBACK.includes(name)) return [...new Set([name, ...LOOPBACK])];
  if (WILDCARD.includes(name)) return [...new Set([...LOOPBACK, ...ownAddresses])];
  return [name];
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}
