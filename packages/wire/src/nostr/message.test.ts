import { selectNodeCrypto } from '@heliograph/crypto/node';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signEvent } from './event.ts';
import {
  type ClientMessage,
  encodeEventMessage,
  encodeMessage,
  parseClientMessage,
  parseOkPrefix,
  parseRelayMessage,
  type RelayMessage,
} from './message.ts';

const { crypto } = selectNodeCrypto();
const event = signEvent(
  { kind: 1, created_at: 5, tags: [['t', 'é']], content: 'x"\u2028' },
  new Uint8Array(32).fill(3),
  crypto,
);
const plain = JSON.parse(event.json);
const id = event.id;
const longSubId = 's'.repeat(65);

describe('parseClientMessage', () => {
  test.each<[string, ClientMessage]>([
    ['EVENT', ['EVENT', plain]],
    ['AUTH', ['AUTH', plain]],
    ['REQ', ['REQ', 'sub', {}, { kinds: [1], '#t': ['é'], limit: 3 }]],
    ['COUNT', ['COUNT', 'sub', { ids: [id] }]],
    ['CLOSE', ['CLOSE', 's'.repeat(64)]],
  ])('NO11: reads %s', (_, message) => {
    expect(parseClientMessage(encodeMessage(message))).toEqual({ ok: true, value: message });
    expect(parseClientMessage(` ${JSON.stringify(message, null, 2)}\n`)).toEqual({ ok: true, value: message });
  });

  test.each<[string, string, object]>([
    ['no JSON', 'hello', { code: 'bad-json' }],
    ['nothing', '', { code: 'bad-json' }],
    ['half an array', '["REQ","s"', { code: 'bad-json' }],
    ['an object', '{"type":"REQ"}', { code: 'malformed' }],
    ['an empty array', '[]', { code: 'unknown-type' }],
    ['a relay message', '["EOSE","s"]', { code: 'unknown-type' }],
    ['a verb that is no text', '[["REQ"],"s",{}]', { code: 'unknown-type' }],
    ['lower case', '["req","s",{}]', { code: 'unknown-type' }],
    ['REQ without filter', '["REQ","s"]', { code: 'malformed', subId: 's' }],
    ['REQ with a bad filter', '["REQ","s",{"kinds":[1]},{"ids":["x"]}]', { code: 'malformed', subId: 's' }],
    ['REQ with an unknown member', '["REQ","s",{"foo":1}]', { code: 'unsupported', subId: 's' }],
    ['COUNT with an unknown member', '["COUNT","s",{"foo":1}]', { code: 'unsupported', subId: 's' }],
    ['REQ with an empty id', '["REQ","",{}]', { code: 'malformed', subId: '' }],
    [
      'REQ with an id of 65 characters',
      JSON.stringify(['REQ', longSubId, {}]),
      { code: 'malformed', subId: longSubId },
    ],
    [
      'CLOSE with an id of 65 characters',
      JSON.stringify(['CLOSE', longSubId]),
      { code: 'malformed', subId: longSubId },
    ],
    [
      'a bad event with a readable id',
      JSON.stringify(['EVENT', { id, kind: 'x' }]),
      { code: 'malformed', eventId: id },
    ],
    [
      'a bad AUTH event with a readable id',
      JSON.stringify(['AUTH', { ...plain, sig: '' }]),
      { code: 'malformed', eventId: id },
    ],
  ])('NO12: %s says what can be answered', (_, text, error) => {
    expect(parseClientMessage(text)).toMatchObject({ ok: false, error });
  });

  test('NO12: ids that can not be read are left out', () => {
    for (const text of ['["REQ",5,{}]', '["EVENT",{"id":"short"}]', '["EVENT",null]', '["EVENT"]', '["CLOSE"]']) {
      const result = parseClientMessage(text);
      expect(result).toMatchObject({ ok: false, error: { code: 'malformed' } });
      expect(!result.ok && ('subId' in result.error || 'eventId' in result.error)).toBe(false);
    }
  });

  test('NO13: deep nesting, huge numbers and odd members are errors, not exceptions', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const deepObject = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    for (const value of [
      deep,
      deepObject,
      '1e999',
      '-1e999',
      `${'9'.repeat(400)}`,
      '"\\ud800"',
      '{"__proto__":{"kinds":[1]}}',
    ]) {
      for (const type of ['EVENT', 'REQ', 'COUNT', 'CLOSE', 'AUTH', 'OK']) {
        expect(parseClientMessage(`["${type}",${value},${value}]`).ok).toBe(false);
        expect(parseClientMessage(`["${type}","s",${value}]`).ok).toBe(type === 'CLOSE');
        expect(parseRelayMessage(`["${type}",${value},${value}]`).ok).toBe(false);
      }
      expect(parseClientMessage(value).ok).toBe(false);
    }
  });
});

