import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { err, ok, type Result } from '@heliograph/wire';

/** Addresses that are of no push service on the internet: this machine, private and link-local networks, and the like. */
const INNER = new BlockList();
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  INNER.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  ['fec0::', 10],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  INNER.addSubnet(net, bits, 'ipv6');

/** Where networks without IPv4 reach it (RFC 6052): the address stands in the last 32 bits. */
const NAT64 = new BlockList();
NAT64.addSubnet('64:ff9b::', 96, 'ipv6');

/** Whether an IP address is of an inner network; IPv4 in IPv6 is seen through. Pure. */
export function isInnerAddress(address: string): boolean {
  if (isIP(address) === 6 && NAT64.check(address, 'ipv6')) {
    const [, high = '0', low = '0'] = /(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/i.exec(address) ?? [];
    const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
    return address.includes('.') || isInnerAddress([a >> 8, a & 255, b >> 8, b & 255].join('.'));
  }
  return INNER.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Where a push message may be sent: https, and not into inner networks. Who says so is the owner, who could have the agent
 * connect anywhere as well; but what they send is what a browser gave them, and neither a page that was tampered with nor
 * a mistake is to make the harness knock at doors of its own network. Over http only to a service on this very machine. Pure.
 */
export function parsePushEndpoint(endpoint: string): Result<URL, { readonly message: string }> {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || url.username !== '' || url.password !== '') {
    return err({ message: 'the subscription’s endpoint is no address' });
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.protocol === 'http:' && LOOPBACK.has(url.hostname)) return ok(url);
  if (url.protocol !== 'https:') return err({ message: `the subscription’s endpoint at ${url.host} is not https` });
  if (isIP(host) !== 0 && isInnerAddress(host)) {
    return err({ message: `the subscription’s endpoint ${url.host} is inside a private network` });
  }
  return ok(url);
}

/** Name resolution that gives no inner address, so that a public name can't lead inside either. */
export const outerLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, '');
    const outer = found.filter(({ address }) => !isInnerAddress(address));
    const [first] = outer;
    if (first === undefined) {
      const refusal = new Error(`${hostname} leads into a private network`);
      return callback(Object.assign(refusal, { code: 'EINNER' }), '');
    }
    if (options.all) callback(null, outer);
    else callback(null, first.address, first.family);
  });
};
