import {
  type Crypto,
  conversationKey,
  decrypt,
  encrypt,
  hexEncode,
  signEvent,
  verifyEvent,
} from '@heliograph/wire/nostr';
import * as tools44 from 'nostr-tools/nip44';
import { finalizeEvent, verifyEvent as toolsVerify } from 'nostr-tools/pure';
import { bench, describe } from 'vitest';
import { nodeEngines } from './node.ts';

// `npx vitest bench --project unit packages/crypto`: each group ends with the ratios against nostr-tools in the same run.
const engines = nodeEngines().flatMap((engine) => ('crypto' in engine ? [engine.crypto] : []));
const secretKey = new Uint8Array(32).fill(7);
const settings = { time: 500, warmupTime: 100 };

function benchEach(run: (crypto: Crypto) => () => unknown): void {
  for (const crypto of engines) {
    const task = run(crypto);
    bench(crypto.name, () => void task(), settings);
  }
}

describe.each([300, 1_024, 8_192, 65_408])('event with %i bytes of content', (size) => {
  const template = { kind: 1, created_at: 5, tags: [['t', 'x']], content: 'A'.repeat(size) };

  describe('verify', () => {
    benchEach((crypto) => {
      const event = JSON.parse(signEvent(template, secretKey, crypto).json);
      return () => verifyEvent(event, crypto);
    });
    const theirs = JSON.stringify(finalizeEvent(template, secretKey));
    const { ...fields } = JSON.parse(theirs);
    // A new object each time: nostr-tools remembers on the object that it was verified.
    bench('nostr-tools', () => void toolsVerify({ ...fields }), settings);
  });

  describe('sign', () => {
    benchEach((crypto) => () => signEvent(template, secretKey, crypto));
    bench('nostr-tools', () => void finalizeEvent({ ...template }, secretKey), settings);
  });
});

describe.each([300, 1_024, 8_192, 65_408])('NIP-44 with %i bytes', (size) => {
  const key = new Uint8Array(32).fill(5);
  const text = 'x'.repeat(size);
  const payload = tools44.encrypt(text, key);

  describe('encrypt', () => {
    benchEach((crypto) => () => encrypt(text, key, crypto));
    bench('nostr-tools', () => void tools44.encrypt(text, key), settings);
  });

  describe('decrypt', () => {
    benchEach((crypto) => () => decrypt(payload, key, crypto));
    bench('nostr-tools', () => void tools44.decrypt(payload, key), settings);
  });
});

describe('conversation key', () => {
  const peer = (crypto: Crypto): string => hexEncode(crypto.publicKey(new Uint8Array(32).fill(9)));
  benchEach((crypto) => {
    const peerHex = peer(crypto);
    return () => conversationKey(secretKey, peerHex, crypto);
  });
  const peerHex = peer(engines[0] as Crypto);
  bench('nostr-tools', () => void tools44.getConversationKey(secretKey, peerHex), settings);
});