describe('parseRelayMessage', () => {
  test.each<[string, RelayMessage]>([
    ['EVENT', ['EVENT', 'sub', plain]],
    ['OK', ['OK', id, false, 'blocked: no']],
    ['EOSE', ['EOSE', 'sub']],
    ['CLOSED', ['CLOSED', 'sub', 'error: x']],
    ['NOTICE', ['NOTICE', 'hello']],
    ['AUTH', ['AUTH', 'challenge']],
    ['COUNT', ['COUNT', 'sub', { count: 3 }]],
    ['an approximate COUNT', ['COUNT', 'sub', { count: 3, approximate: true }]],
  ])('NO11: reads %s', (_, message) => {
    expect(parseRelayMessage(encodeMessage(message))).toEqual({ ok: true, value: message });
  });

  test('NO11: an OK or CLOSED without its text reads as an empty text', () => {
    expect(parseRelayMessage(JSON.stringify(['OK', id, true]))).toEqual({ ok: true, value: ['OK', id, true, ''] });
    expect(parseRelayMessage('["CLOSED","s"]')).toEqual({ ok: true, value: ['CLOSED', 's', ''] });
  });

  test.each<[string, object]>([
    ['nope', { code: 'bad-json' }],
    ['["REQ","s",{}]', { code: 'unknown-type' }],
    [JSON.stringify(['EVENT', 's', { id, kind: 1 }]), { code: 'malformed', subId: 's', eventId: id }],
    [JSON.stringify(['EVENT', '', plain]), { code: 'malformed' }],
    [JSON.stringify(['OK', id, 'true', '']), { code: 'malformed', eventId: id }],
    [JSON.stringify(['OK', id, true, 5]), { code: 'malformed', eventId: id }],
    ['["OK","short",true,""]', { code: 'malformed' }],
    ['["EOSE"]', { code: 'malformed' }],
    ['["CLOSED","s",5]', { code: 'malformed', subId: 's' }],
    ['["NOTICE",{}]', { code: 'malformed' }],
    ['["AUTH"]', { code: 'malformed' }],
    ['["COUNT","s",{"count":-1}]', { code: 'malformed', subId: 's' }],
    ['["COUNT","s",null]', { code: 'malformed', subId: 's' }],
  ])('NO12: %s is an error', (text, error) => {
    expect(parseRelayMessage(text)).toMatchObject({ ok: false, error });
  });
});

test('NO13: no text makes a parser throw', () => {
  const shaped = fc
    .tuple(
      fc.constantFrom('EVENT', 'REQ', 'COUNT', 'CLOSE', 'AUTH', 'OK', 'EOSE', 'CLOSED', 'NOTICE'),
      fc.array(fc.jsonValue()),
    )
    .map(([type, rest]) => JSON.stringify([type, ...rest]));
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), shaped), (text) => {
      expect(parseClientMessage(text)).toHaveProperty('ok');
      expect(parseRelayMessage(text)).toHaveProperty('ok');
    }),
    { numRuns: 500 },
  );
});

test('NO11: encodeEventMessage splices the event’s own text', () => {
  const text = encodeEventMessage('a"b', event.json);
  expect(text.endsWith(`,${event.json}]`)).toBe(true);
  expect(parseRelayMessage(text)).toEqual({ ok: true, value: ['EVENT', 'a"b', plain] });
});

test('NO14: the machine-readable prefix is what stands before the colon, if NIP-01 knows it', () => {
  expect(parseOkPrefix('rate-limited: retry in 3 s')).toBe('rate-limited');
  expect(parseOkPrefix('mute: no one was listening')).toBe('mute');
  expect(parseOkPrefix('auth-required:')).toBe('auth-required');
  for (const none of ['', 'invalid', 'Invalid: x', 'something: x', ' error: x', 'toString: x'])
    expect(parseOkPrefix(none)).toBeUndefined();
});
