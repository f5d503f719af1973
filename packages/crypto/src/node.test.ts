import type { Crypto } from '@heliograph/wire/nostr';
import { describe, expect, test } from 'vitest';
import { nobleCrypto } from './noble.ts';
import { nodeEngines, selectNodeCrypto } from './node.ts';
import { selfTest } from './self-test.ts';

describe('selectNodeCrypto', () => {
  test('CR8: takes the first engine that is there, and says which and why not a better one', () => {
    const engines = nodeEngines();
    const best = engines.find((engine) => 'crypto' in engine);
    const { crypto, report } = selectNodeCrypto();
    expect(crypto.name).toBe(best !== undefined && 'crypto' in best ? best.crypto.name : undefined);
    expect(report.startsWith(`crypto: ${crypto.name}`)).toBe(true);
    expect(report.includes('passed over')).toBe(best !== engines[0]);
  });

  test.each([
    ['is not there', '/nonexistent/libsecp256k1.so'],
    ['is another library', process.platform === 'darwin' ? '/usr/lib/libSystem.B.dylib' : 'libc.so.6'],
  ])('CR8: a library that %s is passed over for WebAssembly', (_, libraryPath) => {
    const { crypto, report } = selectNodeCrypto({ libraryPath });
    expect(crypto.name).toBe('tiny-secp256k1');
    expect(report).toMatch(/^crypto: tiny-secp256k1; libsecp256k1 passed over \(.+\)$/);
  });
});

describe('selfTest', () => {
  test('CR9: passes an engine that works', () => {
    expect(selfTest(nobleCrypto)).toBeUndefined();
  });

  test.each<[string, Partial<Crypto>]>([
    ['accepts every signature', { schnorrVerify: () => true }],
    ['refuses every signature', { schnorrVerify: () => false }],
    ['derives other public keys', { publicKey: () => new Uint8Array(32) }],
    ['signs wrongly', { schnorrSign: () => new Uint8Array(64) }],
    ['agrees on other keys', { ecdhX: () => new Uint8Array(32) }],
    ['hashes wrongly', { hmacSha256: () => new Uint8Array(32) }],
    ['does not encrypt', { chacha20: (_key, _nonce, data) => data }],
    ['writes other base64', { base64Encode: () => 'AAAA' }],
    ['reads other base64', { base64Decode: () => new Uint8Array(99) }],
    [
      'throws',
      {
        schnorrVerify() {
          throw new Error('boom');
        },
      },
    ],
  ])('CR9: finds an engine that %s', (_, fault) => {
    expect(selfTest({ ...nobleCrypto, ...fault })).toMatch(/^self-test failed: /);
  });
});
