import { selectNodeCrypto } from '@heliograph/crypto/node';
import { describe, expect, test } from 'vitest';
import {
  beginVerification,
  type EventError,
  isAddressable,
  isEphemeral,
  isReplaceable,
  type NostrEvent,
  parseEvent,
  signEvent,
  tagValue,
  VerifiedEvent,
  verifyEvent,
} from './event.ts';

const { crypto } = selectNodeCrypto();
const secretKey = new Uint8Array(32).fill(7);
const template = {
  kind: 1,
  created_at: 1_700_000_000,
  tags: [
    ['t', 'x', ''],
    ['p', 'ab'.repeat(32)],
  ],
  content: 'hé\n"\\\u2028\u0001\u007f😀',
};
const signed = signEvent(template, secretKey, crypto);

function plainCopy(event: NostrEvent): { -readonly [member in keyof NostrEvent]: NostrEvent[member] } {
  return JSON.parse(JSON.stringify(event));
}

function codeOf(event: unknown): EventError['code'] | undefined {
  const result = verifyEvent(event as NostrEvent, crypto);
  return result.ok ? undefined : result.error.code;
}

describe('verifyEvent', () => {
  test('NO2: accepts what was signed', () => {
    const verified = verifyEvent(plainCopy(signed), crypto);
    expect(verified.ok && { ...verified.value }).toEqual({ ...signed });
  });

  test.each([
    ['content', 'forged'],
    ['created_at', 1_700_000_001],
    ['kind', 2],
    ['tags', [['t', 'x']]],
    ['pubkey', 'ab'.repeat(32)],
    ['id', '00'.repeat(32)],
  ])('NO2: a changed %s is bad-id', (member, value) => {
    expect(codeOf({ ...signed, [member]: value })).toBe('bad-id');
  });

  test('NO2: a signature by another key or over another event is bad-signature', () => {
    const other = signEvent({ ...template, content: 'other' }, secretKey, crypto);
    const stranger = signEvent(template, new Uint8Array(32).fill(9), crypto);
    expect(codeOf({ ...signed, sig: other.sig })).toBe('bad-signature');
    expect(codeOf({ ...signed, sig: stranger.sig })).toBe('bad-signature');
    expect(codeOf({ ...signed, sig: '0'.repeat(128) })).toBe('bad-signature');
  });

  test('NO2: trusts nothing that the object carries', () => {
    const marked = Object.assign(Object.create(VerifiedEvent.prototype), plainCopy(signed), { content: 'forged' });
    expect(codeOf(marked)).toBe('bad-id');
    // nostr-tools marks verified events with a symbol that a spread copy keeps.
    expect(codeOf({ ...signed, content: 'forged', [Symbol('verified')]: true })).toBe('bad-id');
    let reads = 0;
    const shifting = {
      ...signed,
      get content() {
        reads += 1;
        return reads === 1 ? template.content : 'forged';
      },
    };
    const verified = verifyEvent(shifting, crypto);
    expect(verified.ok && verified.value.content).toBe(template.content);
  });

  test('NO2: beginVerification checks the id and gives what is signed; the answer settles it', () => {
    const pending = beginVerification(signed, crypto);
    if (!pending.ok) throw new Error(pending.error.message);
    const { sig64, hash32, xOnlyPublicKey, settle } = pending.value;
    expect([sig64, hash32, xOnlyPublicKey].map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual([
      signed.sig,
      signed.id,
      signed.pubkey,
    ]);
    const held = settle(true);
    expect(held.ok && VerifiedEvent.is(held.value) && held.value.json).toBe(signed.json);
    expect(settle(false)).toMatchObject({ ok: false, error: { code: 'bad-signature' } });
    expect(beginVerification({ ...signed, content: '' }, crypto)).toMatchObject({
      ok: false,
      error: { code: 'bad-id' },
    });
  });

  test('NO2: an event that was parsed is verified as it is, and a changed copy of it is not', () => {
    const parsed = parseEvent(plainCopy(signed));
    if (!parsed.ok) throw new Error(parsed.error.message);
    expect(() => Object.assign(parsed.value, { content: 'forged' })).toThrow(TypeError);
    expect(() => (parsed.value.tags[0] as string[]).push('x')).toThrow(TypeError);
    expect(verifyEvent(parsed.value, crypto).ok).toBe(true);
    expect(codeOf({ ...parsed.value, content: 'forged' })).toBe('bad-id');
    const pretender = Object.assign(Object.create(Object.getPrototypeOf(parsed.value)), plainCopy(signed), {
      kind: -1,
    });
    expect(codeOf(pretender)).toBe('malformed');
  });
});

describe('VerifiedEvent', () => {
  test('NO3: a literal, a spread copy and a parsed event are not one for the compiler', () => {
    const needsVerified = (event: VerifiedEvent): string => event.id;
    // @ts-expect-error a spread copy has lost the private field
    needsVerified({ ...signed });
    // @ts-expect-error an event of the right shape is not verified
    needsVerified(plainCopy(signed));
    // @ts-expect-error a literal with a json member is still not one
    needsVerified({ ...plainCopy(signed), json: '{}' });
    expect(needsVerified(signed)).toBe(signed.id);
  });

  test('NO3: a forged one fails at run time', () => {
    const forged: VerifiedEvent = Object.assign(Object.create(VerifiedEvent.prototype), plainCopy(signed));
    expect(forged).toBeInstanceOf(VerifiedEvent);
    expect(VerifiedEvent.is(forged)).toBe(false);
    expect(VerifiedEvent.is(structuredClone({ ...signed }))).toBe(false);
    expect(VerifiedEvent.is(null)).toBe(false);
    expect(VerifiedEvent.is(signed)).toBe(true);
    expect(() => forged.json).toThrow(TypeError);
    const Constructor = VerifiedEvent as unknown as new (...args: unknown[]) => VerifiedEvent;
    expect(() => new Constructor(Symbol('mint'), signed, '{}')).toThrow(TypeError);
  });

  test('NO3: nobody can change it after it was verified, not even through what was passed in', () => {
    const source = plainCopy(signed);
    const verified = verifyEvent(source, crypto);
    (source.tags as string[][])[0]?.push('later');
    expect(verified.ok && verified.value.tags).toEqual(template.tags);
    expect(() => Object.assign(signed, { content: 'forged' })).toThrow(TypeError);
    expect(() => (signed.tags as string[][]).push([])).toThrow(TypeError);
    expect(() => (signed.tags[0] as string[]).push('x')).toThrow(TypeError);
  });

  test('NO4: json is canonical: the seven members in order, as JSON.stringify writes them', () => {
    const { id, pubkey, created_at, kind, tags, content, sig } = signed;
    expect(signed.json).toBe(JSON.stringify({ id, pubkey, created_at, kind, tags, content, sig }));
    expect(JSON.stringify(signed)).toBe(signed.json);
    const again = verifyEvent(JSON.parse(signed.json), crypto);
    expect(again.ok && again.value.json).toBe(signed.json);
  });

  test('NO4: of duplicate members only the verified one travels on', () => {
    const text = signed.json.replace('"content":', '"content":"shadow","content":');
    const verified = verifyEvent(JSON.parse(text), crypto);
    expect(verified.ok && verified.value.json).toBe(signed.json);
  });
});

describe('parseEvent', () => {
  test('NO5: keeps the seven members and drops the rest', () => {
    expect(parseEvent({ ...signed, extra: 1, json: '{}' })).toEqual({ ok: true, value: plainCopy(signed) });
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a string', 'x'],
    ['an array', [plainCopy(signed)]],
    ...Object.keys(plainCopy(signed)).map((member): [string, unknown] => [
      `no ${member}`,
      { ...signed, [member]: undefined },
    ]),
    ['upper-case id', { ...signed, id: signed.id.toUpperCase() }],
    ['short id', { ...signed, id: signed.id.slice(1) }],
    ['long pubkey', { ...signed, pubkey: `${signed.pubkey}00` }],
    ['short sig', { ...signed, sig: signed.id }],
    ['sig with a newline', { ...signed, sig: `${signed.sig.slice(1)}\n` }],
    ['kind -1', { ...signed, kind: -1 }],
    ['kind 65536', { ...signed, kind: 65_536 }],
    ['kind 1.5', { ...signed, kind: 1.5 }],
    ['kind as text', { ...signed, kind: '1' }],
    ['kind infinite', { ...signed, kind: JSON.parse('1e400') }],
    ['created_at negative', { ...signed, created_at: -1 }],
    ['created_at over 2^53-1', { ...signed, created_at: 2 ** 53 }],
    ['created_at a fraction', { ...signed, created_at: 0.5 }],
    ['created_at null', { ...signed, created_at: null }],
    ['tags an object', { ...signed, tags: {} }],
    ['an empty tag', { ...signed, tags: [[]] }],
    ['a number in a tag', { ...signed, tags: [['t', 1]] }],
    ['null in a tag', { ...signed, tags: [['t', null]] }],
    ['a nested tag', { ...signed, tags: [[['t']]] }],
    ['a lone surrogate in a tag', { ...signed, tags: [['t', '\ud83d']] }],
    ['a lone surrogate in content', { ...signed, content: 'a\udc00' }],
    ['content an array', { ...signed, content: ['x'] }],
  ])('NO5: %s is malformed', (_, value) => {
    expect(parseEvent(value)).toMatchObject({ ok: false, error: { code: 'malformed' } });
    expect(codeOf(value)).toBe('malformed');
  });

  test('NO5: the outermost numbers and empty texts are fine, and -0 is 0', () => {
    for (const edge of [
      { kind: 0, created_at: 0, tags: [], content: '' },
      { kind: 65_535, created_at: Number.MAX_SAFE_INTEGER, tags: [['']], content: '\u0000\ufffd' },
    ]) {
      const event = signEvent(edge, secretKey, crypto);
      expect(verifyEvent(JSON.parse(event.json), crypto).ok).toBe(true);
    }
    const parsed = parseEvent({ ...signed, kind: -0, created_at: -0 });
    expect(parsed.ok && [parsed.value.kind, parsed.value.created_at]).toEqual([0, 0]);
  });
});

describe('signEvent', () => {
  test('NO6: refuses a template that is not of NIP-01, and keys that are none', () => {
    expect(() => signEvent({ ...template, kind: 70_000 }, secretKey, crypto)).toThrow(TypeError);
    expect(() => signEvent({ ...template, content: '\ud800' }, secretKey, crypto)).toThrow(TypeError);
    expect(() => signEvent({ ...template, tags: [[]] }, secretKey, crypto)).toThrow(TypeError);
    expect(() => signEvent(template, new Uint8Array(32), crypto)).toThrow(RangeError);
    expect(() => signEvent(template, new Uint8Array(31).fill(1), crypto)).toThrow(RangeError);
  });
});

test('NO7: kinds fall into NIP-01’s classes', () => {
  const classes = (kind: number) => [isReplaceable(kind), isEphemeral(kind), isAddressable(kind)];
  for (const kind of [1, 2, 4, 9_999, 40_000, 44_200, 65_535]) expect(classes(kind)).toEqual([false, false, false]);
  for (const kind of [0, 3, 10_000, 19_999]) expect(classes(kind)).toEqual([true, false, false]);
  for (const kind of [20_000, 24_200, 29_999]) expect(classes(kind)).toEqual([false, true, false]);
  for (const kind of [30_000, 39_999]) expect(classes(kind)).toEqual([false, false, true]);
});

test('NO7: tagValue is the second item of the first tag of that name', () => {
  expect(tagValue({ ...template, tags: [['d'], ['t', 'a'], ['t', 'b']] }, 't')).toBe('a');
  expect(tagValue({ ...template, tags: [['d'], ['d', 'x']] }, 'd')).toBeUndefined();
  expect(tagValue(template, 'z')).toBeUndefined();
});
