import { expect, it } from 'vitest';
import { MemoryStore } from './store/memory-store.ts';
import { agent, owner, ScriptedRelay, secondOwner, telemetry, template } from './testing/scripted-relay.ts';

const NOW = 1_700_000_000;
const note = (content: string, fields = {}) => owner.sign(template({ content, ...fields }));
const got = (...events: { id: string }[]) => events.map(({ id }) => ['EVENT', 'a', expect.objectContaining({ id })]);

it('RL18: answers a REQ with what is stored, newest first, then EOSE, then what comes', () => {
  const client = new ScriptedRelay().connectOwner();
  const old = note('old', { created_at: NOW - 10 });
  const recent = note('recent');
  client.publish(old);
  client.publish(recent);
  expect(client.say('REQ', 'a', { kinds: [1] })).toEqual([...got(recent, old), ['EOSE', 'a']]);
  const live = note('live', { created_at: NOW - 20 });
  expect(client.publish(live)).toEqual([...got(live), ['OK', live.id, true, '']]);
  expect(client.publish(live)).toEqual([['OK', live.id, true, expect.stringMatching(/^duplicate: /)]]);
});

it('RL18: several filters are one answer without repeats, in one order', () => {
  const client = new ScriptedRelay().connectOwner();
  const [a, b, c] = [3, 2, 1].map((n) => note(`${n}`, { created_at: NOW - 10 + n, tags: [['t', `${n}`]] }));
  if (a === undefined || b === undefined || c === undefined) throw new TypeError();
  for (const event of [b, c, a]) client.publish(event);
  expect(client.say('REQ', 'a', { '#t': ['1'] }, { '#t': ['3', '1'] }, { kinds: [1], limit: 2 })).toEqual([
    ...got(a, b, c),
    ['EOSE', 'a'],
  ]);
  const live = note('live', { tags: [['t', '1']] });
  expect(client.publish(live)).toEqual([...got(live), ['OK', live.id, true, '']]);
});

it('RL18: limit 0 gives EOSE at once and then what comes; a missing or large limit is clamped', () => {
  const client = new ScriptedRelay({ limits: { maxLimit: 2, defaultLimit: 1 } }).connectOwner();
  for (const content of ['1', '2', '3']) client.publish(note(content));
  expect(client.say('REQ', 'a', { limit: 0 })).toEqual([['EOSE', 'a']]);
  const live = note('live');
  expect(client.publish(live)).toEqual([...got(live), ['OK', live.id, true, '']]);
  expect(client.say('REQ', 'a', {})).toHaveLength(1 + 1);
  expect(client.say('REQ', 'a', { limit: 1_000 })).toHaveLength(2 + 1);
});

it('RL18: an answer is bounded in bytes, newest first, over all filters together', () => {
  const client = new ScriptedRelay({ limits: { maxAnswerBytes: 2_000 } }).connectOwner();
  for (const n of [1, 2, 3, 4, 5, 6]) client.publish(note(`${n}`.repeat(500), { created_at: NOW - 10 + n }));
  const answer = client.say('REQ', 'a', { since: NOW - 6 }, { until: NOW - 7 });
  expect(answer.map((message) => (message[0] === 'EVENT' ? message[2].content[0] : message[0]))).toEqual([
    '6',
    '5',
    'EOSE',
  ]);
});

it('RL18: a REQ under an open id replaces it; CLOSE ends it; ids are per connection', () => {
  const relay = new ScriptedRelay();
  const client = relay.connectOwner();
  const other = relay.connectOwner(secondOwner);
  client.say('REQ', 'a', { kinds: [1] });
  other.say('REQ', 'a', { kinds: [1] });
  client.say('REQ', 'a', { kinds: [7] });
  const first = note('first');
  expect(client.publish(first)).toEqual([['OK', first.id, true, '']]);
  expect(other.take()).toEqual(got(first));
  expect(client.say('CLOSE', 'a')).toEqual([]);
  expect(client.say('CLOSE', 'never opened')).toEqual([]);
  const like = note('', { kind: 7 });
  expect(client.publish(like)).toEqual([['OK', like.id, true, '']]);
});

it('RL19: refuses with CLOSED and a machine-readable prefix, and what was open under that id is closed with it', () => {
  const client = new ScriptedRelay().connectOwner();
  const cases: [string, RegExp][] = [
    ['["REQ","a"]', /^invalid: /],
    ['["REQ","a",{"kinds":"1"}]', /^invalid: /],
    ['["REQ","a",{"authors":["npub1"]}]', /^invalid: /],
    ['["REQ","a",{"nope":1}]', /^unsupported: /],
    [`["REQ","a"${',{}'.repeat(17)}]`, /^invalid: .*16/],
  ];
  for (const [text, reason] of cases) {
    client.say('REQ', 'a', {});
    expect(client.sayText(text), text).toEqual([['CLOSED', 'a', expect.stringMatching(reason)]]);
    const event = note(text);
    expect(client.publish(event), text).toEqual([['OK', event.id, true, '']]);
    client.take();
  }
});

