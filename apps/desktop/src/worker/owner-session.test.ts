import type { Viewer } from '@heliograph/client';
import { encryptSecretKey } from '@heliograph/crypto/nip49';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { encodeNsec, err, hexEncode, type ObserverEvent, ok, parseInvite } from '@heliograph/wire';
import { beforeEach, expect, test } from 'vitest';
import { moveLink } from '../move-link.ts';
import type { DeviceKey } from './device-key.ts';
import { HostApi } from './host-api.ts';
import type { OwnRelay } from './own-relay.ts';
import { OwnerSession, type ViewerStart } from './owner-session.ts';
import type { ToOwnerSession, WorkerToPage } from './protocol.ts';
import { SignerGate } from './signer-gate.ts';

const SECRET = new Uint8Array(32).fill(9);
const PUBLIC = hexEncode(nobleCrypto.publicKey(SECRET));
const NOW_MS = 1_800_000_000_000;
const AGENT = { publicKey: 'ab'.repeat(32), name: 'Claude' };
const HOST_SESSION = { relays: ['ws://r'], agents: [AGENT], viewerId: 'device', apiToken: 'api', nextToken: 'next' };
const BASE = 'http://127.0.0.1:7448/';

type Route = (body: unknown, headers: Headers) => { readonly status: number; readonly json: unknown } | undefined;

let posted: WorkerToPage[];
let started: ViewerStart[];
let calls: string[];
let kept: DeviceKey | undefined;
let relay: OwnRelay | undefined;
let keptLines: { readonly agent: string; readonly events: readonly ObserverEvent[] }[];

beforeEach(() => {
  keptLines = [];
  posted = [];
  started = [];
  calls = [];
  kept = undefined;
  relay = undefined;
});

/** A session in a world where a host answers by `routes`, or none at all without them. */
function openWorld(routes?: Readonly<Record<string, Route>>): OwnerSession {
  const fetcher = async (url: unknown, init?: RequestInit) => {
    const answer = routes?.[String(url).slice(`${BASE}api/`.length)]?.(
      init?.body ? JSON.parse(String(init.body)) : undefined,
      new Headers(init?.headers),
    );
    if (answer === undefined) throw new TypeError('fetch failed');
    await Promise.resolve();
    init?.signal?.throwIfAborted();
    return new Response(JSON.stringify(answer.json), { status: answer.status });
  };
  return new OwnerSession({
    onKept: (agent, events) => keptLines.push({ agent, events }),
    crypto: nobleCrypto,
    keys: {
      read: async () => kept,
      write: async (key) => {
        kept = key as DeviceKey;
      },
      remove: async () => {
        kept = undefined;
      },
    },
    post: (message) => posted.push(message),
    uuid: () => 'made-up',
    nameDevice: (viewerId) => viewerId,
    logN: 4,
    nowMs: () => NOW_MS,
    signers: new SignerGate({
      crypto: nobleCrypto,
      clock: { nowMs: () => NOW_MS, setTimer: () => () => undefined },
      post: (message) => posted.push(message),
      openBunker: () => {
        throw new Error('no relays here');
      },
    }),
    findRelay: async () => relay,
    openHost: (base) => new HostApi(base, fetcher as typeof fetch),
    startViewer: (start): Viewer => {
      started.push(start);
      return {
        publicKey: PUBLIC,
        control: (agent, draft) => `${calls.push(`control ${agent} ${draft.type}`)}`,
        resync: (agent) => calls.push(`resync ${agent}`),
        setAgents: (agents) => calls.push(`agents ${agents.map(({ name }) => name)}`),
        setRelays: (relays) => calls.push(`relays ${relays}`),
        close: () => calls.push('close'),
      };
    },
  });
}

const open = (token: string | undefined): ToOwnerSession => ({ type: 'open', base: BASE, token });
const phase = () => posted.findLast((message) => message.type === 'session')?.session;

