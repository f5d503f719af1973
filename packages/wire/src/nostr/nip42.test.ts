import { selectNodeCrypto } from '@heliograph/crypto/node';
import { makeAuthEvent } from 'nostr-tools/nip42';
import { describe, expect, test } from 'vitest';
import { type EventTemplate, signEvent } from './event.ts';
import { attest, findAuthTag } from './nip-oa.ts';
import { authTemplate, checkAuthEvent, KIND_AUTH, MAX_AUTH_SKEW_SEC } from './nip42.ts';

const { crypto } = selectNodeCrypto();
const secretKey = new Uint8Array(32).fill(7);
const relayUrl = 'ws://127.0.0.1:7447';
const nowSec = 1_800_000_000;
const expected = { challenge: 'c1', relayUrls: ['wss://relay.example', relayUrl], nowSec };
const good = authTemplate({ relayUrl: `${relayUrl}/`, challenge: 'c1', createdAtSec: nowSec });

function check(template: EventTemplate) {
  const result = checkAuthEvent(signEvent(template, secretKey, crypto), expected);
  return result.ok ? 'ok' : result.error.code;
}

describe('AUTH (NIP-42)', () => {
  test('NO16: the template is nostr-tools’, and is accepted', () => {
    const theirs = makeAuthEvent(relayUrl, 'c1');
    expect(authTemplate({ relayUrl, challenge: 'c1', createdAtSec: theirs.created_at })).toEqual(theirs);
    expect(check(good)).toBe('ok');
    expect(check({ ...theirs, created_at: nowSec })).toBe('ok');
  });

  test('NO16: an agent’s carries its owner’s tag', () => {
    const owner = new Uint8Array(32).fill(9);
    const agent = signEvent(good, secretKey, crypto).pubkey;
    const authTag = attest(owner, agent, '', crypto);
    const template = authTemplate({ relayUrl, challenge: 'c1', createdAtSec: nowSec, authTag });
    expect(check(template)).toBe('ok');
    expect(findAuthTag(template)).toEqual({ ok: true, value: authTag });
  });

  test.each<[string, Partial<EventTemplate>, string]>([
    ['another kind', { kind: 1 }, 'wrong-kind'],
    [
      'another challenge',
      {
        tags: [
          ['relay', relayUrl],
          ['challenge', 'c2'],
        ],
      },
      'wrong-challenge',
    ],
    ['no challenge', { tags: [['relay', relayUrl]] }, 'wrong-challenge'],
    [
      'two challenges',
      {
        tags: [
          ['relay', relayUrl],
          ['challenge', 'c1'],
          ['challenge', 'c2'],
        ],
      },
      'wrong-challenge',
    ],
    [
      'another relay',
      {
        tags: [
          ['relay', 'ws://evil.example'],
          ['challenge', 'c1'],
        ],
      },
      'wrong-relay',
    ],
    ['no relay', { tags: [['challenge', 'c1']] }, 'wrong-relay'],
    [
      'two relays',
      {
        tags: [
          ['relay', relayUrl],
          ['relay', 'ws://evil.example'],
          ['challenge', 'c1'],
        ],
      },
      'wrong-relay',
    ],
    ['a relay tag without a URL', { tags: [['relay'], ['challenge', 'c1']] }, 'wrong-relay'],
    ['a time 61 s ago', { created_at: nowSec - MAX_AUTH_SKEW_SEC - 1 }, 'clock-skew'],
    ['a time 61 s ahead', { created_at: nowSec + MAX_AUTH_SKEW_SEC + 1 }, 'clock-skew'],
  ])('NO16: %s is refused', (_, change, code) => {
    expect(check({ ...good, ...change })).toBe(code);
  });

  test('NO16: exactly 60 s of skew is accepted, and more says how much and on which side', () => {
    expect(check({ ...good, created_at: nowSec - MAX_AUTH_SKEW_SEC })).toBe('ok');
    expect(check({ ...good, created_at: nowSec + MAX_AUTH_SKEW_SEC })).toBe('ok');
    const late = checkAuthEvent(signEvent({ ...good, created_at: nowSec - 360 }, secretKey, crypto), expected);
    expect(!late.ok && late.error.message).toBe('your clock is 6 min behind the relay’s');
    const early = checkAuthEvent(signEvent({ ...good, created_at: nowSec + 90 }, secretKey, crypto), expected);
    expect(!early.ok && early.error.message).toBe('your clock is 90 s ahead of the relay’s');
    expect(KIND_AUTH).toBe(22_242);
  });
});
