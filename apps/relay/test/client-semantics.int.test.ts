import { hexEncode } from '@heliograph/wire';
import NDK, {
  NDKEvent,
  type NDKFilter,
  NDKPrivateKeySigner,
  NDKRelayAuthPolicies,
  NDKSubscriptionCacheUsage,
} from '@nostr-dev-kit/ndk';
import { finalizeEvent, generateSecretKey, verifyEvent } from 'nostr-tools/pure';
import { createRxForwardReq, createRxNostr, createRxOneshotReq, type RxNostr, uniq } from 'rx-nostr';
import { firstValueFrom, filter as rxFilter, toArray } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { nowSec, otherOwner, owner, type RelayUnderTest, startTestRelay, temporaryFolder } from './relay-under-test.ts';

// NDK takes the global one, which Node 20 does not have.
Object.assign(globalThis, { WebSocket });

type Key = typeof owner;
type Filters = Parameters<typeof createRxOneshotReq>[0]['filters'];
type Fields = { kind: number; content?: string; tags?: string[][]; created_at?: number };

/** One library, as one key, at one relay. */
interface Client {
  /** Publishes, signed by this key or another: whether the relay took it. */
  publish(fields: Fields, signedBy?: Uint8Array): Promise<boolean>;
  /** What is stored for a filter: the contents, newest first. */
  stored(filter: object): Promise<string[]>;
  /** The contents that come live for a filter, from when this resolves; the list grows. */
  live(filter: object): Promise<string[]>;
}

function signed({ kind, content = '', tags = [], created_at = nowSec() }: Fields, secret: Uint8Array) {
  return finalizeEvent({ kind, content, tags, created_at }, secret);
}

async function connectNdk(key: Key, url: string): Promise<Client & { ndk: NDK }> {
  // Its outbox model asks relays elsewhere where to publish, and waits for them.
  const where = { explicitRelayUrls: [url], enableOutboxModel: false };
  const ndk = new NDK({ ...where, signer: new NDKPrivateKeySigner(hexEncode(key.secret)) });
  ndk.relayAuthDefaultPolicy = NDKRelayAuthPolicies.signIn({ ndk });
  const authenticated = new Promise<void>((resolve) => {
    ndk.pool.on('relay:authed', () => resolve());
  });
  onTestFinished(() => {
    for (const relay of ndk.pool.relays.values()) relay.disconnect();
  });
  await Promise.all([ndk.connect(5_000), authenticated]);
  const fromRelay = { cacheUsage: NDKSubscriptionCacheUsage.ONLY_RELAY };
  return {
    ndk,
    async publish(fields, signedBy = key.secret) {
      const event = new NDKEvent(ndk, signed(fields, signedBy));
      return event.publish(undefined, 10_000).then(
        (relays) => relays.size === 1,
        () => false,
      );
    },
    async stored(filter) {
      const events = [...(await ndk.fetchEvents(filter as NDKFilter, fromRelay))];
      return events.sort((a, b) => (b.created_at ?? 0) - (a.created_at ?? 0)).map(({ content }) => content);
    },
    async live(filter) {
      const got: string[] = [];
      await new Promise<void>((resolve) => {
        const handlers = { onEvent: (event: NDKEvent) => void got.push(event.content), onEose: () => resolve() };
        ndk.subscribe(filter as NDKFilter, { ...fromRelay, closeOnEose: false }, handlers);
      });
      return got;
    },
  };
}

async function connectRx(key: Key, url: string): Promise<Client> {
  const rxNostr: RxNostr = createRxNostr({
    verifier: async (event) => verifyEvent(event),
    // An event that is signed already is passed on as it is.
    signer: {
      getPublicKey: async () => key.publicKey,
      signEvent: async (event) => ('sig' in event ? event : signed(event as Fields, key.secret)) as never,
    },
    authenticator: 'auto',
    websocketCtor: WebSocket as never,
    skipExpirationCheck: true,
    connectionStrategy: 'lazy-keep',
    retry: { strategy: 'linear', maxCount: 100, interval: 200 },
  });
  rxNostr.setDefaultRelays([url]);
  onTestFinished(() => rxNostr.dispose());
  return {
    async publish(fields, signedBy = key.secret) {
      const answers = rxNostr.send(signed(fields, signedBy) as never).pipe(rxFilter(({ done }) => done));
      return (await firstValueFrom(answers)).ok;
    },
    async stored(filter) {
      const packets = await firstValueFrom(
        rxNostr.use(createRxOneshotReq({ filters: filter as Filters })).pipe(uniq(), toArray()),
      );
      return packets.map(({ event }) => event.content);
    },
    async live(filter) {
      const got: string[] = [];
      const request = createRxForwardReq();
      const open = firstValueFrom(rxNostr.createAllMessageObservable().pipe(rxFilter(({ type }) => type === 'EOSE')));
      rxNostr
        .use(request)
        .pipe(uniq())
        .subscribe(({ event }) => got.push(event.content));
      request.emit(filter as Filters);
      await open;
      return got;
    },
  };
}

