import { encodeNpub } from '@heliograph/wire';
import { describe, expect, it } from 'vitest';
import {
  agent,
  owner,
  ScriptedRelay,
  secondOwner,
  stranger,
  telemetry,
  template,
  vouch,
} from './testing/scripted-relay.ts';

const NOW = 1_700_000_000;

describe('before AUTH', () => {
  it('RL11: challenges at once; REQ and EVENT are answered auth-required and the socket stays', () => {
    const client = new ScriptedRelay().connect();
    expect(client.challenge).toBe('challenge-1');
    expect(client.say('REQ', 'a', {})).toEqual([['CLOSED', 'a', expect.stringMatching(/^auth-required: /)]]);
    const note = owner.sign(template({}));
    expect(client.publish(note)).toEqual([['OK', note.id, false, expect.stringMatching(/^auth-required: /)]]);
    expect(client.closed).toEqual([]);
    expect(client.authenticate(owner)).toEqual([['OK', expect.any(String), true, '']]);
    expect(client.say('REQ', 'a', {})).toEqual([['EOSE', 'a']]);
  });

  it('RL11: who may not write costs no signature check', () => {
    const relay = new ScriptedRelay();
    relay.connect().publish(owner.sign(template({})));
    expect(relay.effects.filter((effect) => effect.type === 'verify')).toEqual([]);
  });

  it('RL11: every connection has its own challenge', () => {
    const relay = new ScriptedRelay();
    const first = relay.connect();
    const second = relay.connect();
    expect(second.authenticate(owner, { challenge: first.challenge })).toEqual([
      ['OK', expect.any(String), false, expect.stringMatching(/^invalid: .*challenge/)],
    ]);
  });
});

describe('AUTH', () => {
  it.each([
    ['another kind', { kind: 22_243 }, /^invalid: .*22242/],
    ['another challenge', { challenge: 'x' }, /^invalid: .*challenge/],
    [
      'another relay',
      { relayUrl: 'ws://evil.test' },
      /^invalid: .*ws:\/\/evil\.test.*ws:\/\/relay\.test:7447.*--public-url/,
    ],
    ['a clock 61 s behind', { createdAtSec: NOW - 61 }, /^invalid: .*61 s behind/],
    ['a clock 6 min ahead', { createdAtSec: NOW + 360 }, /^invalid: .*6 min ahead/],
  ])('RL12: refuses %s and says why', (_, fields, reason) => {
    const client = new ScriptedRelay().connect();
    expect(client.authenticate(owner, fields)).toEqual([
      ['OK', expect.any(String), false, expect.stringMatching(reason)],
    ]);
    expect(client.say('REQ', 'a', {})).toEqual([['CLOSED', 'a', expect.stringMatching(/^auth-required: /)]]);
  });

  it('RL12: takes any of its own URLs, and clocks up to 60 s off', () => {
    const relay = new ScriptedRelay();
    const fields = { relayUrl: 'WS://127.0.0.1:7447/', createdAtSec: NOW - 60 };
    expect(relay.connect().authenticate(owner, fields)).toEqual([['OK', expect.any(String), true, '']]);
  });

  it('RL12: refuses a signature that does not hold', () => {
    const client = new ScriptedRelay().connect();
    const auth = owner.sign(template({ kind: 22_242, content: 'x' }));
    const { id, pubkey, created_at, kind, tags, content } = auth;
    const sig = owner.sign(template({})).sig;
    expect(client.say('AUTH', { id, pubkey, created_at, kind, tags, content, sig })).toEqual([
      ['OK', id, false, expect.stringMatching(/^invalid: /)],
    ]);
  });

  it('RL12: an AUTH event is not published', () => {
    const client = new ScriptedRelay().connectOwner();
    const auth = owner.sign(template({ kind: 22_242 }));
    expect(client.publish(auth)).toEqual([['OK', auth.id, false, expect.stringMatching(/^invalid: /)]]);
  });

  it('RL12: ends a connection that keeps sending AUTH without being admitted', () => {
    const client = new ScriptedRelay({ limits: { maxAuthAttempts: 2 } }).connect();
    client.authenticate(stranger);
    client.authenticate(stranger);
    expect(client.closed).toEqual([]);
    expect(client.authenticate(stranger)).toEqual([['NOTICE', expect.stringMatching(/^blocked: /)]]);
    expect(client.closed).toMatchObject([{ code: 1008 }]);
  });
});