test('DT17: a link opens the viewer with the host’s key, and nothing posted to the page carries it', async () => {
  const session = openWorld({
    session: (body) => {
      expect(body).toEqual({ token: 'one-time' });
      return { status: 200, json: { ...HOST_SESSION, secretKeyHex: hexEncode(SECRET) } };
    },
  });
  await session.receive(open('one-time'));
  expect(started[0]).toMatchObject({
    signer: { publicKey: PUBLIC },
    relays: ['ws://r'],
    agents: [AGENT],
    viewerId: 'device',
  });
  expect(phase()).toMatchObject({ phase: 'ready', publicKey: PUBLIC, homeRelay: undefined, keptBy: 'host' });
  expect(posted).toContainEqual({ type: 'next-token', token: 'next' });
  const told = JSON.stringify(posted);
  expect(told).not.toContain(hexEncode(SECRET));
  expect(told).not.toContain('"api"');
});

test('DT17: a spent link says so, a page without a link says how, a page without a host offers import', async () => {
  const health: Route = () => ({ status: 200, json: { ok: true } });
  await openWorld({
    health,
    session: () => ({ status: 401, json: { code: 'used-link', message: 'This link was used before.' } }),
  }).receive(open('old'));
  expect(phase()).toEqual({
    phase: 'first-run',
    server: 'host',
    relay: undefined,
    problem: 'This link was used before.',
  });
  await openWorld({ health }).receive(open(undefined));
  expect(phase()).toEqual({ phase: 'first-run', server: 'host', relay: undefined, problem: undefined });
  await openWorld().receive(open(undefined));
  expect(phase()).toEqual({ phase: 'first-run', server: 'away', relay: undefined, problem: undefined });
  expect(started).toEqual([]);
});

test('DT18: an imported key is kept encrypted, and opens again only with its passphrase', async () => {
  const session = openWorld();
  await session.receive(open(undefined));
  await session.receive({
    type: 'import',
    secret: ` ${encodeNsec(SECRET)}\n`,
    passphrase: 'correct horse',
    relays: ['ws://r'],
  });
  expect(started[0]).toMatchObject({
    signer: { publicKey: PUBLIC },
    relays: ['ws://r'],
    agents: [],
    viewerId: 'made-up',
  });
  expect(phase()).toMatchObject({ phase: 'ready', homeRelay: undefined, keptBy: 'device' });
  expect(kept?.ncryptsec).toMatch(/^ncryptsec1/);
  expect(JSON.stringify(kept)).not.toContain(hexEncode(SECRET));

  const again = openWorld();
  await again.receive(open(undefined));
  expect(phase()).toEqual({ phase: 'locked', keptBy: 'device', replaces: false, problem: undefined });
  await again.receive({ type: 'unlock', passphrase: 'wrong' });
  expect(phase()).toMatchObject({ phase: 'locked', problem: 'The passphrase does not open this key.' });
  expect(started).toHaveLength(1);
  await again.receive({ type: 'unlock', passphrase: 'correct horse' });
  expect(started[1]).toMatchObject({ signer: { publicKey: PUBLIC }, viewerId: 'made-up' });

  await again.receive({ type: 'forget-key' });
  expect(kept).toBeUndefined();
  expect(calls).toContain('close');
  expect(phase()).toMatchObject({ phase: 'first-run' });
});

test('DT18: an encrypted key is taken as it is; what is no key is refused in words that do not repeat it', async () => {
  const ncryptsec = encryptSecretKey(SECRET, 'pass phrase', nobleCrypto, 4);
  const session = openWorld();
  await session.receive({ type: 'import', secret: ncryptsec, passphrase: 'wrong', relays: [] });
  expect(phase()).toMatchObject({ phase: 'first-run', problem: 'The passphrase does not open this key.' });
  await session.receive({ type: 'import', secret: 'nsec1typo', passphrase: 'x', relays: [] });
  expect(phase()).toMatchObject({ phase: 'first-run', problem: expect.not.stringContaining('typo') });
  expect(kept).toBeUndefined();
  await session.receive({ type: 'import', secret: ncryptsec, passphrase: 'pass phrase', relays: [] });
  expect(kept?.ncryptsec).toBe(ncryptsec);
  expect(started[0]?.signer.publicKey).toBe(PUBLIC);
});

