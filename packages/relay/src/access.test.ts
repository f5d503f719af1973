import { describe, expect, it } from 'vitest';
import { NO_ACCESS_RULES } from './access.ts';
import { parseKindSet } from './kind-set.ts';
import {
  agent,
  control,
  owner,
  ScriptedRelay,
  secondOwner,
  stranger,
  telemetry,
  template,
  vouch,
} from './testing/scripted-relay.ts';

const allow = (...keys: string[]) => ({ ...NO_ACCESS_RULES, allowed: new Set(keys) });
const deny = (...keys: string[]) => ({ ...NO_ACCESS_RULES, denied: new Set(keys) });
const accepted = [['OK', expect.any(String), true, '']];

describe('keys the operator decides on', () => {
  it('RL47: an allowed key is admitted with the agents it vouches for, and loses its connection when that ends', () => {
    const relay = new ScriptedRelay({ owners: [owner.publicKey] });
    relay.handle({ type: 'access', access: allow(secondOwner.publicKey) });
    const member = relay.connect();
    expect(member.authenticate(secondOwner)).toEqual(accepted);
    const its = relay.connect();
    expect(its.authenticate(agent, { authTag: vouch('', secondOwner) })).toEqual(accepted);
    const tags = [
      ['p', secondOwner.publicKey],
      ['agent', agent.publicKey],
      ['frame', 'telemetry'],
    ];
    member.say('REQ', 'a', { kinds: [24_200], '#p': [secondOwner.publicKey], limit: 0 });
    expect(its.publish(agent.sign(telemetry({ tags })))).toEqual(accepted);
    expect(member.take()).toHaveLength(1);
    its.say('REQ', 'a', { kinds: [24_200], limit: 0 });
    expect(member.publish(secondOwner.sign(control()))).toEqual(accepted);
    const bystander = relay.connectOwner();
    relay.handle({ type: 'access', access: NO_ACCESS_RULES });
    for (const client of [member, its]) expect(client.closed).toMatchObject([{ code: 1008 }]);
    expect(member.take()).toEqual([['NOTICE', expect.stringMatching(/^restricted: /)]]);
    expect(bystander.closed).toEqual([]);
  });

  it('RL47: a banned key loses its connections at once with a reason, and so do agents it vouches for', () => {
    const relay = new ScriptedRelay();
    const banned = relay.connectAgent(vouch());
    const bystander = relay.connectOwner();
    relay.handle({ type: 'access', access: deny(agent.publicKey) });
    expect(banned.take()).toEqual([['NOTICE', expect.stringMatching(/^blocked: .*banned/)]]);
    expect(banned.closed).toMatchObject([{ code: 1008 }]);
    expect(bystander.closed).toEqual([]);
    expect(relay.connect().authenticate(agent, { authTag: vouch() })).toEqual([
      ['OK', expect.any(String), false, expect.stringMatching(/^blocked: .*heliograph relay allow npub1/)],
    ]);
    const note = agent.sign(template({}));
    expect(bystander.publish(note)).toEqual([['OK', note.id, false, expect.stringMatching(/^blocked: /)]]);
  });

  it('DT202: an order for a banned agent is answered with why that agent hears nothing, also where others listen', () => {
    const relay = new ScriptedRelay();
    const sender = relay.connectOwner();
    const watcher = relay.connectOwner();
    watcher.say('REQ', 'a', { kinds: [24_200], authors: [owner.publicKey], limit: 0 });
    relay.handle({ type: 'access', access: deny(agent.publicKey) });
    const order = owner.sign(control());
    expect(sender.publish(order)).toEqual([
      ['OK', order.id, false, expect.stringMatching(/^mute: blocked: npub1.* banned .*heliograph relay allow npub1/)],
    ]);
    expect(watcher.take()).toEqual([['EVENT', 'a', expect.objectContaining({ id: order.id })]]);
    relay.handle({ type: 'access', access: NO_ACCESS_RULES });
    const later = owner.sign(control({ content: order.content }));
    expect(sender.publish(later)[0]?.[3]).not.toMatch(/blocked/);
  });

  it('RL47: an owner named at the start can not be locked out', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectOwner();
    relay.handle({ type: 'access', access: deny(owner.publicKey) });
    expect(client.closed).toEqual([]);
    expect(relay.connect().authenticate(owner)).toEqual(accepted);
  });

  it('RL47: a banned event is not taken, whoever brings it', () => {
    const relay = new ScriptedRelay();
    const note = owner.sign(template({}));
    relay.handle({ type: 'access', access: { ...NO_ACCESS_RULES, bannedEvents: new Set([note.id]) } });
    expect(relay.connectOwner().publish(note)).toEqual([
      ['OK', note.id, false, expect.stringMatching(/^blocked: .*operator/)],
    ]);
  });
});

