import { err, type Filter, ok, parseFilter, type Result } from '@heliograph/wire';
import { readerOf } from './gate.ts';
import { Reconciler } from './negentropy.ts';
import type { RelayEffect } from './relay-effect.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import type { Session } from './session.ts';
import { endSync, type Sync, syncReply } from './sync-session.ts';

/** What a client says about reconciliation (NIP-77); `message` is hex. */
export type SyncMessage =
  | readonly [type: 'NEG-OPEN', id: string, filter: Filter, message: string]
  | readonly [type: 'NEG-MSG', id: string, message: string]
  | readonly [type: 'NEG-CLOSE', id: string];

/** Reads a NIP-77 message from JSON text; undefined when it is none, an error with the id to answer to when it is broken. */
export function parseSyncMessage(text: string): Result<SyncMessage, { id: string; message: string }> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const [type, id, third, fourth] = value as unknown[];
  if (type !== 'NEG-OPEN' && type !== 'NEG-MSG' && type !== 'NEG-CLOSE') return undefined;
  if (typeof id !== 'string' || id.length === 0 || id.length > 64) {
    return err({ id: typeof id === 'string' ? id.slice(0, 64) : '', message: 'an id must have 1 to 64 characters' });
  }
  if (type === 'NEG-CLOSE') return ok([type, id]);
  if (type === 'NEG-MSG') return isHex(third) ? ok([type, id, third]) : err({ id, message: 'a message must be hex' });
  const filter = parseFilter(third);
  if (!filter.ok) return err({ id, message: filter.error.message });
  return isHex(fourth) ? ok([type, id, filter.value, fourth]) : err({ id, message: 'a message must be hex' });
}

function isHex(x: unknown): x is string {
  return typeof x === 'string' && x.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(x);
}

/** Opens, goes on with, or ends a reconciliation; only what the reader may see takes part in it. */
export function takeSyncMessage(state: RelayState, session: Session, message: SyncMessage): RelayEffect[] {
  const [type, id] = message;
  if (type === 'NEG-CLOSE') {
    session.syncs.delete(id);
    return [];
  }
  const allowed = readerOf(state, session);
  if (!allowed.ok) return endSync(session, id, `${allowed.error.code}: ${allowed.error.message}`);
  const { reader, rateKey } = allowed.value;
  const nowMs = state.nowMs();
  const retrySec = state.requestRate.take(rateKey, nowMs);
  if (retrySec > 0)
    return endSync(session, id, `rate-limited: too many requests from this key; retry in ${retrySec} s`);

  if (type === 'NEG-MSG') {
    const sync = session.syncs.get(id);
    if (sync === undefined) return endSync(session, id, 'closed: no reconciliation is open under this id');
    return reconcile(state, session, id, sync, message[2]);
  }
  const { maxSyncs, maxSyncEvents } = state.limits;
  if (!session.syncs.has(id) && session.syncs.size >= maxSyncs) {
    return endSync(session, id, `blocked: a connection may have ${maxSyncs} reconciliations; NEG-CLOSE one first`);
  }
  let references: ReturnType<RelayState['store']['references']>;
  try {
    references = state.store.references(message[2], { reader, nowSec: nowSec(state) }, maxSyncEvents + 1);
  } catch (cause) {
    const { connection } = session;
    const failed: RelayEffect = { type: 'report', connection, report: { type: 'query-failed', cause } };
    return [failed, ...endSync(session, id, "error: the relay's storage failed; its log says why")];
  }
  if (references.length > maxSyncEvents) {
    return endSync(session, id, `blocked: the filter matches more than ${maxSyncEvents} events: narrow it`);
  }
  const sync: Sync = { reconciler: new Reconciler(references, state.crypto), usedAtMs: nowMs };
  session.syncs.set(id, sync);
  return reconcile(state, session, id, sync, message[3]);
}

function reconcile(state: RelayState, session: Session, id: string, sync: Sync, message: string): RelayEffect[] {
  sync.usedAtMs = state.nowMs();
  const answer = sync.reconciler.answer(message);
  if (!answer.ok) return endSync(session, id, `invalid: ${answer.error.message}`);
  return [syncReply(session, ['NEG-MSG', id, answer.value])];
}

/** NEG-ERR for a message that could not be read. */
export function refuseSync(session: Session, { id, message }: { id: string; message: string }): RelayEffect[] {
  return endSync(session, id, `invalid: ${message}`);
}