test('DT18: a host key under a passphrase stays locked until it is typed', async () => {
  const ncryptsec = encryptSecretKey(SECRET, 'pass phrase', nobleCrypto, 4);
  const session = openWorld({ session: () => ({ status: 200, json: { ...HOST_SESSION, ncryptsec } }) });
  await session.receive(open('t'));
  expect(phase()).toEqual({ phase: 'locked', keptBy: 'host', replaces: false, problem: undefined });
  await session.receive({ type: 'unlock', passphrase: 'pass phrase' });
  expect(phase()).toMatchObject({ phase: 'ready', keptBy: 'host' });
});

test('DT17: invites and changes of agents go to the host with its token, and the viewer learns the list', async () => {
  const agents = [AGENT, { publicKey: 'cd'.repeat(32), name: 'New' }];
  const session = openWorld({
    session: () => ({ status: 200, json: { ...HOST_SESSION, secretKeyHex: hexEncode(SECRET) } }),
    invites: (body, headers) => {
      expect([body, headers.get('authorization')]).toEqual([{ name: 'New', relays: ['ws://r'] }, 'Bearer api']);
      return { status: 200, json: { invite: 'helio1x', agents } };
    },
    agents: () => ({ status: 401, json: { code: 'old-session', message: 'The desktop was started anew.' } }),
  });
  await session.receive(open('t'));
  await session.receive({ type: 'invite', id: 5, name: 'New', relays: ['ws://r'] });
  expect(posted).toContainEqual({ type: 'invited', id: 5, result: { ok: true, value: { text: 'helio1x' } } });
  expect(calls).toEqual(['agents Claude,New']);
  expect(phase()).toMatchObject({ phase: 'ready', agents });
  await session.receive({ type: 'change-agent', id: 6, change: { publicKey: AGENT.publicKey, revoked: true } });
  expect(posted.at(-1)).toMatchObject({
    type: 'agent-changed',
    id: 6,
    result: { ok: false, error: { message: 'The desktop was started anew.' } },
  });
});

test('DT17: controls get their requestId before anything else is told of them; failures do not end a running page', async () => {
  const session = openWorld({
    session: () => ({ status: 200, json: { ...HOST_SESSION, secretKeyHex: hexEncode(SECRET) } }),
  });
  await session.receive(open('t'));
  await session.receive({ type: 'control', id: 3, agent: 'a', draft: { type: 'cancel_turn', channelId: 'c' } });
  await session.receive({ type: 'resync', agent: 'a' });
  expect(calls).toEqual(['control a cancel_turn', 'resync a']);
  expect(posted.at(-1)).toEqual({ type: 'control-started', id: 3, requestId: '1' });
  session.fail('out of memory');
  expect(posted.at(-1)).toEqual({ type: 'problem', message: 'out of memory' });
  openWorld().fail('no IndexedDB');
  expect(posted.at(-1)).toEqual({ type: 'session', session: { phase: 'failed', problem: 'no IndexedDB' } });
});

const RELAY = { url: 'ws://box:7447/agents', name: 'Ours' };

test('DT61: on a relay’s page a key meets its agents there first, then on the relays it was given and those added', async () => {
  relay = RELAY;
  const session = openWorld();
  await session.receive(open(undefined));
  expect(phase()).toEqual({ phase: 'first-run', server: 'other', relay: RELAY, problem: undefined });
  const secret = encryptSecretKey(SECRET, 'pass phrase', nobleCrypto, 4);
  await session.receive({ type: 'import', secret, passphrase: 'pass phrase', relays: ['wss://b', `${RELAY.url}/`] });
  expect(phase()).toMatchObject({ phase: 'ready', relays: [RELAY.url, 'wss://b'], homeRelay: RELAY.url });
  await session.receive({ type: 'set-relays', relays: ['wss://c'] });
  expect(calls).toEqual([`relays ${RELAY.url},wss://c`]);
  expect(phase()).toMatchObject({ relays: [RELAY.url, 'wss://c'] });

  // The same browser, the relay at another address since.
  relay = { url: 'wss://new', name: 'Ours' };
  const later = openWorld();
  await later.receive(open(undefined));
  await later.receive({ type: 'unlock', passphrase: 'pass phrase' });
  expect(started.at(-1)?.relays).toEqual(['wss://new', RELAY.url, 'wss://c']);
});

