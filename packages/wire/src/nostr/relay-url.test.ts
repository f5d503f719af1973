import { describe, expect, test } from 'vitest';
import { normalizeRelayUrl, sameRelayUrl } from './relay-url.ts';

describe('relay URLs', () => {
  test.each([
    ['ws://Relay.Example', 'ws://relay.example'],
    ['WSS://relay.example:443/', 'wss://relay.example'],
    ['ws://relay.example:80', 'ws://relay.example'],
    ['ws://relay.example:0080/', 'ws://relay.example'],
    ['wss://relay.example:80/', 'wss://relay.example:80'],
    ['ws://127.0.0.1:7447//', 'ws://127.0.0.1:7447'],
    ['ws://[::1]:7447/Path/', 'ws://[::1]:7447/Path'],
    ['ws://relay.example/a?b=C', 'ws://relay.example/a?b=C'],
  ])('NO17: %s is %s', (url, normalized) => {
    expect(normalizeRelayUrl(url)).toBe(normalized);
    expect(normalizeRelayUrl(normalized)).toBe(normalized);
    expect(sameRelayUrl(url, normalized)).toBe(true);
  });

  test.each([
    '',
    'relay.example',
    'http://relay.example',
    'ws:relay.example',
    'ws://',
    'ws:///path',
    'ws://user:secret@relay.example',
    'ws://relay.example#x',
    'ws://relay.example:0',
    'ws://relay.example:65536',
    'ws://relay.example:x',
    'ws://relay .example',
    ' ws://relay.example',
    'ws://relay.example/\n',
    'ws://re\\lay.example',
    'ws://::1',
    'javascript:ws://relay.example',
  ])('NO17: %j is no relay URL', (url) => {
    expect(normalizeRelayUrl(url)).toBeUndefined();
    expect(sameRelayUrl(url, url)).toBe(false);
  });

  test('NO17: another scheme, host, port or path is another relay', () => {
    const url = 'ws://relay.example:7447/a';
    for (const other of [
      'wss://relay.example:7447/a',
      'ws://relay.example/a',
      'ws://relay.example:7447',
      'ws://relay.example:7447/A',
      'ws://x.relay.example:7447/a',
    ]) {
      expect(sameRelayUrl(url, other)).toBe(false);
    }
  });

  test('NO17: a path of slashes without end is looked at once', () => {
    const url = `ws://relay.example${'/'.repeat(200_000)}a`;
    const startMs = performance.now();
    expect(normalizeRelayUrl(`${url}/`)).toBe(url);
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });
});