describe('what is open to all', () => {
  const open = { read: parseKindSet('1,4,1059') ?? [], write: parseKindSet('1,1059,24200') ?? [] };

  it('RL48: a guest reads the open kinds without AUTH, stored, live and counted, and private ones never', () => {
    const relay = new ScriptedRelay({ open });
    const publisher = relay.connectOwner();
    const guest = relay.connect();
    const note = owner.sign(template({}));
    const others = [4, 7, 1059].map((kind) => owner.sign(template({ kind, tags: [['p', owner.publicKey]] })));
    for (const event of [note, ...others]) publisher.publish(event);
    expect(guest.say('REQ', 'a', {})).toEqual([
      ['EVENT', 'a', JSON.parse(note.json)],
      ['EOSE', 'a'],
    ]);
    expect(guest.say('COUNT', 'c', { ids: others.map(({ id }) => id) })).toEqual([['COUNT', 'c', { count: 0 }]]);
    expect(guest.say('REQ', 'b', { kinds: [7] })).toEqual([
      ['CLOSED', 'b', expect.stringMatching(/^auth-required: .*1,4,1059/)],
    ]);
    const later = owner.sign(template({ content: 'later' }));
    for (const event of [later, owner.sign(template({ kind: 7 })), owner.sign(template({ kind: 1059 }))]) {
      publisher.publish(event);
    }
    expect(guest.take()).toEqual([['EVENT', 'a', JSON.parse(later.json)]]);
  });

  it('RL48: a guest writes the open kinds, never frames or protected events, and is not closed for having no key', () => {
    const relay = new ScriptedRelay({ open });
    const guest = relay.connect();
    const wrap = stranger.sign(template({ kind: 1059, tags: [['p', owner.publicKey]] }));
    expect(guest.publish(wrap)).toEqual(accepted);
    for (const event of [
      stranger.sign(template({ kind: 7 })),
      stranger.sign(telemetry()),
      stranger.sign(template({ tags: [['-']] })),
    ]) {
      expect(guest.publish(event)).toEqual([['OK', event.id, false, expect.stringMatching(/^auth-required: /)]]);
    }
    relay.tick(3_600);
    expect(guest.closed).toEqual([]);
  });

  it('RL48: guests of one address share a pace', () => {
    const relay = new ScriptedRelay({ open, limits: { eventBurst: 1, requestBurst: 1 } });
    const [first, second, elsewhere] = [relay.connect(), relay.connect(), relay.connect('192.0.2.2')];
    const event = (content: string) => stranger.sign(template({ content }));
    expect(first.publish(event('1'))).toEqual(accepted);
    expect(second.publish(event('2'))).toEqual([
      ['OK', expect.any(String), false, expect.stringMatching(/^rate-limited/)],
    ]);
    expect(elsewhere.publish(event('3'))).toEqual(accepted);
  });
});

it('RL49: however much else a key sends, a tenth of its burst stays free for its controls', () => {
  const relay = new ScriptedRelay({ limits: { eventsPerSec: 1, eventBurst: 20 } });
  relay.connectAgent(vouch()).say('REQ', 'a', { kinds: [24_200], limit: 0 });
  const client = relay.connectOwner();
  const answers = Array.from(
    { length: 20 },
    (_, n) => client.publish(owner.sign(template({ content: `${n}` })))[0]?.[2],
  );
  expect(answers.filter((answer) => answer === true)).toHaveLength(18);
  for (const content of ['a', 'b']) {
    expect(client.publish(owner.sign(control({ content: content.repeat(132) })))).toEqual(accepted);
  }
  expect(client.publish(owner.sign(control({ content: 'c'.repeat(132) })))).toEqual([
    ['OK', expect.any(String), false, expect.stringMatching(/^rate-limited: /)],
  ]);
});
