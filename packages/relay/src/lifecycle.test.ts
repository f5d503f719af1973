import { expect, it } from 'vitest';
import { NOTHING_OPEN } from './access.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { agent, owner, ScriptedRelay, secondOwner, stranger, template, vouch } from './testing/scripted-relay.ts';

it('RL26: bounds connections per address; those of other addresses are not affected, and a closed one makes room', () => {
  const relay = new ScriptedRelay({ limits: { maxConnectionsPerAddress: 2 } });
  const first = relay.connectOwner();
  relay.connectOwner();
  const third = relay.connect('192.0.2.1');
  expect(third.take()).toEqual([['NOTICE', expect.stringMatching(/too many connections/)]]);
  expect(third.closed).toMatchObject([{ code: 1013 }]);
  third.close();
  expect(relay.connect('192.0.2.2').challenge).not.toBe('');
  first.close();
  first.close();
  const fourth = relay.connect('192.0.2.1');
  expect(fourth.challenge).not.toBe('');
  fourth.authenticate(owner);
  expect(relay.connect('192.0.2.1').closed).toHaveLength(1);
});

it('RL122: where an address is full, who waits longest without an admitted key gives way, and nobody with one', () => {
  const relay = new ScriptedRelay({ limits: { maxConnectionsPerAddress: 3 } });
  const user = relay.connectOwner();
  const [silent, refused] = [relay.connect(), relay.connect()];
  refused.authenticate(stranger);
  const late = relay.connect();
  expect(silent.take()).toEqual([['NOTICE', expect.stringMatching(/too many connections/)]]);
  expect([silent, refused, user].map(({ closed }) => closed.length)).toEqual([1, 0, 0]);
  late.authenticate(owner);
  relay.connectOwner();
  expect(refused.closed).toMatchObject([{ code: 1013 }]);
  expect(relay.connect().closed).toHaveLength(1);
  expect([late, user].map(({ closed }) => closed.length)).toEqual([0, 0]);
});

it('RL122: where the relay is full, the same holds over all addresses', () => {
  const relay = new ScriptedRelay({ limits: { maxConnections: 2 } });
  const stranger = relay.connect('192.0.2.1');
  const user = relay.connect('192.0.2.2');
  user.authenticate(owner);
  const other = relay.connect('192.0.2.3');
  expect([stranger, user, other].map(({ closed }) => closed.length)).toEqual([1, 0, 0]);
  other.authenticate(secondOwner);
  expect(relay.connect('192.0.2.4').closed).toHaveLength(1);
});

it('RL122: whose admission ended waits from then on', () => {
  const relay = new ScriptedRelay({ limits: { maxConnectionsPerAddress: 2 } });
  const ended = relay.connect();
  const waiting = relay.connect();
  ended.authenticate(agent, { authTag: vouch(`created_at<${1_700_000_000 + 10}`) });
  relay.tick(10);
  relay.connect();
  expect([ended, waiting].map(({ closed }) => closed.length)).toEqual([0, 1]);
  relay.connect();
  expect(ended.closed).toHaveLength(1);
});

it('RL26: bounds connections in all', () => {
  const relay = new ScriptedRelay({ limits: { maxConnections: 1 } });
  relay.connectOwner();
  expect(relay.connect('192.0.2.2').closed).toMatchObject([{ code: 1013 }]);
});

it('RL26: ends connections that have no admitted key after 60 s, and no others', () => {
  const relay = new ScriptedRelay();
  const silent = relay.connect();
  const refused = relay.connect();
  refused.authenticate(stranger);
  const admitted = relay.connectOwner();
  relay.tick(59);
  expect([silent.closed, refused.closed]).toEqual([[], []]);
  relay.tick(1);
  for (const client of [silent, refused]) {
    expect(client.closed).toMatchObject([{ code: 1008, reason: expect.stringMatching(/^auth-required: .*60 s/) }]);
  }
  relay.tick(10_000);
  expect(admitted.closed).toEqual([]);
});

it('RL26: an admission that ended has the same 60 s to be renewed', () => {
  const relay = new ScriptedRelay();
  const client = relay.connect();
  client.authenticate(agent, { authTag: vouch(`created_at<${1_700_000_000 + 600}`) });
  relay.tick(600);
  relay.tick(59);
  expect(client.closed).toEqual([]);
  relay.tick(1);
  expect(client.closed).toHaveLength(1);
});

it('RL26: a connection that is gone gets nothing more and holds nothing', () => {
  const relay = new ScriptedRelay();
  const client = relay.connectOwner();
  client.say('REQ', 'a', {});
  client.close();
  relay.connectOwner().publish(owner.sign(template({})));
  expect(relay.effects.filter((effect) => effect.type === 'broadcast')).toEqual([]);
  expect(client.say('REQ', 'a', {})).toEqual([]);
});

it('RL26: close reasons fit a close frame', () => {
  const relay = new ScriptedRelay({ limits: { maxConnectionsPerAddress: 1, maxAuthAttempts: 0 } });
  const first = relay.connect();
  first.authenticate(stranger);
  relay.connect();
  relay.connect();
  relay.tick(60);
  const closes = relay.effects.filter((effect) => effect.type === 'close');
  expect(closes.length).toBeGreaterThanOrEqual(3);
  for (const { reason } of closes) expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123);
});

it('RL121: other limits, rates and URLs are in force for the connections there are', () => {
  const relay = new ScriptedRelay();
  const client = relay.connectOwner();
  const publish = () => client.publish(owner.sign(template({ content: `${Math.random()}` })))[0];
  expect(publish()?.[2]).toBe(true);
  const limits = { ...DEFAULT_LIMITS, eventsPerSec: 1, eventBurst: 2, maxSubscriptions: 1, maxContentLength: 100 };
  const rules = { owners: [owner.publicKey], open: NOTHING_OPEN, relayUrls: ['wss://new.test'], limits };
  relay.handle({ type: 'configure', rules });
  expect(client.publish(owner.sign(template({ content: 'x'.repeat(101) })))[0]).toMatchObject([
    'OK',
    expect.any(String),
    false,
    expect.stringMatching(/^invalid: content may have 100/),
  ]);
  publish();
  expect(publish()).toMatchObject(['OK', expect.any(String), false, expect.stringMatching(/^rate-limited: /)]);
  client.say('REQ', 'a', { limit: 0 });
  expect(client.say('REQ', 'b', { limit: 0 })).toMatchObject([['CLOSED', 'b', expect.stringMatching(/^error: /)]]);
  expect(relay.connect().authenticate(owner)).toMatchObject([
    ['OK', expect.any(String), false, expect.stringMatching(/wss:\/\/new\.test/)],
  ]);
  expect(relay.connect().authenticate(owner, { relayUrl: 'wss://new.test' })).toMatchObject([
    ['OK', expect.any(String), true, ''],
  ]);
});
