import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Whose `X-Forwarded-For` is believed: addresses and CIDR ranges (`127.0.0.1`, `10.0.0.0/8`, `fd00::/8`). Throws RangeError for anything else. */
export function trustedProxies(entries: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...more] = entry.split('/');
    const version = isIP(address);
    const prefix = bits === undefined ? (version === 6 ? 128 : 32) : Number(bits);
    const isWhole = bits === undefined || /^\d{1,3}$/.test(bits);
    if (version === 0 || more.length > 0 || !isWhole || prefix > (version === 6 ? 128 : 32)) {
      throw new RangeError(
        `trustedProxies (--trusted-proxy): expected an address or range like 10.0.0.0/8, got ${JSON.stringify(entry)}`,
      );
    }
    list.addSubnet(address, prefix, version === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** The address at the other end of the socket, whoever that speaks for. */
export function peerAddress({ socket }: Pick<IncomingMessage, 'socket'>): string {
  return plainAddress(socket.remoteAddress ?? '');
}

/**
 * The address a request comes from. Behind trusted proxies it is the last one in `X-Forwarded-For` that is none of them:
 * what stands before that anybody could have written.
 */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusted: BlockList,
): string {
  let address = peerAddress({ socket });
  const forwarded = headers['x-forwarded-for'];
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',');
  while (isTrusted(address, trusted) && hops.length > 0) {
    const hop = plainAddress(hops.pop()?.trim() ?? '');
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** What connections are counted by: an IPv4 address, or the /64 an IPv6 address is in, since one customer has all of that. */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('%')[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}

/** Whether only machines nearby have this address: loopback, private networks, link-local. */
export function isNearby(address: string): boolean {
  return isTrusted(address, NEARBY);
}

const NEARBY = trustedProxies([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
]);

/** Whether an address is in a list; what is no address is in none. */
export function isTrusted(address: string, trusted: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && trusted.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** An IPv4 address that came through an IPv6 socket, as the IPv4 address it is. */
function plainAddress(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
