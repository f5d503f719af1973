import { expect, test } from 'vitest';
import { isLoopbackUrl } from './loopback-url.ts';

test('DT45: addresses that lead only to this machine are known', () => {
  const loopback = ['ws://127.0.0.1:7447', 'ws://LOCALHOST:1', 'wss://a.localhost', 'ws://[::1]:7447', 'ws://127.1'];
  expect(loopback.filter((url) => !isLoopbackUrl(url))).toEqual([]);
  const others = ['ws://10.0.0.1:7447', 'wss://relay.example', 'ws://localhost.example', 'ws://[::2]', 'localhost', ''];
  expect(others.filter(isLoopbackUrl)).toEqual([]);
});
