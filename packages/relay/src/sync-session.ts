import type { Reconciler } from './negentropy.ts';
import type { RelayEffect } from './relay-effect.ts';
import type { RelayState } from './relay-state.ts';
import type { Session } from './session.ts';

/** One open reconciliation (NIP-77): the set is that of the moment it was opened. */
export interface Sync {
  /** Of the query that reads the set. */
  readonly ticket: number;
  /** Undefined until the set was read. */
  reconciler: Reconciler | undefined;
  usedAtMs: number;
}

/** Ends one reconciliation for this reason (NEG-ERR). */
export function endSync(session: Session, id: string, reason: string): RelayEffect[] {
  session.syncs.delete(id);
  return [syncReply(session, ['NEG-ERR', id, reason])];
}

/** Ends every reconciliation of a session for this reason. */
export function closeSyncs(session: Session, reason: string): RelayEffect[] {
  return [...session.syncs.keys()].flatMap((id) => endSync(session, id, reason));
}

/** Ends those that rest too long: each holds its whole set in memory. */
export function closeIdleSyncs(state: RelayState, session: Session): RelayEffect[] {
  const sinceMs = state.nowMs() - state.limits.syncIdleMs;
  const idle = [...session.syncs].filter(([, sync]) => sync.usedAtMs < sinceMs);
  return idle.flatMap(([id]) => endSync(session, id, 'closed: nothing was said for too long'));
}

/** One NIP-77 message to one session. */
export function syncReply({ connection }: Session, message: readonly [string, string, string]): RelayEffect {
  return { type: 'send', connection, text: JSON.stringify(message) };
}
