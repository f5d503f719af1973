import { checkAuthEvent, type NostrEvent, type OkPrefix, tagValue, type VerifiedEvent } from '@heliograph/wire';
import { type AdmissionError, admit } from './admission.ts';
import { expel } from './lifecycle.ts';
import type { RelayEffect } from './relay-effect.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import { accepted, refused } from './reply.ts';
import type { Session } from './session.ts';

/** An AUTH event came: have it verified, as long as this connection has not tried too often. */
export function requestAuth(state: RelayState, session: Session, event: NostrEvent): RelayEffect[] {
  session.authAttempts += 1;
  if (session.authAttempts > state.limits.maxAuthAttempts) {
    return expel(state, session, 'blocked: too many AUTH attempts on this connection');
  }
  return [{ type: 'verify', connection: session.connection, purpose: 'auth', event }];
}

/** A verified AUTH event: NIP-42's checks, then NIP-AA's admission. A later AUTH replaces an earlier one, and a refused one takes nothing away. */
export function authenticate(state: RelayState, session: Session, event: VerifiedEvent): RelayEffect[] {
  const { relayUrls, owners, access, crypto } = state;
  const now = nowSec(state);
  const checked = checkAuthEvent(event, { challenge: session.challenge, relayUrls, nowSec: now });
  if (!checked.ok) {
    const { code, message } = checked.error;
    const reason = code === 'wrong-relay' ? wrongRelay(event, relayUrls[0] ?? '') : message;
    return refuse(session, event, 'invalid', reason);
  }
  const admitted = admit(event, { owners, access, nowSec: now, crypto });
  if (!admitted.ok) {
    const { code, message } = admitted.error;
    session.refusal = { code: code === 'denied' ? 'blocked' : 'restricted', message };
    return refuse(session, event, PREFIX_OF[code], message);
  }
  session.admission = admitted.value;
  session.refusal = undefined;
  session.authAttempts = 0;
  state.occupancy.note(session);
  const { role, pubkey } = admitted.value;
  return [
    accepted(session, event.id),
    { type: 'report', connection: session.connection, report: { type: 'admitted', role, pubkey } },
  ];
}

const PREFIX_OF: Record<AdmissionError['code'], OkPrefix> = {
  denied: 'blocked',
  'bad-attestation': 'invalid',
  stranger: 'restricted',
  'foreign-owner': 'restricted',
  ended: 'restricted',
  'not-begun': 'restricted',
};

/** Only the announced URL is told: the others may be addresses of the inside. */
function wrongRelay(event: VerifiedEvent, announced: string): string {
  const named = (tagValue(event, 'relay') ?? '').slice(0, 200);
  return `the AUTH event names "${named}", and this relay is ${announced}: connect there, or start the relay with --public-url`;
}

function refuse(session: Session, event: VerifiedEvent, prefix: OkPrefix, message: string): RelayEffect[] {
  const { connection } = session;
  return [
    refused(session, event.id, prefix, message),
    { type: 'report', connection, report: { type: 'refused', pubkey: event.pubkey, message } },
  ];
}
