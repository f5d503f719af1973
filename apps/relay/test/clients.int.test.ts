import { createRelayClient, openSocketWith, type SubscriptionItem } from '@heliograph/client';
import {
  type AuthTag,
  type FrameRoute,
  hexEncode,
  localSigner,
  openFrame,
  sealFrame,
  verifyEvent as verify,
} from '@heliograph/wire';
import NDK, {
  NDKEvent,
  NDKPrivateKeySigner,
  NDKRelayAuthPolicies,
  NDKSubscriptionCacheUsage,
} from '@nostr-dev-kit/ndk';
import { finalizeEvent, verifyEvent } from 'nostr-tools/pure';
import { Relay, useWebSocketImplementation } from 'nostr-tools/relay';
import { createRxForwardReq, createRxNostr, uniq } from 'rx-nostr';
import { firstValueFrom, filter as rxFilter } from 'rxjs';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { agent, crypto, nowSec, owner, startTestRelay, stranger, temporaryFolder, vouch } from './relay-under-test.ts';

useWebSocketImplementation(WebSocket);
// NDK takes the global one, which Node 20 does not have.
Object.assign(globalThis, { WebSocket });

it('RL37: nostr-tools authenticates, publishes, subscribes, replaces and deletes', async () => {
  const { url } = await startTestRelay();
  const relay = await Relay.connect(url);
  onTestFinished(() => relay.close());
  const sign = (kind: number, content: string, tags: string[][] = [], created_at = nowSec()) =>
    finalizeEvent({ kind, content, tags, created_at }, owner.secret);

  const note = sign(1, 'from nostr-tools');
  await expect(relay.publish(note)).rejects.toThrow(/auth-required/);
  await relay.auth(async (event) => finalizeEvent(event, owner.secret));
  const live: string[] = [];
  const eose = new Promise<void>((resolve) => {
    relay.subscribe([{ kinds: [0, 1, 5] }], { onevent: ({ id }) => live.push(id), oneose: resolve });
  });
  await eose;
  await relay.publish(note);
  const first = sign(0, '{"name":"first"}', [], nowSec() - 5);
  const second = sign(0, '{"name":"second"}');
  await relay.publish(first);
  await relay.publish(second);
  await relay.publish(sign(5, '', [['e', note.id]]));
  await expect.poll(() => live).toHaveLength(4);

  const stored: string[] = [];
  await new Promise<void>((resolve) => {
    relay.subscribe([{ kinds: [0, 1] }], { onevent: ({ id }) => stored.push(id), oneose: resolve });
  });
  expect(stored).toEqual([second.id]);
  await expect(relay.publish(note)).rejects.toThrow(/^blocked: /);
});

it('RL37: NDK authenticates by its policy, publishes and subscribes', async () => {
  const { url } = await startTestRelay();
  const ndk = new NDK({
    explicitRelayUrls: [url],
    enableOutboxModel: false,
    signer: new NDKPrivateKeySigner(hexEncode(owner.secret)),
  });
  ndk.relayAuthDefaultPolicy = NDKRelayAuthPolicies.signIn({ ndk });
  const authenticated = new Promise<void>((resolve) => {
    ndk.pool.on('relay:authed', () => resolve());
  });
  onTestFinished(() => {
    for (const relay of ndk.pool.relays.values()) relay.disconnect();
  });
  await Promise.all([ndk.connect(1_000), authenticated]);
  const got: string[] = [];
  await new Promise<void>((resolve) => {
    ndk.subscribe(
      { kinds: [1] },
      { cacheUsage: NDKSubscriptionCacheUsage.ONLY_RELAY, closeOnEose: false },
      { onEvent: (event) => got.push(event.id), onEose: () => resolve() },
    );
  });
  const note = new NDKEvent(ndk, {
    kind: 1,
    content: 'from NDK',
    tags: [],
    created_at: nowSec(),
    pubkey: owner.publicKey,
  });
  const relays = await note.publish();
  expect(relays.size).toBe(1);
  await expect.poll(() => got).toEqual([note.id]);
  const again = await ndk.fetchEvent({ ids: [note.id] });
  expect(again?.content).toBe('from NDK');
});

