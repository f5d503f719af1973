import { expect, it } from 'vitest';
import { owner, ScriptedRelay, template } from './testing/scripted-relay.ts';

it.each([
  ['', /^invalid: /],
  ['hello', /^invalid: /],
  ['{}', /^invalid: /],
  ['[]', /^invalid: /],
  ['["NOPE"]', /^invalid: .*NOPE/],
  ['[["EVENT"]]', /^invalid: /],
  ['["EVENT"]', /^invalid: /],
  ['["EVENT",{"kind":1}]', /^invalid: /],
  ['["CLOSE"]', /^invalid: /],
  ['["REQ",5,{}]', /^invalid: /],
  [`["REQ","${'x'.repeat(2_000)}",{}]`, /^invalid: .*64/],
  [`${'['.repeat(100_000)}`, /^invalid: /],
  [`["REQ",${'['.repeat(60_000)}${']'.repeat(60_000)}]`, /^invalid: /],
  ['["EVENT",{"id":1e999}]', /^invalid: /],
])('RL32: answers what can not be read with a NOTICE and goes on: %s', (text, reason) => {
  const client = new ScriptedRelay().connectOwner();
  expect(client.sayText(text)).toEqual([['NOTICE', expect.stringMatching(reason)]]);
  expect(client.say('REQ', 'a', {})).toEqual([['EOSE', 'a']]);
});

it('RL32: answers a broken event with OK false under its id, and a broken subscription id with CLOSED', () => {
  const client = new ScriptedRelay().connectOwner();
  const { id, pubkey, created_at, kind, content, sig } = owner.sign(template({}));
  const broken = JSON.stringify(['EVENT', { id, pubkey, created_at, kind, tags: [[1]], content, sig }]);
  expect(client.sayText(broken)).toEqual([['OK', id, false, expect.stringMatching(/^invalid: /)]]);
});

it('RL32: the last of duplicate members counts, and what is passed on has each once', () => {
  const client = new ScriptedRelay().connectOwner();
  const event = owner.sign(template({ content: 'true' }));
  client.say('REQ', 'a', {});
  const text = `["EVENT",${event.json.replace('{', '{"content":"false","extra":1,')}]`;
  expect(client.sayText(text)).toEqual([
    ['EVENT', 'a', JSON.parse(event.json)],
    ['OK', event.id, true, ''],
  ]);
});
