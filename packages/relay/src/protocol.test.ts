import { describe, expect, it } from 'vitest';
import { agent, owner, ScriptedRelay, secondOwner, stranger, template, vouch } from './testing/scripted-relay.ts';

const NOW = 1_700_000_000;

describe('expiration (NIP-40)', () => {
  it('RL39: what is over is refused, ephemeral or not; what is not yet over is served until then', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectOwner();
    for (const kind of [1, 20_001]) {
      const over = owner.sign(template({ kind, tags: [['expiration', `${NOW}`]] }));
      expect(client.publish(over)).toEqual([['OK', over.id, false, expect.stringMatching(/^invalid: .*expired/)]]);
    }
    const ending = owner.sign(template({ tags: [['expiration', `${NOW + 10}`]] }));
    expect(client.publish(ending)).toEqual([['OK', ending.id, true, '']]);
    expect(client.say('REQ', 'a', {})).toHaveLength(2);
    relay.tick(10);
    expect(client.say('REQ', 'a', {})).toEqual([['EOSE', 'a']]);
    expect(client.say('COUNT', 'c', {})).toEqual([['COUNT', 'c', { count: 0 }]]);
  });
});

describe('gift wraps (NIP-17, NIP-59)', () => {
  it('RL8: reach only the key they are addressed to: stored, live, counted, searched and reconciled', () => {
    const relay = new ScriptedRelay();
    const sender = relay.connectAgent(vouch());
    const receiver = relay.connectOwner();
    const other = relay.connectOwner(secondOwner);
    receiver.say('REQ', 'live', {});
    other.say('REQ', 'live', {});
    const wrap = stranger.sign(template({ kind: 1059, content: 'words', tags: [['p', owner.publicKey]] }));
    expect(sender.publish(wrap)).toEqual([['OK', wrap.id, true, '']]);
    expect(receiver.take()).toHaveLength(1);
    const filters = [
      {},
      { ids: [wrap.id] },
      { authors: [stranger.publicKey] },
      { kinds: [1059] },
      { '#p': [owner.publicKey] },
    ];
    for (const filter of [...filters, { search: 'words' }]) {
      expect(other.say('REQ', 'a', filter), JSON.stringify(filter)).toEqual([['EOSE', 'a']]);
      expect(other.say('COUNT', 'a', filter)).toEqual([['COUNT', 'a', { count: 0 }]]);
      expect(other.sayText(JSON.stringify(['NEG-OPEN', 'n', filter, '6100000200']))).toEqual([
        ['NEG-MSG', 'n', '6100000200'],
      ]);
    }
    for (const filter of filters) {
      expect(receiver.say('COUNT', 'a', filter)).toEqual([['COUNT', 'a', { count: 1 }]]);
      expect(receiver.sayText(JSON.stringify(['NEG-OPEN', 'n', filter, '6100000200']))).toEqual([
        ['NEG-MSG', 'n', `6100000201${wrap.id}`],
      ]);
    }
    expect(other.take()).toEqual([]);
  });
});

describe('protected events (NIP-70)', () => {
  it('RL44: come from their author alone, and no repost carries one', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectOwner();
    const own = owner.sign(template({ tags: [['-']] }));
    expect(client.publish(own)).toEqual([['OK', own.id, true, '']]);
    const foreign = secondOwner.sign(template({ tags: [['-']] }));
    expect(client.publish(foreign)).toEqual([
      ['OK', foreign.id, false, expect.stringMatching(/^restricted: .*author/)],
    ]);
    for (const kind of [6, 16]) {
      const repost = owner.sign(template({ kind, content: own.json }));
      expect(client.publish(repost)).toEqual([['OK', repost.id, false, expect.stringMatching(/^blocked: /)]]);
    }
    const harmless = owner.sign(template({ kind: 6, content: 'not JSON' }));
    expect(client.publish(harmless)).toEqual([['OK', harmless.id, true, '']]);
  });
});