it('RL24: subscription ids have 1 to 64 characters', () => {
  const client = new ScriptedRelay().connectOwner();
  expect(client.sayText(`["REQ","${'x'.repeat(64)}",{}]`)).toEqual([['EOSE', 'x'.repeat(64)]]);
  for (const id of ['', 'x'.repeat(65)]) {
    expect(client.sayText(`["REQ","${id}",{}]`)).toEqual([
      ['CLOSED', id, expect.stringMatching(/^invalid: .*1 to 64/)],
    ]);
  }
});

it('RL24: bounds subscriptions per connection; replacing one is not opening one', () => {
  const client = new ScriptedRelay({ limits: { maxSubscriptions: 2 } }).connectOwner();
  for (const id of ['a', 'b', 'a']) expect(client.say('REQ', id, {})).toEqual([['EOSE', id]]);
  expect(client.say('REQ', 'c', {})).toEqual([['CLOSED', 'c', expect.stringMatching(/^error: .*2 subscriptions/)]]);
  client.say('CLOSE', 'a');
  expect(client.say('REQ', 'c', {})).toEqual([['EOSE', 'c']]);
});

it('RL25: bounds REQs per key and says how long to wait', () => {
  const relay = new ScriptedRelay({ limits: { requestsPerSec: 1, requestBurst: 1 } });
  const client = relay.connectOwner();
  expect(client.say('REQ', 'a', {})).toEqual([['EOSE', 'a']]);
  expect(client.say('REQ', 'a', {})).toEqual([
    ['CLOSED', 'a', expect.stringMatching(/^rate-limited: .*retry in 1 s$/)],
  ]);
  relay.nowMs += 1_000;
  expect(client.say('REQ', 'a', {})).toEqual([['EOSE', 'a']]);
});

it('RL19: a storage that fails closes the subscription with error, and the relay goes on', () => {
  const store = new MemoryStore();
  const relay = new ScriptedRelay({ store });
  const client = relay.connectOwner();
  store.query = () => {
    throw new Error('disk I/O error');
  };
  expect(client.say('REQ', 'a', {})).toEqual([['CLOSED', 'a', expect.stringMatching(/^error: /)]]);
  expect(relay.effects).toContainEqual(
    expect.objectContaining({ type: 'report', report: { type: 'query-failed', cause: expect.any(Error) } }),
  );
  expect(client.say('REQ', 'a', { limit: 0 })).toEqual([['EOSE', 'a']]);
});

it("RL8: others' frames and usage reach nobody else: by kind, id, author, tag or an empty filter, stored or live", () => {
  const relay = new ScriptedRelay();
  const sender = relay.connectAgent();
  const mine = relay.connectOwner();
  const other = relay.connectOwner(secondOwner);
  const frame = agent.sign(telemetry());
  const usage = agent.sign(template({ kind: 44_200, tags: [['p', owner.publicKey]] }));
  const filters = [
    {},
    { kinds: [24_200, 44_200] },
    { ids: [frame.id, usage.id] },
    { authors: [agent.publicKey] },
    { '#p': [owner.publicKey] },
    { '#p': [owner.publicKey, secondOwner.publicKey], kinds: [24_200, 44_200] },
  ];
  for (const [n, filter] of filters.entries()) {
    mine.say('REQ', `${n}`, filter);
    other.say('REQ', `${n}`, filter);
  }
  sender.publish(frame);
  sender.publish(usage);
  expect(mine.take()).toHaveLength(2 * filters.length);
  expect(other.take()).toEqual([]);
  for (const filter of filters) {
    expect(mine.say('REQ', 'again', filter)).toHaveLength(2);
    expect(other.say('REQ', 'again', filter)).toEqual([['EOSE', 'again']]);
    expect(sender.say('REQ', 'again', filter)).toHaveLength(2);
  }
});

it('RL33: a broadcast is one text for all connections that use the same subscription id', () => {
  const relay = new ScriptedRelay();
  const client = relay.connectOwner();
  const readers = [1, 2, 3].map(() => relay.connectOwner(secondOwner));
  for (const reader of readers) reader.say('REQ', 'a', {});
  client.publish(note('to all'));
  const broadcasts = relay.effects.filter((effect) => effect.type === 'broadcast');
  expect(broadcasts).toEqual([
    { type: 'broadcast', connections: readers.map((reader) => reader.connection), text: expect.any(String) },
  ]);
});