test('DT61: a page that a desktop’s host opened has the relays its host names', async () => {
  relay = RELAY;
  const session = openWorld({
    session: () => ({ status: 200, json: { ...HOST_SESSION, secretKeyHex: hexEncode(SECRET) } }),
  });
  await session.receive(open('t'));
  await session.receive({ type: 'set-relays', relays: ['wss://c'] });
  expect(phase()).toMatchObject({ relays: ['ws://r'], homeRelay: undefined });
  expect(calls).toEqual([]);
});

test('DT62: a browser that keeps the key keeps its agents: named, revoked, invited', async () => {
  const session = openWorld();
  const secret = encryptSecretKey(SECRET, 'pass phrase', nobleCrypto, 4);
  await session.receive({ type: 'import', secret, passphrase: 'pass phrase', relays: ['ws://r'] });
  await session.receive({ type: 'change-agent', id: 1, change: { publicKey: AGENT.publicKey, name: 'Mine' } });
  await session.receive({ type: 'change-agent', id: 2, change: { publicKey: AGENT.publicKey, revoked: true } });
  await session.receive({ type: 'change-agent', id: 3, change: { publicKey: AGENT.publicKey, name: 'two\nlines' } });
  expect(posted.at(-1)).toMatchObject({ id: 3, result: { ok: false, error: { code: 'bad-name' } } });
  await session.receive({ type: 'invite', id: 4, name: 'New', relays: ['http://r'] });
  expect(posted.at(-1)).toMatchObject({ id: 4, result: { ok: false, error: { code: 'bad-relays' } } });
  await session.receive({ type: 'invite', id: 5, name: 'New', relays: ['ws://r'] });
  const invited = posted.at(-1);
  if (invited?.type !== 'invited' || !invited.result.ok) throw new TypeError('an invite was made');
  const invite = parseInvite(invited.result.value.text, nobleCrypto);
  if (!invite.ok) throw new TypeError(invite.error.message);
  expect(invite.value).toMatchObject({ owner: PUBLIC, name: 'New', relays: ['ws://r'] });
  expect(invite.value.authTag[2]).toBe(`created_at<${NOW_MS / 1_000 + 365 * 24 * 3_600}`);
  const agents = [
    { publicKey: AGENT.publicKey, name: 'Mine', revoked: true },
    { publicKey: hexEncode(nobleCrypto.publicKey(invite.value.secretKey)), name: 'New', authTag: invite.value.authTag },
  ];
  expect(kept?.agents).toEqual(agents);
  expect(phase()).toMatchObject({ agents });
  expect(calls.at(-1)).toBe('agents Mine,New');

  const again = openWorld();
  await again.receive(open(undefined));
  await again.receive({ type: 'unlock', passphrase: 'pass phrase' });
  expect(started.at(-1)?.agents).toEqual(agents);
});

