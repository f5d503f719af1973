import { nobleCrypto } from '@heliograph/crypto/noble';
import { KIND_NOSTR_CONNECT, localSigner, ok } from '@heliograph/wire';
import { expect, test } from 'vitest';
import { Bunker } from './bunker.ts';
import { nostrConnectUrl, parseBunkerUrl } from './bunker-url.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { MemoryRelay } from './testing/memory-relay.ts';

const key = (byte: number) => localSigner(new Uint8Array(32).fill(byte), nobleCrypto);
const [CLIENT, SIGNER, OTHER] = [key(1), key(2), key(3)];
const URL = 'wss://relay.example.org';
const turn = () => new Promise((resolve) => setTimeout(resolve));

/** A connection, and a signer's end of the relay to answer by hand. */
async function world(isKnown = true) {
  const relay = new MemoryRelay();
  const clock = new FakeClock(1_800_000_000_000);
  const urls: string[] = [];
  const { open } = relay;
  const options = { client: CLIENT, relays: [URL], openSocket: open, clock, random: () => 0, crypto: nobleCrypto };
  const bunker = new Bunker({ ...options, onAuthUrl: (url) => urls.push(url) }, isKnown ? SIGNER.publicKey : undefined);
  for (let i = 0; i < 5; i++) {
    await turn();
    await clock.advance(500);
  }
  const requests = () =>
    relay.peers.flatMap(({ said }) =>
      said.flatMap((text) => {
        const [type, event] = JSON.parse(text) as [string, { kind: number; content: string }];
        if (type !== 'EVENT' || event.kind !== KIND_NOSTR_CONNECT) return [];
        const opened = SIGNER.decrypt(CLIENT.publicKey, event.content);
        return opened.ok ? [JSON.parse(opened.value) as { id: string; method: string; params: string[] }] : [];
      }),
    );
  const answer = async (message: object, from = SIGNER) => {
    const content = from.encrypt(CLIENT.publicKey, JSON.stringify(message));
    const created_at = Math.floor(clock.nowMs() / 1_000);
    relay.deliver(from.sign({ kind: KIND_NOSTR_CONNECT, created_at, tags: [['p', CLIENT.publicKey]], content }));
    await turn();
  };
  return { relay, clock, bunker, urls, requests, answer };
}

test('PU26: a request goes out encrypted, and only its own signer’s answer counts, once its page was visited if it says so', async () => {
  const { bunker, urls, requests, answer } = await world();
  const asking = bunker.ask('nip44_decrypt', ['peer', 'text']);
  await turn();
  const [request] = requests();
  expect(request).toMatchObject({ method: 'nip44_decrypt', params: ['peer', 'text'] });
  const id = request?.id;
  await answer({ id, result: 'forged' }, OTHER);
  await answer({ id: 'another', result: 'x' });
  await answer({ id, result: 'auth_url', error: 'https://signer.example.org/allow' });
  expect(urls).toEqual(['https://signer.example.org/allow']);
  await answer({ id, result: 'opened' });
  expect(await asking).toEqual(ok('opened'));
  bunker.close();
});

test('PU26: refused, away and too large are told apart', async () => {
  const { bunker, clock, requests, answer } = await world();
  const refused = bunker.ask('sign_event', ['{}']);
  await turn();
  await answer({ id: requests()[0]?.id, error: 'request denied by user' });
  expect(await refused).toMatchObject({ error: { code: 'refused', message: 'request denied by user' } });
  const large = await bunker.ask('nip44_decrypt', ['peer', 'x'.repeat(66_000)]);
  expect(large).toMatchObject({ error: { code: 'failed', message: expect.stringContaining('too large') } });
  const silent = bunker.ask('sign_event', ['{}']);
  await clock.advance(60_000);
  expect(await silent).toMatchObject({ error: { code: 'away' } });
  bunker.close();
});

test('PU26: by an address of ours only the signer that knows its secret is taken', async () => {
  const { bunker, requests, answer } = await world(false);
  expect(await bunker.ask('get_public_key', [])).toMatchObject({ error: { code: 'away' } });
  const found = bunker.awaitSigner('the secret');
  await answer({ id: 'x', result: 'a guess' }, OTHER);
  await answer({ id: 'y', result: 'the secret' });
  expect(await found).toBe(SIGNER.publicKey);
  const asking = bunker.ask('get_public_key', []);
  await turn();
  await answer({ id: requests().at(-1)?.id, result: SIGNER.publicKey });
  expect(await asking).toEqual(ok(SIGNER.publicKey));
  bunker.close();
});

test('PU26: addresses are read and written as NIP-46 has them', () => {
  const address = `bunker://${SIGNER.publicKey}?relay=wss%3A%2F%2Fa.example.org&relay=wss://b.example.org&secret=a%26b`;
  expect(parseBunkerUrl(` ${address}\n`)).toEqual(
    ok({ signer: SIGNER.publicKey, relays: ['wss://a.example.org', 'wss://b.example.org'], secret: 'a&b' }),
  );
  for (const bad of [
    '',
    'bunker://x?relay=wss://a',
    `bunker://${SIGNER.publicKey}`,
    `bunker://${SIGNER.publicKey}?relay=x`,
  ])
    expect(parseBunkerUrl(bad).ok, bad).toBe(false);
  const link = nostrConnectUrl(CLIENT.publicKey, ['wss://a.example.org'], 's', 'Our page');
  expect(link).toMatch(
    new RegExp(`^nostrconnect://${CLIENT.publicKey}\\?relay=wss%3A%2F%2Fa.example.org&secret=s&perms=`),
  );
  expect(link).toContain('name=Our%20page');
  expect(() => nostrConnectUrl('npub1', [], 's', 'n')).toThrow(RangeError);
});
