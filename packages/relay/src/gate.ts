import { err, ok, type Result, type VerifiedEvent } from '@heliograph/wire';
import { attestationEnded } from './admission.ts';
import { hasKind } from './kind-set.ts';
import type { Refusal } from './policy.ts';
import type { RelayEffect } from './relay-effect.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import { reply } from './reply.ts';
import { type Admission, admissionAt, type Session } from './session.ts';
import { closeSyncs } from './sync-session.ts';
import type { Reader } from './visibility.ts';

/** Who acts on a connection: an admitted key, or a guest that may do what is open to all. `rateKey` is whose pace it counts to. */
export interface Actor {
  readonly admission: Admission | undefined;
  readonly rateKey: string;
}

/** Who may publish this kind here: an admission that holds now, or anybody where the kind is open. The refusal says what would help. */
export function writerOf(state: RelayState, session: Session, kind: number): Result<Actor, Refusal> {
  return hasKind(state.open.write, kind) ? ok(actorOf(state, session)) : admittedOf(state, session);
}

/** Who may read here, and what of it; guests only where kinds are open. */
export function readerOf(state: RelayState, session: Session): Result<Actor & { readonly reader: Reader }, Refusal> {
  const isOpen = state.open.read.length > 0;
  const actor = isOpen ? ok(actorOf(state, session)) : admittedOf(state, session);
  if (!actor.ok) return actor;
  return ok({ ...actor.value, reader: readerFor(state, actor.value.admission) });
}

/** What an admission, or a guest, may see. */
export function readerFor(state: RelayState, admission: Admission | undefined): Reader {
  return admission === undefined
    ? { pubkey: undefined, kinds: state.open.read }
    : { pubkey: admission.pubkey, kinds: undefined };
}

function actorOf(state: RelayState, session: Session): Actor {
  const admission = admissionAt(session, nowSec(state));
  return { admission, rateKey: admission?.pubkey ?? `address ${session.address}` };
}

function admittedOf(state: RelayState, session: Session): Result<Actor, Refusal> {
  const actor = actorOf(state, session);
  if (actor.admission !== undefined) return ok(actor);
  if (session.refusal !== undefined) return err(session.refusal);
  return err(AUTH_REQUIRED);
}

/** Banned by id, or written by a banned key, whoever passes it on. */
export function isUnwanted({ access }: RelayState, event: VerifiedEvent): boolean {
  return access.bannedEvents.has(event.id) || access.denied.has(event.pubkey);
}

/** What a connection without an admission is told. */
export const AUTH_REQUIRED: Refusal = {
  code: 'auth-required',
  message: "answer the AUTH challenge first (NIP-42), with an owner's key or that of an agent an owner vouches for",
};

/** Ends an admission whose time is over: its subscriptions are closed, the socket stays for a new AUTH. */
export function endExpiredAdmission(state: RelayState, session: Session): RelayEffect[] {
  const { admission } = session;
  if (admission?.expiresAtSec === undefined || admissionAt(session, nowSec(state)) !== undefined) return [];
  session.admission = undefined;
  state.occupancy.note(session);
  session.refusal = { code: 'restricted', message: attestationEnded(admission.pubkey, admission.expiresAtSec) };
  session.unadmittedSinceMs = state.nowMs();
  const reason = `restricted: ${session.refusal.message}`;
  const closed = [...session.subscriptions.keys()].map((id) => reply(session, ['CLOSED', id, reason]));
  for (const subscription of session.subscriptions.values()) state.subscriptions.remove(subscription);
  session.subscriptions.clear();
  const report: RelayEffect = {
    type: 'report',
    connection: session.connection,
    report: { type: 'admission-ended', pubkey: admission.pubkey },
  };
  return [...closed, ...closeSyncs(session, reason), report];
}