test('DT63, DT128: a key moves as a link: encrypted, opened with its passphrase there, and only then kept', async () => {
  const desk = openWorld({
    session: () => ({ status: 200, json: { ...HOST_SESSION, secretKeyHex: hexEncode(SECRET) } }),
  });
  await desk.receive(open('t'));
  await desk.receive({ type: 'move-key', id: 9, passphrase: 'long enough' });
  const moved = posted.at(-1);
  if (moved?.type !== 'key-moved' || !moved.result.ok) throw new TypeError('the key was encrypted');
  const { ncryptsec } = moved.result.value;
  expect(ncryptsec).toMatch(/^ncryptsec1/);

  relay = RELAY;
  const link = moveLink({ ncryptsec, relays: [RELAY.url, 'wss://b'], revoked: [AGENT.publicKey] });
  expect(link.startsWith('http://box:7447/agents/#key=')).toBe(true);
  const phone = openWorld();
  await phone.receive(open(new URL(link).hash.slice(1)));
  expect(phase()).toEqual({ phase: 'locked', keptBy: 'link', replaces: false, problem: undefined });
  await phone.receive({ type: 'unlock', passphrase: 'a wrong one' });
  expect(phase()).toMatchObject({ phase: 'locked', problem: 'The passphrase does not open this key.' });
  expect(kept).toBeUndefined();
  await phone.receive({ type: 'unlock', passphrase: 'long enough' });
  expect(phase()).toMatchObject({ phase: 'ready', keptBy: 'device', relays: [RELAY.url, 'wss://b'] });
  const revoked = [{ publicKey: AGENT.publicKey, name: AGENT.publicKey.slice(0, 8), revoked: true }];
  expect(kept).toMatchObject({ ncryptsec, relays: [RELAY.url, 'wss://b'], agents: revoked });
  expect(started.at(-1)?.agents).toEqual(revoked);
  expect(started.at(-1)?.signer.publicKey).toBe(PUBLIC);

  const again = openWorld();
  await again.receive(open(new URL(link).hash.slice(1)));
  expect(phase()).toMatchObject({ phase: 'locked', keptBy: 'link', replaces: true });
});

test('DT161: a kept session is read page by page and shown as if it came now; a page that no host serves says where the archive is', async () => {
  const line = (seq: number) => ({ stream: 's', seq });
  const pages = [
    { lines: [line(1), line(2)], after: { stream: 's', seq: 3 } },
    { lines: [line(3)], after: undefined },
  ];
  const asked: unknown[] = [];
  const session = openWorld({
    session: () => ({ status: 200, json: { secretKeyHex: hexEncode(SECRET), ...HOST_SESSION } }),
    archive: (body) => {
      asked.push(body);
      return { status: 200, json: pages[asked.length - 1] };
    },
  });
  await session.receive(open('token'));
  await session.receive({ type: 'read-archived', id: 7, agent: AGENT.publicKey, session: 3 });
  expect(asked).toEqual([
    { ask: 'lines', session: 3 },
    { ask: 'lines', session: 3, after: { stream: 's', seq: 3 } },
  ]);
  expect(keptLines).toEqual(pages.map(({ lines: events }) => ({ agent: AGENT.publicKey, events })));
  expect(posted.at(-1)).toEqual({ type: 'archived-read', id: 7, result: { ok: true, value: { isWhole: true } } });

  const elsewhere = openWorld();
  await elsewhere.receive({ type: 'archive', id: 8, ask: { ask: 'state' } });
  expect(posted.at(-1)).toMatchObject({
    type: 'archive-said',
    id: 8,
    result: { ok: false, error: { message: expect.stringContaining('where heliograph desktop runs') } },
  });
});

test('AR138: what was asked of the archive and dropped is not answered, and no more of a session is read', async () => {
  let pages = 0;
  const session = openWorld({
    session: () => ({ status: 200, json: { secretKeyHex: hexEncode(SECRET), ...HOST_SESSION } }),
    archive: (body) => {
      const { ask } = body as { ask: string };
      if (ask === 'lines' && ++pages === 2) void session.receive({ type: 'drop-archive', id: 8 });
      return { status: 200, json: { lines: [{ stream: 's', seq: pages }], after: { stream: 's', seq: pages + 1 } } };
    },
  });
  await session.receive(open('token'));
  const before = posted.length;
  const asking = session.receive({ type: 'archive', id: 7, ask: { ask: 'search', query: {} } });
  await session.receive({ type: 'drop-archive', id: 7 });
  await asking;
  await session.receive({ type: 'read-archived', id: 8, agent: AGENT.publicKey, session: 3 });
  expect(pages).toBe(2);
  expect(keptLines).toHaveLength(1);
  expect(posted.slice(before)).toEqual([]);
  await session.receive({ type: 'archive', id: 9, ask: { ask: 'search', query: {} } });
  expect(posted.at(-1)).toMatchObject({ type: 'archive-said', id: 9, result: { ok: true } });
});

