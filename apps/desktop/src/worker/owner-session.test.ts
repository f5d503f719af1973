import { encryptSecretKey } from '@heliograph/crypto/nip49';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { encodeNsec, hexEncode } from '@heliograph/wire';
import { beforeEach, expect, test } from 'vitest';
import {
  AGENT,
  HOST_SESSION,
  open,
  openWorld,
  PUBLIC,
  phase,
  type Route,
  resetWorld,
  SECRET,
  world,
} from './testing/owner-world.ts';

beforeEach(resetWorld);

test('DT17: a link opens the viewer with the host’s key, and nothing posted to the page carries it', async () => {
  const session = openWorld({
    session: (body) => {
      expect(body).toEqual({ token: 'one-time' });
      return { status: 200, json: { ...HOST_SESSION, secretKeyHex: hexEncode(SECRET) } };
    },
  });
  await session.receive(open('one-time'));
  expect(world.started[0]).toMatchObject({
    signer: { publicKey: PUBLIC },
    relays: ['ws://r'],
    agents: [AGENT],
    viewerId: 'device',
  });
  expect(phase()).toMatchObject({ phase: 'ready', publicKey: PUBLIC, homeRelay: undefined, keptBy: 'host' });
  expect(world.posted).toContainEqual({ type: 'next-token', token: 'next' });
  const told = JSON.stringify(world.posted);
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
  expect(world.started).toEqual([]);
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
  expect(world.started[0]).toMatchObject({
    signer: { publicKey: PUBLIC },
    relays: ['ws://r'],
    agents: [],
    viewerId: 'made-up',
  });
  expect(phase()).toMatchObject({ phase: 'ready', homeRelay: undefined, keptBy: 'device' });
  expect(world.kept?.ncryptsec).toMatch(/^ncryptsec1/);
  expect(JSON.stringify(world.kept)).not.toContain(hexEncode(SECRET));

  const again = openWorld();
  await again.receive(open(undefined));
  expect(phase()).toEqual({ phase: 'locked', keptBy: 'device', replaces: false, problem: undefined });
  await again.receive({ type: 'unlock', passphrase: 'wrong' });
  expect(phase()).toMatchObject({ phase: 'locked', problem: 'The passphrase does not open this key.' });
  expect(world.started).toHaveLength(1);
  await again.receive({ type: 'unlock', passphrase: 'correct horse' });
  expect(world.started[1]).toMatchObject({ signer: { publicKey: PUBLIC }, viewerId: 'made-up' });

  await again.receive({ type: 'forget-key' });
  expect(world.kept).toBeUndefined();
  expect(world.calls).toContain('close');
  expect(phase()).toMatchObject({ phase: 'first-run' });
});

test('DT18: an encrypted key is taken as it is; what is no key is refused in words that do not repeat it', async () => {
  const ncryptsec = encryptSecretKey(SECRET, 'pass phrase', nobleCrypto, 4);
  const session = openWorld();
  await session.receive({ type: 'import', secret: ncryptsec, passphrase: 'wrong', relays: [] });
  expect(phase()).toMatchObject({ phase: 'first-run', problem: 'The passphrase does not open this key.' });
  await session.receive({ type: 'import', secret: 'nsec1typo', passphrase: 'x', relays: [] });
  expect(phase()).toMatchObject({ phase: 'first-run', problem: expect.not.stringContaining('typo') });
  expect(world.kept).toBeUndefined();
  await session.receive({ type: 'import', secret: ncryptsec, passphrase: 'pass phrase', relays: [] });
  expect(world.kept?.ncryptsec).toBe(ncryptsec);
  expect(world.started[0]?.signer.publicKey).toBe(PUBLIC);
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
  expect(world.posted).toContainEqual({ type: 'invited', id: 5, result: { ok: true, value: { text: 'helio1x' } } });
  expect(world.calls).toEqual([`name ${'cd'.repeat(32)} New`, 'agents Claude,New']);
  expect(phase()).toMatchObject({ phase: 'ready', agents });
  await session.receive({ type: 'change-agent', id: 6, change: { publicKey: AGENT.publicKey, revoked: true } });
  expect(world.posted.at(-1)).toMatchObject({
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
  expect(world.calls).toEqual(['control a cancel_turn', 'resync a']);
  expect(world.posted.at(-1)).toEqual({ type: 'control-started', id: 3, requestId: '1' });
  session.fail('out of memory');
  expect(world.posted.at(-1)).toEqual({ type: 'problem', message: 'out of memory' });
  openWorld().fail('no IndexedDB');
  expect(world.posted.at(-1)).toEqual({ type: 'session', session: { phase: 'failed', problem: 'no IndexedDB' } });
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
  expect(world.keptLines).toEqual(pages.map(({ lines: events }) => ({ agent: AGENT.publicKey, events })));
  expect(world.posted.at(-1)).toEqual({ type: 'archived-read', id: 7, result: { ok: true, value: { isWhole: true } } });

  const elsewhere = openWorld();
  await elsewhere.receive({ type: 'archive', id: 8, ask: { ask: 'state' } });
  expect(world.posted.at(-1)).toMatchObject({
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
  const before = world.posted.length;
  const asking = session.receive({ type: 'archive', id: 7, ask: { ask: 'search', query: {} } });
  await session.receive({ type: 'drop-archive', id: 7 });
  await asking;
  await session.receive({ type: 'read-archived', id: 8, agent: AGENT.publicKey, session: 3 });
  expect(pages).toBe(2);
  expect(world.keptLines).toHaveLength(1);
  expect(world.posted.slice(before)).toEqual([]);
  await session.receive({ type: 'archive', id: 9, ask: { ask: 'search', query: {} } });
  expect(world.posted.at(-1)).toMatchObject({ type: 'archive-said', id: 9, result: { ok: true } });
});
