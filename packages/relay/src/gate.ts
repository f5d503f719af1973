import { err, ok, type Result } from '@heliograph/wire';
import { attestationEnded } from './admission.ts';
import type { Refusal } from './policy.ts';
import type { RelayEffect } from './relay-effect.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import { reply } from './reply.ts';
import { type Admission, admissionAt, type Session } from './session.ts';

/** Nothing but AUTH passes without an admission that holds now; the refusal says what would help. */
export function admissionOf(state: RelayState, session: Session): Result<Admission, Refusal> {
  const admission = admissionAt(session, nowSec(state));
  if (admission !== undefined) return ok(admission);
  if (session.refusal !== undefined) return err({ code: 'restricted', message: session.refusal });
  const message =
    "answer the AUTH challenge first (NIP-42), with an owner's key or that of an agent an owner vouches for";
  return err({ code: 'auth-required', message });
}

/** Ends an admission whose time is over: its subscriptions are closed, the socket stays for a new AUTH. */
export function endExpiredAdmission(state: RelayState, session: Session): RelayEffect[] {
  const { admission } = session;
  if (admission?.expiresAtSec === undefined || admissionAt(session, nowSec(state)) !== undefined) return [];
  session.admission = undefined;
  session.refusal = attestationEnded(admission.pubkey, admission.expiresAtSec);
  session.unadmittedSinceMs = state.nowMs();
  const reason = `restricted: ${session.refusal}`;
  const closed = [...session.subscriptions.keys()].map((id) => reply(session, ['CLOSED', id, reason]));
  for (const subscription of session.subscriptions.values()) state.subscriptions.remove(subscription);
  session.subscriptions.clear();
  const report: RelayEffect = {
    type: 'report',
    connection: session.connection,
    report: { type: 'admission-ended', pubkey: admission.pubkey },
  };
  return [...closed, report];
}
