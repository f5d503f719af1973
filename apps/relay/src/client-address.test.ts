import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { addressGroup, clientAddress, isNearby, trustedProxies } from './client-address.ts';

function from(remoteAddress: string, forwarded?: string | string[]) {
  return {
    socket: { remoteAddress } as Socket,
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  };
}

it('RL59: without a trusted proxy nobody can claim another address', () => {
  expect(clientAddress(from('192.0.2.1', '203.0.113.9'), trustedProxies([]))).toBe('192.0.2.1');
});

it('RL59: behind trusted proxies it is the last address that is none of them', () => {
  const trusted = trustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
  expect(clientAddress(from('127.0.0.1', '198.51.100.1, 203.0.113.9, 10.1.2.3'), trusted)).toBe('203.0.113.9');
  expect(clientAddress(from('::ffff:127.0.0.1', ['198.51.100.1', '2001:db8::1']), trusted)).toBe('2001:db8::1');
  expect(clientAddress(from('fd00::2', '203.0.113.9, nonsense'), trusted)).toBe('fd00::2');
  expect(clientAddress(from('127.0.0.1'), trusted)).toBe('127.0.0.1');
});

it('RL59: IPv6 addresses count by their /64', () => {
  expect(addressGroup('192.0.2.1')).toBe('192.0.2.1');
  expect(addressGroup('2001:DB8:0:1::5')).toBe('2001:db8:0:1::/64');
  expect(addressGroup('2001:db8::1:2:3:4:5')).toBe(addressGroup('2001:db8:0:1:ffff::'));
  expect(addressGroup('::1')).toBe('0:0:0:0::/64');
  expect(addressGroup('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
});

it('RL59: what is no address or range is refused by name', () => {
  for (const entry of ['', 'proxy', '10.0.0.0/33', '10.0.0.0/x', '::/129', '1.2.3.4/8/8']) {
    expect(() => trustedProxies([entry]), entry).toThrow(/--trusted-proxy/);
  }
});

it('RL56: nearby is what no router lets in from outside', () => {
  expect(['127.0.0.1', '::1', '172.20.0.3', '192.168.1.4', 'fd12::1'].every(isNearby)).toBe(true);
  expect(['203.0.113.9', '172.32.0.1', '2001:db8::1', ''].some(isNearby)).toBe(false);
});
