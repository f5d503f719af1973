const RELAY_URL = /^(wss?):\/\/(\[[0-9a-f:.]+\]|[^\s/?#@:[\]\\]+)(?::(\d{1,5}))?(\/[^\s?#]*)?(\?[^\s#]*)?$/i;
const DEFAULT_PORTS: Record<string, string> = { ws: '80', wss: '443' };

/**
 * A ws or wss URL in one spelling: lower-case scheme and host, no default port, no slash at the end. Undefined for
 * anything else, also with credentials or a fragment.
 */
export function normalizeRelayUrl(url: string): string | undefined {
  const match = RELAY_URL.exec(url);
  if (match === null) return undefined;
  const [, rawScheme = '', host = '', port, path = '', query = ''] = match;
  const scheme = rawScheme.toLowerCase();
  const portNumber = port === undefined ? undefined : Number(port);
  if (portNumber !== undefined && (portNumber < 1 || portNumber > 65_535)) return undefined;
  const shownPort = portNumber === undefined || String(portNumber) === DEFAULT_PORTS[scheme] ? '' : `:${portNumber}`;
  // Not by `/\/+$/`, which takes the square of the slashes within a path: strangers' AUTHs name relays.
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return `${scheme}://${host.toLowerCase()}${shownPort}${path.slice(0, end)}${query}`;
}

/** Whether two texts name the same relay, as NIP-42 compares them; false when either is no ws or wss URL. */
export function sameRelayUrl(a: string, b: string): boolean {
  const normalized = normalizeRelayUrl(a);
  return normalized !== undefined && normalized === normalizeRelayUrl(b);
}
