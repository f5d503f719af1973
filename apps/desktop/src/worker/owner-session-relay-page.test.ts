import { encryptSecretKey } from '@heliograph/crypto/nip49';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { hexEncode, parseInvite } from '@heliograph/wire';
import { beforeEach, expect, test } from 'vitest';
import { moveLink } from '../move-link.ts';
import {
  AGENT,
  HOST_SESSION,
  NOW_MS,
  open,
  openWorld,
  PUBLIC,
  phase,
  resetWorld,
  SECRET,
  world,
} from './testing/owner-world.ts';

beforeEach(resetWorld);

const RELAY = { url: 'ws://box:7447/agents', name: 'Ours' };

test('DT61: on a relay’s page a key meets its agents there first, then on the relays it was given and those added', async () => {
  world.relay = RELAY;
  const session = openWorld();
  await session.receive(open(undefined));
  expect(phase()).toEqual({ phase: 'first-run', server: 'other', relay: RELAY, problem: undefined });
  const secret = encryptSecretKey(SECRET, 'pass phrase', nobleCrypto, 4);
  await session.receive({ type: 'import', secret, passphrase: 'pass phrase', relays: ['wss://b', `${RELAY.url}/`] });
  expect(phase()).toMatchObject({ phase: 'ready', relays: [RELAY.url, 'wss://b'], homeRelay: RELAY.url });
  await session.receive({ type: 'set-relays', relays: ['wss://c'] });
  expect(world.calls).toEqual([`relays ${RELAY.url},wss://c`]);
  expect(phase()).toMatchObject({ relays: [RELAY.url, 'wss://c'] });

  // The same browser, the relay at another address since.
  world.relay = { url: 'wss://new', name: 'Ours' };
  const later = openWorld();
  await later.receive(open(undefined));
  await later.receive({ type: 'unlock', passphrase: 'pass phrase' });
  expect(world.started.at(-1)?.relays).toEqual(['wss://new', RELAY.url, 'wss://c']);
});

test('DT61: a page that a desktop’s host opened has the relays its host names', async () => {
  world.relay = RELAY;
  const session = openWorld({
    session: () => ({ status: 200, json: { ...HOST_SESSION, secretKeyHex: hexEncode(SECRET) } }),
  });
  await session.receive(open('t'));
  await session.receive({ type: 'set-relays', relays: ['wss://c'] });
  expect(phase()).toMatchObject({ relays: ['ws://r'], homeRelay: undefined });
  expect(world.calls).toEqual([]);
});

test('DT62: a browser that keeps the key keeps its agents: named, revoked, invited', async () => {
  const session = openWorld();
  const secret = encryptSecretKey(SECRET, 'pass phrase', nobleCrypto, 4);
  await session.receive({ type: 'import', secret, passphrase: 'pass phrase', relays: ['ws://r'] });
  await session.receive({ type: 'change-agent', id: 1, change: { publicKey: AGENT.publicKey, name: 'Mine' } });
  await session.receive({ type: 'change-agent', id: 2, change: { publicKey: AGENT.publicKey, revoked: true } });
  await session.receive({ type: 'change-agent', id: 3, change: { publicKey: AGENT.publicKey, name: 'two\nlines' } });
  expect(world.posted.at(-1)).toMatchObject({ id: 3, result: { ok: false, error: { code: 'bad-name' } } });
  await session.receive({ type: 'invite', id: 4, name: 'New', relays: ['http://r'] });
  expect(world.posted.at(-1)).toMatchObject({ id: 4, result: { ok: false, error: { code: 'bad-relays' } } });
  await session.receive({ type: 'invite', id: 5, name: 'New', relays: ['ws://r'] });
  const invited = world.posted.at(-1);
  if (invited?.type !== 'invited' || !invited.result.ok) throw new TypeError('an invite was made');
  const invite = parseInvite(invited.result.value.text, nobleCrypto);
  if (!invite.ok) throw new TypeError(invite.error.message);
  expect(invite.value).toMatchObject({ owner: PUBLIC, name: 'New', relays: ['ws://r'] });
  expect(invite.value.authTag[2]).toBe(`created_at<${NOW_MS / 1_000 + 365 * 24 * 3_600}`);
  const agents = [
    { publicKey: AGENT.publicKey, name: 'Mine', revoked: true },
    { publicKey: hexEncode(nobleCrypto.publicKey(invite.value.secretKey)), name: 'New', authTag: invite.value.authTag },
  ];
  expect(world.kept?.agents).toEqual(agents);
  expect(phase()).toMatchObject({ agents });
  expect(world.calls.at(-1)).toBe('agents Mine,New');

  const again = openWorld();
  await again.receive(open(undefined));
  await again.receive({ type: 'unlock', passphrase: 'pass phrase' });
  expect(world.started.at(-1)?.agents).toEqual(agents);
});

