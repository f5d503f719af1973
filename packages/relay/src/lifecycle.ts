import { endExpiredAdmission } from './gate.ts';
import type { RelayEffect } from './relay-effect.ts';
import type { ConnectionId } from './relay-input.ts';
import type { RelayState } from './relay-state.ts';
import { reply } from './reply.ts';
import type { Session } from './session.ts';

/** WebSocket close codes (RFC 6455, IANA): against the rules; come back later. */
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** A socket opened: it gets its challenge at once (NIP-42), or a reason and the door. */
export function openSession(state: RelayState, connection: ConnectionId, address: string): RelayEffect[] {
  const { limits, sessions, connectionsByAddress } = state;
  const fromAddress = connectionsByAddress.get(address) ?? 0;
  if (fromAddress >= limits.maxConnectionsPerAddress || sessions.size >= limits.maxConnections) {
    const reason = 'too many connections: close some, or try again later';
    return dismiss({ connection }, TRY_AGAIN_LATER, reason);
  }
  connectionsByAddress.set(address, fromAddress + 1);
  const session: Session = {
    connection,
    address,
    challenge: state.newChallenge(),
    admission: undefined,
    refusal: undefined,
    unadmittedSinceMs: state.nowMs(),
    authAttempts: 0,
    subscriptions: new Map(),
  };
  sessions.set(connection, session);
  return [reply(session, ['AUTH', session.challenge])];
}

/** Forgets a connection; does nothing when it is forgotten already. */
export function forgetSession(state: RelayState, connection: ConnectionId): void {
  const session = state.sessions.get(connection);
  if (session === undefined) return;
  state.sessions.delete(connection);
  for (const subscription of session.subscriptions.values()) state.subscriptions.remove(subscription);
  const left = (state.connectionsByAddress.get(session.address) ?? 1) - 1;
  if (left > 0) state.connectionsByAddress.set(session.address, left);
  else state.connectionsByAddress.delete(session.address);
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

/** What time alone ends: admissions, the patience with connections that have none, and unused rate buckets. */
export function passTime(state: RelayState): RelayEffect[] {
  const nowMs = state.nowMs();
  state.eventRate.prune(nowMs);
  state.requestRate.prune(nowMs);
  return [...state.sessions.values()].flatMap((session) => {
    const ended = endExpiredAdmission(state, session);
    if (session.admission !== undefined || nowMs - session.unadmittedSinceMs < state.limits.unauthenticatedMs) {
      return ended;
    }
    const seconds = Math.round(state.limits.unauthenticatedMs / 1_000);
    return [...ended, ...expel(state, session, `auth-required: not authenticated within ${seconds} s`)];
  });
}
