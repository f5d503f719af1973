import type { IncomingMessage } from 'node:http';
import type { Log } from './log.ts';

/** How many different foreign Host headers are reported: a client can send any. */
const MAX_REPORTED = 16;

/**
 * Warns, once per name, when a client reached the relay under a host it does not know as its own: AUTH made for that
 * name is refused, which behind a reverse proxy means that nobody gets in until `--public-url` is set.
 */
export function hostCheck(relayUrls: readonly string[], log: Log): (request: IncomingMessage) => void {
  const known = new Set(relayUrls.map((url) => withoutDefaultPort(new URL(url).host)));
  const reported = new Set<string>();
  return (request) => {
    const host = request.headers.host?.toLowerCase();
    if (host === undefined || known.has(withoutDefaultPort(host)) || reported.has(host)) return;
    if (reported.size >= MAX_REPORTED) return;
    reported.add(host);
    const scheme = request.headers['x-forwarded-proto'] === 'https' ? 'wss' : 'ws';
    log.warn(
      { host, knownAs: relayUrls[0] },
      `a client connected to ${host}, but this relay knows itself as ${relayUrls[0]} and refuses AUTH for other names: ` +
        `if ${host} is right, start it with --public-url ${scheme}://${host}`,
    );
  };
}

/** Host headers name the port of plain and of secure connections, or leave it out. */
function withoutDefaultPort(host: string): string {
  return host.replace(/:(80|443)$/, '');
}