test('DT203: a name given here is told to all devices, and one given elsewhere goes before what is kept here', async () => {
  const session = openWorld();
  const secret = encryptSecretKey(SECRET, 'pass phrase', nobleCrypto, 4);
  await session.receive({ type: 'import', secret, passphrase: 'pass phrase', relays: ['ws://r'] });
  await session.receive({ type: 'change-agent', id: 1, change: { publicKey: AGENT.publicKey, name: 'Mine' } });
  await session.receive({ type: 'invite', id: 2, name: 'New', relays: ['ws://r'] });
  const added = world.kept?.agents.at(-1)?.publicKey;
  const named = [`name ${AGENT.publicKey} Mine`, `name ${added} New`];
  expect(world.calls.filter((call) => call.startsWith('name'))).toEqual(named);
  const revocation = { publicKey: AGENT.publicKey, name: 'Mine', revoked: true };
  await session.receive({ type: 'change-agent', id: 3, change: revocation });
  expect(world.calls.filter((call) => call.startsWith('name'))).toEqual(named);
  session.learnNames({ [AGENT.publicKey]: 'From the desk' });
  expect(phase()).toMatchObject({ agents: [{ name: 'From the desk', revoked: true }, { name: 'New' }] });
  await session.receive({ type: 'set-relays', relays: ['ws://r', 'ws://s'] });
  expect(phase()).toMatchObject({ agents: [{ name: 'From the desk' }, { name: 'New' }] });
});

test('DT63, DT128: a key moves as a link: encrypted, opened with its passphrase there, and only then kept', async () => {
  const desk = openWorld({
    session: () => ({ status: 200, json: { ...HOST_SESSION, secretKeyHex: hexEncode(SECRET) } }),
  });
  await desk.receive(open('t'));
  await desk.receive({ type: 'move-key', id: 9, passphrase: 'long enough' });
  const moved = world.posted.at(-1);
  if (moved?.type !== 'key-moved' || !moved.result.ok) throw new TypeError('the key was encrypted');
  const { ncryptsec } = moved.result.value;
  expect(ncryptsec).toMatch(/^ncryptsec1/);

  world.relay = RELAY;
  const link = moveLink({ ncryptsec, relays: [RELAY.url, 'wss://b'], revoked: [AGENT.publicKey] });
  expect(link.startsWith('http://box:7447/agents/#key=')).toBe(true);
  const phone = openWorld();
  await phone.receive(open(new URL(link).hash.slice(1)));
  expect(phase()).toEqual({ phase: 'locked', keptBy: 'link', replaces: false, problem: undefined });
  await phone.receive({ type: 'unlock', passphrase: 'a wrong one' });
  expect(phase()).toMatchObject({ phase: 'locked', problem: 'The passphrase does not open this key.' });
  expect(world.kept).toBeUndefined();
  await phone.receive({ type: 'unlock', passphrase: 'long enough' });
  expect(phase()).toMatchObject({ phase: 'ready', keptBy: 'device', relays: [RELAY.url, 'wss://b'] });
  const revoked = [{ publicKey: AGENT.publicKey, name: AGENT.publicKey.slice(0, 8), revoked: true }];
  expect(world.kept).toMatchObject({ ncryptsec, relays: [RELAY.url, 'wss://b'], agents: revoked });
  expect(world.started.at(-1)?.agents).toEqual(revoked);
  expect(world.started.at(-1)?.signer.publicKey).toBe(PUBLIC);

  const again = openWorld();
  await again.receive(open(new URL(link).hash.slice(1)));
  expect(phase()).toMatchObject({ phase: 'locked', keptBy: 'link', replaces: true });
});