describe.each([
  ['NDK', connectNdk],
  ['rx-nostr', connectRx],
] as const)('%s', (_, connect: (key: Key, url: string) => Promise<Client>) => {
  it('RL37: sees the newest version alone, nothing that its author deleted, nothing that has expired, and words that it searches for', async () => {
    const { url } = await startTestRelay();
    const client = await connect(owner, url);
    const now = nowSec();
    for (const created_at of [now - 5, now - 1, now - 3]) {
      expect(await client.publish({ kind: 0, content: `profile ${created_at - now}`, created_at })).toBe(true);
    }
    expect(await client.stored({ kinds: [0], authors: [owner.publicKey] })).toEqual(['profile -1']);
    const note = signed({ kind: 1, content: 'regretted' }, owner.secret);
    expect(await client.publish(note)).toBe(true);
    expect(await client.stored({ kinds: [1] })).toEqual(['regretted']);
    const { id } = signed({ kind: 1, content: 'regretted', created_at: note.created_at }, owner.secret);
    expect(await client.publish({ kind: 5, tags: [['e', id]] })).toBe(true);
    expect(await client.stored({ kinds: [1] })).toEqual([]);
    expect(await client.publish(note)).toBe(false);
    const ending = (atSec: number) => ({ kind: 1, content: `until ${atSec}`, tags: [['expiration', `${atSec}`]] });
    expect(await client.publish(ending(now - 10))).toBe(false);
    expect(await client.publish(ending(now + 3_600))).toBe(true);
    expect(await client.stored({ kinds: [1] })).toEqual([`until ${now + 3_600}`]);
    expect(await client.publish({ kind: 1, content: 'Crème brûlée, again' })).toBe(true);
    expect(await client.stored({ kinds: [1], search: 'creme' })).toEqual(['Crème brûlée, again']);
  }, 60_000);

  it('RL37: gets the gift wraps that are addressed to it and no others, stored and live', async () => {
    const { url } = await startTestRelay();
    // NDK gives what it publishes to its own subscriptions: so a third one writes.
    const [mine, other, writer] = await Promise.all([owner, otherOwner, otherOwner].map((key) => connect(key, url)));
    if (mine === undefined || other === undefined || writer === undefined) throw new TypeError('three were asked for');
    const [lives, others] = await Promise.all([mine.live({ kinds: [1059, 7] }), other.live({ kinds: [1059, 7] })]);
    const wrap = { kind: 1059, content: 'for the owner', tags: [['p', owner.publicKey]] };
    expect(await writer.publish(wrap, generateSecretKey())).toBe(true);
    expect(await writer.publish({ kind: 7, content: 'for all' })).toBe(true);
    await expect.poll(() => lives, { timeout: 20_000 }).toEqual(['for the owner', 'for all']);
    await expect.poll(() => others, { timeout: 20_000 }).toEqual(['for all']);
    expect(await mine.stored({ kinds: [1059] })).toEqual(['for the owner']);
    expect(await other.stored({ kinds: [1059] })).toEqual([]);
    expect(await other.stored({ '#p': [owner.publicKey] })).toEqual([]);
  }, 60_000);

  it('RL37: comes back by itself after the relay was started anew, and its open subscription goes on', async () => {
    const dataDir = temporaryFolder();
    const first = await startTestRelay({ dataDir });
    const client = await connect(owner, first.url);
    const got = await client.live({ kinds: [1] });
    expect(await client.publish({ kind: 1, content: 'before' })).toBe(true);
    await expect.poll(() => got).toEqual(['before']);
    const port = Number(new URL(first.url).port);
    await first.close();
    const second = await startTestRelay({ dataDir, port });
    const writer = await connect(otherOwner, second.url);
    // Published again and again, because nobody says when the subscription stands again.
    let published = 0;
    await expect
      .poll(
        async () => {
          published += 1;
          await writer.publish({ kind: 1, content: `after ${published}` });
          return got.some((content) => content.startsWith('after'));
        },
        { timeout: 40_000, interval: 500 },
      )
      .toBe(true);
  }, 60_000);
});

it('RL37: NDK counts (NIP-45) what its key may see', async () => {
  const { url }: RelayUnderTest = await startTestRelay();
  const [mine, other] = await Promise.all([connectNdk(owner, url), connectNdk(otherOwner, url)]);
  for (const content of ['1', '2', '3']) expect(await mine.publish({ kind: 1, content })).toBe(true);
  await mine.publish({ kind: 1059, tags: [['p', owner.publicKey]] }, generateSecretKey());
  const count = async ({ ndk }: typeof mine, filter: NDKFilter) => (await ndk.count(filter)).count;
  expect(await count(mine, { kinds: [1] })).toBe(3);
  expect(await count(mine, { kinds: [1, 1059 as never] })).toBe(4);
  expect(await count(other, { kinds: [1, 1059 as never] })).toBe(3);
}, 60_000);
