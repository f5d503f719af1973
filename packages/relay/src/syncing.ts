import { err, type Filter, ok, parseFilter, type Result } from '@heliograph/wire';
import { askFor } from './asking.ts';
import { readerOf } from './gate.ts';
import { Reconciler } from './negentropy.ts';
import type { QueryEffect, RelayEffect } from './relay-effect.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import type { Session } from './session.ts';
import type { StoreAnswer } from './stored-answer.ts';
import { endSync, syncReply } from './sync-session.ts';

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
    const { reconciler } = sync;
    if (reconciler === undefined) return endSync(session, id, 'invalid: wait for the answer to NEG-OPEN');
    sync.usedAtMs = nowMs;
    return reconcile(session, id, reconciler, message[2]);
  }
  const { maxSyncs, maxSyncEvents } = state.limits;
  if (!session.syncs.has(id) && session.syncs.size >= maxSyncs) {
    return endSync(session, id, `blocked: a connection may have ${maxSyncs} reconciliations; NEG-CLOSE one first`);
  }
  const asker = { reader, nowSec: nowSec(state) };
  const [, , filter, first] = message;
  const query = askFor(state, session, id, { ask: 'references', filter, first, asker, maxEvents: maxSyncEvents + 1 });
  session.syncs.set(id, { ticket: query.ticket, reconciler: undefined, usedAtMs: nowMs });
  return [query];
}

/** The set was read: the client's first message is answered from it. */
export function settleSync(
  { limits, crypto, nowMs }: RelayState,
  session: Session,
  { id, ticket }: QueryEffect,
  { first, references }: Extract<StoreAnswer, { ask: 'references' }>,
): RelayEffect[] {
  const sync = session.syncs.get(id);
  if (sync?.ticket !== ticket) return [];
  if (references.length > limits.maxSyncEvents) {
    return endSync(session, id, `blocked: the filter matches more than ${limits.maxSyncEvents} events: narrow it`);
  }
  sync.reconciler = new Reconciler(references, crypto);
  sync.usedAtMs = nowMs();
  return reconcile(session, id, sync.reconciler, first);
}

function reconcile(session: Session, id: string, reconciler: Reconciler, message: string): RelayEffect[] {
  const answer = reconciler.answer(message);
  if (!answer.ok) return endSync(session, id, `invalid: ${answer.error.message}`);
  return [syncReply(session, ['NEG-MSG', id, answer.value])];
}

/** NEG-ERR for a message that could not be read. */
export function refuseSync(session: Session, { id, message }: { id: string; message: string }): RelayEffect[] {
  return endSync(session, id, `invalid: ${message}`);
}
