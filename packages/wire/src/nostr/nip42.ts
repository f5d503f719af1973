import { err, ok, type Result } from '../result.ts';
import type { EventTemplate, VerifiedEvent } from './event.ts';
import type { AuthTag } from './nip-oa.ts';
import { sameRelayUrl } from './relay-url.ts';

/** Why an AUTH event does not authenticate its author (NIP-42). */
export interface AuthError {
  readonly code: 'wrong-kind' | 'clock-skew' | 'wrong-challenge' | 'wrong-relay';
  readonly message: string;
}

/** The kind of a client's answer to an AUTH challenge (NIP-42). */
export const KIND_AUTH = 22_242;

/** How far the clocks of client and relay may be apart for AUTH, in seconds. */
export const MAX_AUTH_SKEW_SEC = 60;

/** The event to sign as the answer to a challenge; an agent adds its owner's auth tag (NIP-AA). */
export function authTemplate(answer: {
  readonly relayUrl: string;
  readonly challenge: string;
  readonly createdAtSec: number;
  readonly authTag?: AuthTag | undefined;
}): EventTemplate {
  const { relayUrl, challenge, createdAtSec, authTag } = answer;
  const tags = [['relay', relayUrl], ['challenge', challenge], ...(authTag === undefined ? [] : [authTag])];
  return { kind: KIND_AUTH, created_at: createdAtSec, tags, content: '' };
}

/** Whether a verified event answers this challenge for one of the relay's own URLs, now (NIP-42). */
export function checkAuthEvent(
  event: VerifiedEvent,
  expected: { readonly challenge: string; readonly relayUrls: readonly string[]; readonly nowSec: number },
): Result<void, AuthError> {
  if (event.kind !== KIND_AUTH)
    return failure('wrong-kind', `AUTH needs an event of kind ${KIND_AUTH}, got ${event.kind}`);
  const challenge = onlyValue(event, 'challenge');
  if (challenge !== expected.challenge) {
    return failure(
      'wrong-challenge',
      'AUTH must have exactly one challenge tag, with the challenge of this connection',
    );
  }
  const relayUrl = onlyValue(event, 'relay');
  if (relayUrl === undefined || !expected.relayUrls.some((url) => sameRelayUrl(url, relayUrl))) {
    const own = expected.relayUrls.join(' or ');
    return failure('wrong-relay', `AUTH must have exactly one relay tag, and it must name ${own}`);
  }
  const aheadSec = event.created_at - expected.nowSec;
  if (Math.abs(aheadSec) > MAX_AUTH_SKEW_SEC) {
    const side = aheadSec > 0 ? 'ahead of' : 'behind';
    return failure('clock-skew', `your clock is ${describeSeconds(Math.abs(aheadSec))} ${side} the relay’s`);
  }
  return ok(undefined);
}

/** The value of the only tag of this name; undefined when there is none or more than one. */
function onlyValue(event: EventTemplate, name: string): string | undefined {
  const tags = event.tags.filter((tag) => tag[0] === name);
  return tags.length === 1 ? tags[0]?.[1] : undefined;
}

function describeSeconds(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

function failure(code: AuthError['code'], message: string): { readonly ok: false; readonly error: AuthError } {
  return err({ code, message });
}