describe('admission', () => {
  it('RL13: admits the configured owners, and tells others their key and what would admit it', () => {
    const relay = new ScriptedRelay();
    expect(relay.connect().authenticate(secondOwner)).toEqual([['OK', expect.any(String), true, '']]);
    const client = relay.connect();
    const npub = encodeNpub(stranger.publicKey);
    const [answer] = client.authenticate(stranger);
    expect(answer).toEqual(['OK', expect.any(String), false, expect.stringMatching(/^restricted: /)]);
    for (const part of [`heliograph relay --owner ${npub}`, `heliograph attest --agent ${npub}`, 'heliograph invite']) {
      expect(answer?.[3]).toContain(part);
    }
    const note = stranger.sign(template({}));
    expect(client.publish(note)).toEqual([['OK', note.id, false, answer?.[3]]]);
    expect(client.say('REQ', 'a', {})).toEqual([['CLOSED', 'a', answer?.[3]]]);
    expect(client.closed).toEqual([]);
  });

  it('RL13: a tag can not make an owner', () => {
    const client = new ScriptedRelay({ owners: [] }).connect();
    const npub = encodeNpub(owner.publicKey);
    const [answer] = client.authenticate(agent, { authTag: vouch() });
    expect(answer?.[3]).toContain('restricted: ');
    expect(answer?.[3]).toContain(`heliograph relay --owner ${npub}`);
  });

  it('RL14: admits an agent that an owner vouches for, whatever kind= says', () => {
    const relay = new ScriptedRelay();
    for (const conditions of ['', 'kind=1', `created_at<${NOW + 1}&created_at>${NOW - 1}`]) {
      expect(relay.connect().authenticate(agent, { authTag: vouch(conditions) })).toEqual([
        ['OK', expect.any(String), true, ''],
      ]);
    }
  });

  it.each([
    ['one for another agent', vouch('', owner, stranger.publicKey), /^invalid: .*npub1/],
    ['one with a foreign signature', ['auth', owner.publicKey, '', 'ab'.repeat(64)] as const, /^invalid: /],
    ['one with words it does not know', ['auth', owner.publicKey, 'until=5', 'ab'.repeat(64)] as const, /^invalid: /],
    ['one from no owner of this relay', vouch('', stranger), /^restricted: .*no owner of this relay/],
    [
      'one that is over',
      vouch(`created_at<${NOW}`),
      /^restricted: .*ended at 2023-11-14T22:13:20.000Z.*heliograph attest/,
    ],
    ['one that has not begun', vouch(`created_at>${NOW}`), /^restricted: .*does not hold yet/],
  ])('RL14: refuses an attestation: %s', (_, authTag, reason) => {
    const client = new ScriptedRelay().connect();
    expect(client.authenticate(agent, { authTag })).toEqual([
      ['OK', expect.any(String), false, expect.stringMatching(reason)],
    ]);
    expect(client.say('REQ', 'a', {})).toEqual([['CLOSED', 'a', expect.stringMatching(/^restricted: /)]]);
  });

  it("RL14: the time of an attestation is held against the AUTH event and against the relay's clock", () => {
    const relay = new ScriptedRelay();
    const authTag = vouch(`created_at<${NOW}`);
    expect(relay.connect().authenticate(agent, { authTag, createdAtSec: NOW - 30 })).toEqual([
      ['OK', expect.any(String), false, expect.stringMatching(/^restricted: .*ended/)],
    ]);
  });

  it('RL14: a refused second AUTH takes nothing away, an accepted one replaces', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectOwner();
    client.authenticate(stranger);
    expect(client.say('REQ', 'a', {})).toEqual([['EOSE', 'a']]);
    client.authenticate(agent, { authTag: vouch() });
    const frame = agent.sign(telemetry());
    expect(client.publish(frame)).toEqual([
      ['EVENT', 'a', expect.objectContaining({ id: frame.id })],
      ['OK', frame.id, true, ''],
    ]);
  });
});

describe('the end of an attestation', () => {
  it('RL15: ends a live admission when created_at<T passes: subscriptions closed, nothing more read or written', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectAgent(vouch(`created_at<${NOW + 100}`));
    const other = relay.connectOwner();
    client.say('REQ', 'a', {});
    client.say('REQ', 'b', { kinds: [1] });
    relay.tick(99);
    other.publish(owner.sign(template({ content: 'in time' })));
    expect(client.take()).toHaveLength(2);

    relay.nowMs += 1_000;
    other.publish(owner.sign(template({ content: 'too late, although no tick has come' })));
    expect(client.take()).toEqual([]);
    relay.tick(0);
    const over = expect.stringMatching(/^restricted: .*npub1.*ended at .*heliograph attest/);
    expect(client.take()).toEqual([
      ['CLOSED', 'a', over],
      ['CLOSED', 'b', over],
    ]);
    const frame = agent.sign(telemetry({ created_at: NOW + 100 }));
    expect(client.publish(frame)).toEqual([['OK', frame.id, false, over]]);
    expect(client.say('REQ', 'a', {})).toEqual([['CLOSED', 'a', over]]);
    expect(client.closed).toEqual([]);
  });

  it('RL15: holds for the very next message too, before any tick', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectAgent(vouch(`created_at<${NOW + 100}`));
    relay.nowMs += 100_000;
    const frame = agent.sign(telemetry({ created_at: NOW + 100 }));
    expect(client.publish(frame)).toEqual([['OK', frame.id, false, expect.stringMatching(/^restricted: .*ended/)]]);
  });

  it('RL15: a renewed attestation admits again on the same socket', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectAgent(vouch(`created_at<${NOW + 100}`));
    relay.tick(100);
    expect(client.authenticate(agent, { authTag: vouch(`created_at<${NOW + 1_000}`) })).toEqual([
      ['OK', expect.any(String), true, ''],
    ]);
    expect(client.say('REQ', 'a', {})).toEqual([['EOSE', 'a']]);
  });
});
