import type { Viewer } from '@heliograph/client';
import { encryptSecretKey } from '@heliograph/crypto/nip49';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { encodeNsec, hexEncode } from '@heliograph/wire';
import { beforeEach, expect, test } from 'vitest';
import type { DeviceKey } from './device-key.ts';
import { HostApi } from './host-api.ts';
import { OwnerSession, type ViewerStart } from './owner-session.ts';
import type { PageToWorker, WorkerToPage } from './protocol.ts';

const SECRET = new Uint8Array(32).fill(9);
const PUBLIC = hexEncode(nobleCrypto.publicKey(SECRET));
const AGENT = { publicKey: 'ab'.repeat(32), name: 'Claude' };
const HOST_SESSION = { relays: ['ws://r'], agents: [AGENT], viewerId: 'device', apiToken: 'api', nextToken: 'next' };
const BASE = 'http://127.0.0.1:7448/api/';

type Route = (body: unknown, headers: Headers) => { readonly status: number; readonly json: unknown } | undefined;

let posted: WorkerToPage[];
let started: ViewerStart[];
let calls: string[];
let kept: DeviceKey | undefined;

beforeEach(() => {
  posted = [];
  started = [];
  calls = [];
  kept = undefined;
});

/** A session in a world where a host answers by `routes`, or none at all without them. */
function openWorld(routes?: Readonly<Record<string, Route>>): OwnerSession {
  const fetcher = async (url: unknown, init?: RequestInit) => {
    const answer = routes?.[String(url).slice(BASE.length)]?.(
      init?.body ? JSON.parse(String(init.body)) : undefined,
      new Headers(init?.headers),
    );
    if (answer === undefined) throw new TypeError('fetch failed');
    return new Response(JSON.stringify(answer.json), { status: answer.status });
  };
  return new OwnerSession({
    crypto: nobleCrypto,
    keys: {
      read: async () => kept,
      write: async (key) => {
        kept = key;
      },
      remove: async () => {
        kept = undefined;
      },
    },
    post: (message) => posted.push(message),
    uuid: () => 'made-up',
    openHost: (base) => new HostApi(base, fetcher as typeof fetch),
    startViewer: (start): Viewer => {
      started.push(start);
      return {
        publicKey: PUBLIC,
        control: (agent, draft) => `${calls.push(`control ${agent} ${draft.type}`)}`,
        resync: (agent) => calls.push(`resync ${agent}`),
        setAgents: (agents) => calls.push(`agents ${agents.map(({ name }) => name)}`),
        setRelays: () => undefined,
        close: () => calls.push('close'),
      };
    },
  });
}

const open = (token: string | undefined): PageToWorker => ({ type: 'open', apiBase: BASE, token });
const phase = () => posted.findLast((message) => message.type === 'session')?.session;

test('DT17: a link opens the viewer with the host’s key, and nothing posted to the page carries it', async () => {
  const session = openWorld({
    session: (body) => {
      expect(body).toEqual({ token: 'one-time' });
      return { status: 200, json: { ...HOST_SESSION, secretKeyHex: hexEncode(SECRET) } };
    },
  });
  await session.receive(open('one-time'));
  expect(started[0]).toMatchObject({ secretKey: SECRET, relays: ['ws://r'], agents: [AGENT], viewerId: 'device' });
  expect(phase()).toMatchObject({ phase: 'ready', publicKey: PUBLIC, hasHost: true, keptBy: 'host' });
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
  expect(phase()).toEqual({ phase: 'first-run', hasHost: true, problem: 'This link was used before.' });
  await openWorld({ health }).receive(open(undefined));
  expect(phase()).toEqual({ phase: 'first-run', hasHost: true, problem: undefined });
  await openWorld().receive(open(undefined));
  expect(phase()).toEqual({ phase: 'first-run', hasHost: false, problem: undefined });
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
  expect(started[0]).toMatchObject({ secretKey: SECRET, relays: ['ws://r'], agents: [], viewerId: 'made-up' });
  expect(phase()).toMatchObject({ phase: 'ready', hasHost: false, keptBy: 'device' });
  expect(kept?.ncryptsec).toMatch(/^ncryptsec1/);
  expect(JSON.stringify(kept)).not.toContain(hexEncode(SECRET));

  const again = openWorld();
  await again.receive(open(undefined));
  expect(phase()).toEqual({ phase: 'locked', keptBy: 'device', problem: undefined });
  await again.receive({ type: 'unlock', passphrase: 'wrong' });
  expect(phase()).toMatchObject({ phase: 'locked', problem: 'The passphrase does not open this key.' });
  expect(started).toHaveLength(1);
  await again.receive({ type: 'unlock', passphrase: 'correct horse' });
  expect(started[1]).toMatchObject({ secretKey: SECRET, viewerId: 'made-up' });

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
  expect(started[0]?.secretKey).toEqual(SECRET);
});

test('DT18: a host key under a passphrase stays locked until it is typed', async () => {
  const ncryptsec = encryptSecretKey(SECRET, 'pass phrase', nobleCrypto, 4);
  const session = openWorld({ session: () => ({ status: 200, json: { ...HOST_SESSION, ncryptsec } }) });
  await session.receive(open('t'));
  expect(phase()).toEqual({ phase: 'locked', keptBy: 'host', problem: undefined });
  await session.receive({ type: 'unlock', passphrase: 'pass phrase' });
  expect(phase()).toMatchObject({ phase: 'ready', hasHost: true, keptBy: 'host' });
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