const asked = () => posted.findLast((message) => message.type === 'signer-ask');
const turn = () => new Promise((resolve) => setTimeout(resolve));

test('PU27: with a signer elsewhere no key is kept; it is there again after a reload, and left it is forgotten', async () => {
  const session = openWorld();
  await session.receive(open(undefined));
  const connecting = session.receive({ type: 'use-extension', relays: ['ws://r'] });
  expect(phase()).toMatchObject({ phase: 'connecting', kind: 'extension' });
  expect(asked()).toMatchObject({ method: 'get_public_key', params: [] });
  await session.receive({ type: 'signer-answer', id: asked()?.id ?? 0, answer: ok(PUBLIC) });
  await connecting;
  expect(phase()).toMatchObject({ phase: 'ready', keptBy: 'extension', publicKey: PUBLIC, relays: ['ws://r'] });
  expect(kept).toEqual({
    connection: { key: { type: 'extension' }, publicKey: PUBLIC },
    relays: ['ws://r'],
    agents: [],
    viewerId: 'made-up',
  });
  await session.receive({ type: 'invite', id: 1, name: 'x', relays: ['ws://r'] });
  expect(posted.at(-1)).toMatchObject({ type: 'invited', result: { ok: false } });
  await session.receive({ type: 'change-agent', id: 2, change: { publicKey: AGENT.publicKey, name: 'renamed' } });
  expect(kept?.agents).toMatchObject([{ name: 'renamed' }]);

  const again = openWorld();
  await again.receive(open(undefined));
  expect(phase()).toMatchObject({ phase: 'ready', keptBy: 'extension', agents: [{ name: 'renamed' }] });
  const signing = started.at(-1)?.signer.decrypt(AGENT.publicKey, 'text');
  await again.receive({
    type: 'signer-answer',
    id: asked()?.id ?? 0,
    answer: err({ code: 'refused', message: 'User rejected' }),
  });
  expect(await signing).toMatchObject({ ok: false, error: { code: 'refused' } });
  expect(posted.at(-1)).toMatchObject({ type: 'signer', signer: { phase: 'refused', message: 'User rejected' } });
  await again.receive({ type: 'retry-signer' });
  expect(posted.at(-1)).toMatchObject({ type: 'signer', signer: { phase: 'ready' } });
  expect(calls.slice(-2)).toEqual(['relays ', 'relays ws://r']);
  await again.receive({ type: 'forget-key' });
  expect(kept).toBeUndefined();
  expect(phase()).toMatchObject({ phase: 'first-run' });
});

test('PU27: a signer that names no key, refuses, or answers after it was given up, opens nothing', async () => {
  const session = openWorld();
  await session.receive(open(undefined));
  for (const answer of [ok('npub1x'), err({ code: 'refused', message: 'denied' } as const)]) {
    const connecting = session.receive({ type: 'use-extension', relays: ['ws://r'] });
    await session.receive({ type: 'signer-answer', id: asked()?.id ?? 0, answer });
    await connecting;
    expect(phase()).toMatchObject({ phase: 'first-run', problem: expect.stringMatching(/^(The signer named|Denied)/) });
  }
  void session.receive({ type: 'use-extension', relays: ['ws://r'] });
  const late = asked()?.id ?? 0;
  await session.receive({ type: 'forget-key' });
  await session.receive({ type: 'signer-answer', id: late, answer: ok(PUBLIC) });
  await turn();
  expect(phase()).toMatchObject({ phase: 'first-run', problem: undefined });
  await session.receive({ type: 'use-bunker', address: 'bunker://nothing', relays: ['ws://r'] });
  expect(phase()).toMatchObject({ phase: 'first-run', problem: expect.stringContaining('bunker://KEY') });
  expect(started).toEqual([]);
  expect(kept).toBeUndefined();
});
