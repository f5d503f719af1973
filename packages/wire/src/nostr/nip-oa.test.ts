import { readFileSync } from 'node:fs';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hexDecode, hexEncode } from './bytes.ts';
import {
  type AuthTag,
  attest,
  type Conditions,
  conditionsHold,
  expiresAtSec,
  findAuthTag,
  parseAuthTag,
  parseConditions,
  verifyAuthTag,
} from './nip-oa.ts';

const { crypto } = selectNodeCrypto();
const vector = JSON.parse(readFileSync(new URL('../../../../fixtures/vectors/nip-oa.json', import.meta.url), 'utf8'));
const owner = hexDecode(vector.owner_secret);
const tag: AuthTag = ['auth', vector.owner_pubkey, vector.conditions, vector.sig];

function conditionsOf(text: string): Conditions {
  const parsed = parseConditions(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

describe('the auth tag (NIP-OA)', () => {
  test('NO21: the draft’s vector verifies for its agent and owner', () => {
    expect(verifyAuthTag(tag, vector.agent_pubkey, crypto)).toEqual({
      ok: true,
      value: { owner: vector.owner_pubkey, conditions: conditionsOf(vector.conditions) },
    });
  });

  test('NO21: what an owner attests verifies, for that agent and those conditions only', () => {
    const made = attest(owner, vector.agent_pubkey, 'created_at<5', crypto);
    expect(verifyAuthTag(made, vector.agent_pubkey, crypto).ok).toBe(true);
    const other = hexEncode(crypto.publicKey(new Uint8Array(32).fill(3)));
    const [name, ownerHex, , sig] = made;
    for (const [changed, agent] of [
      [made, other],
      [[name, ownerHex, 'created_at<6', sig], vector.agent_pubkey],
      [[name, ownerHex, '', sig], vector.agent_pubkey],
      [[name, other, 'created_at<5', sig], vector.agent_pubkey],
      [[name, ownerHex, 'created_at<5', '0'.repeat(128)], vector.agent_pubkey],
    ] as [AuthTag, string][]) {
      expect(verifyAuthTag(changed, agent, crypto)).toMatchObject({ ok: false, error: { code: 'bad-signature' } });
    }
  });

  test('NO21: a key can not vouch for itself', () => {
    expect(() => attest(owner, vector.owner_pubkey, '', crypto)).toThrow(RangeError);
    const self = verifyAuthTag(tag, vector.owner_pubkey, crypto);
    expect(self).toMatchObject({ ok: false, error: { code: 'self-attestation' } });
  });

  test('NO21: attesting refuses bad arguments', () => {
    expect(() => attest(owner, vector.agent_pubkey.toUpperCase(), '', crypto)).toThrow(RangeError);
    expect(() => attest(owner, vector.agent_pubkey, 'kind=01', crypto)).toThrow(RangeError);
    expect(() => attest(new Uint8Array(32), vector.agent_pubkey, '', crypto)).toThrow(RangeError);
  });

  test.each<[string, unknown]>([
    ['no array', 'auth'],
    ['three elements', tag.slice(0, 3)],
    ['five elements', [...tag, '']],
    ['another name', ['Auth', ...tag.slice(1)]],
    ['an upper-case owner', ['auth', tag[1].toUpperCase(), tag[2], tag[3]]],
    ['a short signature', ['auth', tag[1], tag[2], tag[3].slice(2)]],
    ['conditions that are no text', ['auth', tag[1], 5, tag[3]]],
  ])('NO21: %s is malformed', (_, value) => {
    expect(parseAuthTag(value)).toMatchObject({ ok: false, error: { code: 'malformed' } });
    expect(verifyAuthTag(value as AuthTag, vector.agent_pubkey, crypto)).toMatchObject({
      ok: false,
      error: { code: 'malformed' },
    });
  });

  test('NO21: an event may have one, and a second makes both invalid', () => {
    const event = { kind: 1, created_at: 1, content: '', tags: [['p', 'x'], tag] };
    expect(findAuthTag(event)).toEqual({ ok: true, value: tag });
    expect(findAuthTag({ ...event, tags: [['p', 'x']] })).toEqual({ ok: true, value: undefined });
    expect(findAuthTag({ ...event, tags: [tag, tag] })).toMatchObject({ ok: false, error: { code: 'duplicate' } });
    expect(findAuthTag({ ...event, tags: [tag, ['auth']] })).toMatchObject({ ok: false, error: { code: 'duplicate' } });
    expect(findAuthTag({ ...event, tags: [['auth', 'x']] })).toMatchObject({ ok: false, error: { code: 'malformed' } });
  });
});

describe('conditions (NIP-OA)', () => {
  test.each([
    '',
    'kind=0',
    'kind=65535',
    'created_at<0',
    'created_at>4294967295',
    'kind=1&created_at<1713957000',
    'created_at<9&kind=1&created_at>2&kind=1',
  ])('NO22: %j is canonical, and its order is kept', (text) => {
    const { clauses, text: kept } = conditionsOf(text);
    expect(kept).toBe(text);
    expect(clauses.map(({ field, op, value }) => `${field}${op}${value}`).join('&')).toBe(text);
  });

  test.each([
    'kind=1&',
    '&kind=1',
    'kind=1&&kind=2',
    'kind=01',
    'kind=',
    'kind=65536',
    'kind=-1',
    'kind=1.0',
    'kind=1e3',
    'kind=+1',
    'kind=0x1',
    'kind<5',
    'Kind=1',
    'created_at=5',
    'created_at<=5',
    'created_at<4294967296',
    'created_at<00',
    'created_at<99999999999999999999',
    'created_at< 5',
    ' kind=1',
    'kind=1 ',
    'kind=1\n',
    'kind=１',
    'pubkey=1',
    'kind=1,kind=2',
  ])('NO22: %j is invalid', (text) => {
    expect(parseConditions(text)).toMatchObject({ ok: false, error: { code: 'bad-conditions' } });
    expect(parseAuthTag(['auth', tag[1], text, tag[3]])).toMatchObject({
      ok: false,
      error: { code: 'bad-conditions' },
    });
  });

  test('NO23: all clauses must hold, with strict bounds', () => {
    const conditions = conditionsOf('kind=1&created_at<10&created_at>5');
    expect(conditionsHold(conditions, { kind: 1, createdAtSec: 9 })).toBe(true);
    expect(conditionsHold(conditions, { kind: 1, createdAtSec: 6 })).toBe(true);
    for (const event of [
      { kind: 2, createdAtSec: 9 },
      { kind: 1, createdAtSec: 10 },
      { kind: 1, createdAtSec: 5 },
    ]) {
      expect(conditionsHold(conditions, event)).toBe(false);
    }
    expect(conditionsHold(conditionsOf('kind=1&kind=2'), { kind: 1, createdAtSec: 0 })).toBe(false);
    expect(conditionsHold(conditionsOf(''), { kind: 1, createdAtSec: 0 })).toBe(true);
  });

  test('NO23: without a kind, as for AUTH, kind clauses are not evaluated', () => {
    expect(conditionsHold(conditionsOf('kind=1&created_at<10'), { createdAtSec: 9 })).toBe(true);
    expect(conditionsHold(conditionsOf('kind=1&created_at<10'), { createdAtSec: 10 })).toBe(false);
  });

  test('NO23: they expire with the smallest created_at<', () => {
    expect(expiresAtSec(conditionsOf('created_at<30&created_at<20&created_at>5'))).toBe(20);
    expect(expiresAtSec(conditionsOf('kind=1&created_at>5'))).toBeUndefined();
    expect(expiresAtSec(conditionsOf(''))).toBeUndefined();
  });

  test('NO22: no text makes the parser throw', () => {
    const near = fc
      .array(fc.constantFrom('kind=', 'created_at<', 'created_at>', '&', '0', '1', '9', ' '))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string(), near), (text) => {
        const parsed = parseConditions(text);
        if (parsed.ok) expect(parsed.value.text).toBe(text);
      }),
    );
  });
});
