import { expect, it } from 'vitest';
import { agent, owner, ScriptedRelay, stranger, template, vouch } from './scripted-relay.ts';

it('RL26: bounds connections per address; those of other addresses are not affected, and a closed one makes room', () => {
  const relay = new ScriptedRelay({ limits: { maxConnectionsPerAddress: 2 } });
  const first = relay.connect('192.0.2.1');
  relay.connect('192.0.2.1');
  const third = relay.connect('192.0.2.1');
  expect(third.take()).toEqual([['NOTICE', expect.stringMatching(/too many connections/)]]);
  expect(third.closed).toMatchObject([{ code: 1013 }]);
  third.close();
  expect(relay.connect('192.0.2.2').challenge).not.toBe('');
  first.close();
  first.close();
  expect(relay.connect('192.0.2.1').challenge).not.toBe('');
  expect(relay.connect('192.0.2.1').closed).toHaveLength(1);
});

it('RL26: bounds connections in all', () => {
  const relay = new ScriptedRelay({ limits: { maxConnections: 1 } });
  relay.connect('192.0.2.1');
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
