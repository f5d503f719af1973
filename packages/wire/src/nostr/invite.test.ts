import { selectNodeCrypto } from '@heliograph/crypto/node';
import { bech32m } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hexEncode } from './bytes.ts';
import { encodeInvite, type Invite, MAX_INVITE_LENGTH, parseInvite } from './invite.ts';
import { attest } from './nip-oa.ts';
import { encodeNsec } from './nip19.ts';

const { crypto } = selectNodeCrypto();
const ownerSecret = new Uint8Array(32).fill(9);
const owner = hexEncode(crypto.publicKey(ownerSecret));
const secretKey = new Uint8Array(32).fill(7);
const agent = hexEncode(crypto.publicKey(secretKey));
const invite: Invite = {
  relays: ['ws://192.168.1.5:7447', 'wss://relay.example/path?x=1'],
  secretKey,
  owner,
  name: 'Büro 🏠',
  authTag: attest(ownerSecret, agent, 'created_at<1830000000', crypto),
};
const token = encodeInvite(invite);

function codeOf(text: string): string {
  const result = parseInvite(text, crypto);
  return result.ok ? 'ok' : result.error.code;
}

/** The token around changed bytes, with a checksum that fits them. */
function retoken(change: (bytes: Uint8Array) => Uint8Array | undefined): string {
  const bytes = bech32m.fromWords(bech32m.decode(token, false).words);
  return bech32m.encode('helio', bech32m.toWords(change(bytes) ?? bytes), false);
}