describe('lists and channels', () => {
  it('RL45: of a relay list (10002) the newest is kept; a channel message (kind 9) is found by its h, stored and live', () => {
    const relay = new ScriptedRelay();
    const client = relay.connectOwner();
    const list = (created_at: number) =>
      owner.sign(template({ kind: 10_002, created_at, tags: [['r', 'wss://r.test']] }));
    const newest = list(NOW);
    client.publish(newest);
    client.publish(list(NOW - 5));
    expect(client.say('REQ', 'a', { kinds: [10_002] })).toEqual([
      ['EVENT', 'a', JSON.parse(newest.json)],
      ['EOSE', 'a'],
    ]);
    const message = (h: string) => owner.sign(template({ kind: 9, content: h, tags: [['h', h]] }));
    client.say('REQ', 'live', { kinds: [9], '#h': ['room'] });
    const [room, elsewhere] = [message('room'), message('elsewhere')];
    client.publish(elsewhere);
    expect(client.publish(room)).toEqual([
      ['EVENT', 'live', JSON.parse(room.json)],
      ['OK', room.id, true, ''],
    ]);
    expect(client.say('COUNT', 'c', { '#h': ['room'] })).toEqual([['COUNT', 'c', { count: 1 }]]);
  });
});

describe('COUNT (NIP-45)', () => {
  it('RL40: says approximate at the bound, and is refused as a REQ is', () => {
    const relay = new ScriptedRelay({ limits: { maxCount: 2, maxFilters: 1 } });
    const client = relay.connectOwner();
    for (const content of ['1', '2', '3']) client.publish(owner.sign(template({ content })));
    expect(client.say('COUNT', 'c', {})).toEqual([['COUNT', 'c', { count: 2, approximate: true }]]);
    expect(client.say('COUNT', 'c', {}, {})).toEqual([['CLOSED', 'c', expect.stringMatching(/^invalid: /)]]);
    expect(relay.connect().say('COUNT', 'c', {})).toEqual([['CLOSED', 'c', expect.stringMatching(/^auth-required: /)]]);
  });
});

describe('search (NIP-50)', () => {
  it('RL41: a search goes on live', () => {
    const client = new ScriptedRelay().connectOwner();
    client.say('REQ', 's', { search: 'signal fire' });
    const hit = owner.sign(template({ content: 'A fire. A signal!' }));
    expect(client.publish(hit)).toHaveLength(2);
    expect(client.publish(owner.sign(template({ content: 'fire' })))).toHaveLength(1);
  });
});

describe('reconciliation (NIP-77)', () => {
  it('RL42: is bounded and answered with NEG-ERR and a reason where it can not be', () => {
    const relay = new ScriptedRelay({ limits: { maxSyncEvents: 2, maxSyncs: 1, syncIdleMs: 5_000 } });
    const client = relay.connectOwner();
    const say = (...message: unknown[]) => client.sayText(JSON.stringify(message));
    const failed = (id: string, reason: RegExp) => [['NEG-ERR', id, expect.stringMatching(reason)]];
    expect(relay.connect().sayText('["NEG-OPEN","n",{},"61"]')).toEqual(failed('n', /^auth-required: /));
    expect(say('NEG-MSG', 'n', '61')).toEqual(failed('n', /^closed: /));
    expect(say('NEG-OPEN', 'n', { nonsense: 1 }, '61')).toEqual(failed('n', /^invalid: /));
    expect(say('NEG-OPEN', 'n', {}, 'xyz')).toEqual(failed('n', /^invalid: .*hex/));
    expect(say('NEG-OPEN', 'n', {}, '6100')).toEqual(failed('n', /^invalid: /));
    expect(say('NEG-OPEN', '', {}, '61')).toEqual(failed('', /^invalid: /));
    expect(say('NEG-OPEN', 'n', {}, '61')).toEqual([['NEG-MSG', 'n', '61']]);
    expect(say('NEG-OPEN', 'm', {}, '61')).toEqual(failed('m', /^blocked: .*NEG-CLOSE/));
    expect(say('NEG-CLOSE', 'n')).toEqual([]);
    expect(say('NEG-OPEN', 'm', {}, '61')).toEqual([['NEG-MSG', 'm', '61']]);
    relay.tick(6);
    expect(client.take()).toEqual(failed('m', /^closed: /));
    for (const content of ['1', '2', '3']) client.publish(owner.sign(template({ content })));
    expect(say('NEG-OPEN', 'n', {}, '61')).toEqual(failed('n', /^blocked: .*more than 2/));
    expect(say('NEG-OPEN', 'n', { authors: [agent.publicKey] }, '61')).toEqual([['NEG-MSG', 'n', '61']]);
  });
});
