import type { AccessRules } from './access.ts';
import { endExpiredAdmission } from './gate.ts';
import type { RelayEffect } from './relay-effect.ts';
import type { ConnectionId, RelayRules } from './relay-input.ts';
import type { RelayState } from './relay-state.ts';
import { reply } from './reply.ts';
import type { Admission, Session } from './session.ts';
import { forgetAnswered } from './subscribing.ts';
import { closeIdleSyncs } from './sync-session.ts';

/** WebSocket close codes (RFC 6455, IANA): against the rules; come back later. */
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** A socket opened: it gets its challenge at once (NIP-42), or a reason and the door. */
export function openSession(state: RelayState, connection: ConnectionId, address: string): RelayEffect[] {
  const room = makeRoom(state, address);
  if (room === undefined) return dismiss({ connection }, TRY_AGAIN_LATER, TOO_MANY);
  const session: Session = {
    connection,
    address,
    challenge: state.newChallenge(),
    admission: undefined,
    refusal: undefined,
    unadmittedSinceMs: state.nowMs(),
    authAttempts: 0,
    subscriptions: new Map(),
    syncs: new Map(),
  };
  state.sessions.set(connection, session);
  state.occupancy.add(session);
  return [...room, reply(session, ['AUTH', session.challenge])];
}

const TOO_MANY = 'too many connections: close some, or try again later';

/**
 * Room for one more connection: where there is none, the one that has waited longest without an admitted key gives way,
 * so that strangers, who may share their address with users behind a proxy, keep nobody out. undefined: all have a key.
 */
function makeRoom(state: RelayState, address: string): RelayEffect[] | undefined {
  const { limits, sessions, occupancy } = state;
  const isFullThere = occupancy.countFrom(address) >= limits.maxConnectionsPerAddress;
  if (!isFullThere && sessions.size < limits.maxConnections) return [];
  const waiting = occupancy.longestWaiting(isFullThere ? address : undefined);
  if (waiting === undefined) return undefined;
  forgetSession(state, waiting.connection);
  return dismiss(waiting, TRY_AGAIN_LATER, TOO_MANY);
}

/** Forgets a connection; does nothing when it is forgotten already. */
export function forgetSession(state: RelayState, connection: ConnectionId): void {
  const session = state.sessions.get(connection);
  if (session === undefined) return;
  state.sessions.delete(connection);
  for (const subscription of session.subscriptions.values()) state.subscriptions.remove(subscription);
  state.occupancy.remove(session);
}

/** Ends a session for what it did: the reason as NOTICE for people and in the close frame for programs. */
export function expel(state: RelayState, session: Session, reason: string): RelayEffect[] {
  forgetSession(state, session.connection);
  return dismiss(session, POLICY_VIOLATION, reason);
}

function dismiss(session: Pick<Session, 'connection'>, code: number, reason: string): RelayEffect[] {
  const { connection } = session;
  return [
    reply(session, ['NOTICE', reason]),
    { type: 'close', connection, code, reason },
    { type: 'report', connection, report: { type: 'connection-ended', message: reason } },
  ];
}

/** The operator decided anew: who is no longer admitted by that loses the connection at once, and the others notice nothing. */
export function changeAccess(state: RelayState, access: AccessRules): RelayEffect[] {
  state.access = access;
  return [...state.sessions.values()].flatMap((session) => {
    const reason = lostAdmission(state, session.admission);
    return reason === undefined ? [] : expel(state, session, reason);
  });
}

/** The configuration was read again: as with `changeAccess`, who is no longer admitted by it goes at once. Lower limits hold for what comes. */
export function configure(state: RelayState, { owners, open, relayUrls, limits }: RelayRules): RelayEffect[] {
  state.owners = new Set(owners);
  state.open = open;
  state.relayUrls = relayUrls;
  state.limits = limits;
  state.policies = state.policiesFor(limits);
  state.eventRate.setRate(limits.eventsPerSec, limits.eventBurst);
  state.requestRate.setRate(limits.requestsPerSec, limits.requestBurst);
  return changeAccess(state, state.access);
}

function lostAdmission({ owners, access }: RelayState, admission: Admission | undefined): string | undefined {
  if (admission === undefined) return undefined;
  const { pubkey } = admission;
  const voucher = admission.role === 'agent' ? admission.owner : pubkey;
  for (const key of [pubkey, voucher]) {
    if (access.denied.has(key) && !owners.has(key)) return 'blocked: this key was banned from the relay';
  }
  if (owners.has(voucher) || access.allowed.has(voucher)) return undefined;
  return 'restricted: this key is no longer allowed on the relay';
}

/** What time alone ends: admissions, the patience with connections that have none, and unused rate buckets. */
export function passTime(state: RelayState): RelayEffect[] {
  const nowMs = state.nowMs();
  state.eventRate.prune(nowMs);
  state.requestRate.prune(nowMs);
  return [...state.sessions.values()].flatMap((session) => {
    forgetAnswered(session, nowMs, state.peers !== 'none');
    const ended = [...endExpiredAdmission(state, session), ...closeIdleSyncs(state, session)];
    // Where something is open to all, a guest needs no key.
    const isGuest = state.open.read.length + state.open.write.length > 0;
    if (
      session.admission !== undefined ||
      isGuest ||
      nowMs - session.unadmittedSinceMs < state.limits.unauthenticatedMs
    ) {
      return ended;
    }
    const seconds = Math.round(state.limits.unauthenticatedMs / 1_000);
    return [...ended, ...expel(state, session, `auth-required: not authenticated within ${seconds} s`)];
  });
}