it('RL37: rx-nostr authenticates by itself, publishes and subscribes; a stranger is told it is restricted', async () => {
  const { url } = await startTestRelay();
  const connect = (key: typeof owner) => {
    const rxNostr = createRxNostr({
      verifier: async (event) => verifyEvent(event),
      signer: {
        getPublicKey: async () => key.publicKey,
        signEvent: async ({ kind, content, tags = [], created_at = nowSec() }) =>
          finalizeEvent({ kind, content, tags: tags as string[][], created_at }, key.secret) as never,
      },
      authenticator: 'auto',
      websocketCtor: WebSocket as never,
    });
    rxNostr.setDefaultRelays([url]);
    onTestFinished(() => rxNostr.dispose());
    return rxNostr;
  };
  const rxNostr = connect(owner);
  const request = createRxForwardReq();
  const got: string[] = [];
  rxNostr
    .use(request)
    .pipe(uniq())
    .subscribe(({ event }) => got.push(event.content));
  request.emit({ kinds: [1], limit: 10 });
  const sent = await firstValueFrom(rxNostr.send({ kind: 1, content: 'from rx-nostr' }).pipe(rxFilter(({ ok }) => ok)));
  expect(sent.ok).toBe(true);
  await expect.poll(() => got).toEqual(['from rx-nostr']);

  const foreign = connect(stranger);
  const notices: string[] = [];
  foreign.createAllMessageObservable().subscribe((packet) => {
    if (packet.type === 'OK') notices.push(packet.notice ?? '');
  });
  foreign.send({ kind: 1, content: 'let me in' }).subscribe();
  await expect.poll(() => notices.some((notice) => notice.startsWith('restricted: '))).toBe(true);
});

it('RL37: our own client carries a sealed frame from an agent to its owner, over a restart of the relay too', async () => {
  const dataDir = temporaryFolder();
  const first = await startTestRelay({ dataDir });
  const clock = {
    nowMs: Date.now,
    setTimer(delayMs: number, fire: () => void) {
      const timer = setTimeout(fire, delayMs);
      return () => clearTimeout(timer);
    },
  };
  const connect = (key: typeof owner, authTag?: AuthTag) => {
    const signer = localSigner(key.secret, crypto);
    const openSocket = openSocketWith(WebSocket as never);
    const client = createRelayClient({
      url: first.url,
      signer,
      authTag: () => authTag,
      openSocket,
      clock,
      random: () => 0,
    });
    onTestFinished(() => client.close());
    return { client, signer };
  };
  const sender = connect(agent, vouch());
  const viewer = connect(owner);
  const items: SubscriptionItem[] = [];
  const end = new AbortController();
  const reading = (async () => {
    const filter = { kinds: [24_200], '#p': [owner.publicKey], limit: 0 };
    for await (const item of viewer.client.subscribe([filter], { signal: end.signal })) items.push(item);
  })();
  const route: FrameRoute = { frame: 'telemetry', agent: agent.publicKey, owner: owner.publicKey };
  const carry = async (text: string) => {
    await expect
      .poll(() => [sender.client.state.phase, viewer.client.state.phase], { timeout: 20_000 })
      .toEqual(['ready', 'ready']);
    const answered = async () => {
      const published = await sender.client.publish(await sealFrame(text, route, nowSec(), sender.signer), {
        timeoutMs: 5_000,
      });
      return published.ok ? 'ok' : published.error.code;
    };
    // `mute` until the viewer's subscription stands.
    await expect.poll(answered, { timeout: 20_000 }).toBe('ok');
    const texts = async () => {
      const opened = items.flatMap((item) => {
        const event = item.type === 'event' ? verify(item.event, crypto) : undefined;
        return event?.ok ? [openFrame(event.value, viewer.signer)] : [];
      });
      return (await Promise.all(opened)).map((frame) => (frame.ok ? frame.value.text : frame.error.code));
    };
    await expect.poll(texts).toContain(text);
  };
  await carry('before');
  const { port } = new URL(first.url);
  await first.close();
  await startTestRelay({ dataDir, port: Number(port) });
  await carry('after');
  end.abort();
  await reading;
});