describe('invite', () => {
  test('NO24: one token of plain letters and digits, read back as it was', () => {
    expect(token).toMatch(/^helio1[a-z0-9]+$/);
    expect(token.length).toBeLessThan(450);
    expect(parseInvite(token, crypto)).toEqual({ ok: true, value: invite });
    const { name: _, ...nameless } = invite;
    expect(parseInvite(encodeInvite(nameless), crypto)).toEqual({ ok: true, value: nameless });
  });

  test('NO24: whitespace that a terminal or mail put in, and capitals, do not matter', () => {
    expect(parseInvite(`  ${token.slice(0, 80)}\r\n  ${token.slice(80)}\n`, crypto)).toEqual({
      ok: true,
      value: invite,
    });
    expect(parseInvite(token.toUpperCase(), crypto)).toEqual({ ok: true, value: invite });
  });

  test('NO24: any relays, name and conditions come back', () => {
    const names = fc
      .string({ unit: 'grapheme', maxLength: 30 })
      .filter((name) => name !== '' && !/\p{Cc}/u.test(name) && [...name].length <= 64);
    const relays = fc.array(
      fc.webUrl().map((url) => url.replace('http', 'ws')),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(
        relays,
        names,
        fc.constantFrom('', 'kind=24200', 'created_at<5&created_at>1'),
        (urls, name, conditions) => {
          const given = {
            relays: urls,
            secretKey,
            owner,
            name,
            authTag: attest(ownerSecret, agent, conditions, crypto),
          };
          expect(parseInvite(encodeInvite(given), crypto)).toEqual({ ok: true, value: given });
        },
      ),
      { numRuns: 50 },
    );
  });

  test('NO25: a paste cut anywhere, or with a character changed, is told by the checksum', () => {
    for (let length = 6; length < token.length; length++) expect(codeOf(token.slice(0, length))).toBe('checksum');
    for (let at = 6; at < token.length; at++) {
      expect(codeOf(token.slice(0, at) + (token[at] === 'q' ? 'p' : 'q') + token.slice(at + 1))).toBe('checksum');
    }
    expect(codeOf(`${token}${token}`)).toBe('checksum');
    expect(codeOf(`${token}q`)).toBe('checksum');
    expect(codeOf(`${token.slice(0, 9).toUpperCase()}${token.slice(9)}`)).toBe('checksum');
    expect(codeOf(`helio1${'q'.repeat(MAX_INVITE_LENGTH)}`)).toBe('checksum');
  });

  test('NO25: what is something else says so', () => {
    for (const text of [
      '',
      'hello',
      encodeNsec(secretKey),
      hexEncode(secretKey),
      token.slice(1),
      'ws://relay.example',
    ]) {
      expect(codeOf(text)).toBe('not-an-invite');
    }
    expect(codeOf(retoken((bytes) => bytes.fill(2, 0, 1)))).toBe('version');
    expect(codeOf(bech32m.encode('helio', bech32m.toWords(Uint8Array.of(1)), false))).toBe('malformed');
    expect(codeOf(retoken((bytes) => bytes.subarray(0, -1)))).toBe('malformed');
    expect(codeOf(retoken((bytes) => Uint8Array.of(...bytes, 0)))).toBe('malformed');
    expect(codeOf(retoken((bytes) => bytes.subarray(0, 129)))).toBe('malformed');
    expect(codeOf(retoken((bytes) => bytes.fill(0xff, bytes.length - 3)))).toBe('malformed');
  });

  test('NO26: every part is checked', () => {
    expect(codeOf(retoken((bytes) => bytes.fill(0, 1, 33)))).toBe('secret-key');
    expect(codeOf(retoken((bytes) => bytes.fill(0xff, 1, 33)))).toBe('secret-key');
    expect(codeOf(retoken((bytes) => bytes.fill(8, 1, 33)))).toBe('auth-tag');
    expect(codeOf(retoken((bytes) => bytes.fill(8, 33, 65)))).toBe('auth-tag');
    expect(codeOf(retoken((bytes) => bytes.fill(8, 65, 129)))).toBe('auth-tag');
    // The last relay's text starts right behind its two length bytes; 'http' in place of 'wss:' is no relay.
    const at = bech32m.fromWords(bech32m.decode(token, false).words).length - 'wss://relay.example/path?x=1'.length;
    expect(codeOf(retoken((bytes) => bytes.fill(0x68, at, at + 1)))).toBe('relay');
  });

  test.each<[string, Partial<Invite>]>([
    ['no relay', { relays: [] }],
    ['a web address', { relays: ['https://relay.example'] }],
    ['a relay with credentials', { relays: ['wss://me:secret@relay.example'] }],
    ['17 relays', { relays: Array(17).fill('ws://x') }],
    ['a relay URL that never ends', { relays: [`ws://x/${'y'.repeat(1_024)}`] }],
    ['a zero key', { secretKey: new Uint8Array(32) }],
    ['another owner', { owner: agent }],
    ['an owner that is no key', { owner: 'x' }],
    ['a name of 65 characters', { name: 'x'.repeat(65) }],
    ['a name that controls a terminal', { name: '\u001b[2J' }],
    ['a name with half a character', { name: '\ud83d' }],
    ['a broken tag', { authTag: ['auth', owner, 'kind=01', '0'.repeat(128)] }],
  ])('NO26: %s is not encoded', (_, change) => {
    expect(() => encodeInvite({ ...invite, ...change })).toThrow(RangeError);
  });

  test('NO26: conditions too long for a token are not encoded', () => {
    const conditions = Array(3_000).fill('kind=1').join('&');
    expect(() => encodeInvite({ ...invite, authTag: attest(ownerSecret, agent, conditions, crypto) })).toThrow(
      RangeError,
    );
  });

  test('NO27: no message repeats any of the token or the key', () => {
    const secrets = [hexEncode(secretKey), encodeNsec(secretKey)];
    const texts = [
      token.slice(0, -1),
      token.slice(1),
      retoken((bytes) => bytes.fill(2, 0, 1)),
      retoken((bytes) => bytes.fill(8, 65, 129)),
      retoken((bytes) => bytes.subarray(0, -1)),
      ...secrets,
    ];
    for (const text of texts) {
      const result = parseInvite(text, crypto);
      const message = result.ok ? expect.fail('should not parse') : result.error.message;
      for (const secret of [text, ...secrets]) {
        for (let at = 6; at + 8 <= secret.length; at++) expect(message).not.toContain(secret.slice(at, at + 8));
      }
    }
  });

  test('NO25: no text makes the parser throw', () => {
    const words = fc
      .uint8Array({ maxLength: 300 })
      .map((bytes) => bech32m.encode('helio', bech32m.toWords(bytes), false));
    const versioned = fc
      .uint8Array({ maxLength: 300 })
      .map((bytes) => bech32m.encode('helio', bech32m.toWords(Uint8Array.of(1, ...bytes)), false));
    const prefixed = fc.string({ unit: 'binary' }).map((text) => `helio1${text}`);
    fc.assert(
      fc.property(fc.oneof(fc.string(), prefixed, words, versioned), (text) => {
        expect(parseInvite(text, crypto).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});
