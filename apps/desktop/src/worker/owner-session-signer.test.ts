import { err, ok } from '@heliograph/wire';
import { beforeEach, expect, test } from 'vitest';
import { AGENT, open, openWorld, PUBLIC, phase, resetWorld, world } from './testing/owner-world.ts';

beforeEach(resetWorld);

const asked = () => world.posted.findLast((message) => message.type === 'signer-ask');
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
  expect(world.kept).toEqual({
    connection: { key: { type: 'extension' }, publicKey: PUBLIC },
    relays: ['ws://r'],
    agents: [],
    viewerId: 'made-up',
  });
  await session.receive({ type: 'invite', id: 1, name: 'x', relays: ['ws://r'] });
  expect(world.posted.at(-1)).toMatchObject({ type: 'invited', result: { ok: false } });
  await session.receive({ type: 'change-agent', id: 2, change: { publicKey: AGENT.publicKey, name: 'renamed' } });
  expect(world.kept?.agents).toMatchObject([{ name: 'renamed' }]);

  const again = openWorld();
  await again.receive(open(undefined));
  expect(phase()).toMatchObject({ phase: 'ready', keptBy: 'extension', agents: [{ name: 'renamed' }] });
  const signing = world.started.at(-1)?.signer.decrypt(AGENT.publicKey, 'text');
  await again.receive({
    type: 'signer-answer',
    id: asked()?.id ?? 0,
    answer: err({ code: 'refused', message: 'User rejected' }),
  });
  expect(await signing).toMatchObject({ ok: false, error: { code: 'refused' } });
  expect(world.posted.at(-1)).toMatchObject({ type: 'signer', signer: { phase: 'refused', message: 'User rejected' } });
  await again.receive({ type: 'retry-signer' });
  expect(world.posted.at(-1)).toMatchObject({ type: 'signer', signer: { phase: 'ready' } });
  expect(world.calls.slice(-2)).toEqual(['relays ', 'relays ws://r']);
  await again.receive({ type: 'forget-key' });
  expect(world.kept).toBeUndefined();
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
  expect(world.started).toEqual([]);
  expect(world.kept).toBeUndefined();
});
