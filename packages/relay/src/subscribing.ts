import { encodeEventMessage, encodeMessage, type Filter } from '@heliograph/wire';
import { AUTH_REQUIRED, readerOf } from './gate.ts';
import { encodeKindSet, hasKind } from './kind-set.ts';
import type { ClosedPrefix, RelayEffect } from './relay-effect.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import { reply } from './reply.ts';
import type { Session } from './session.ts';
import { answerFilters } from './stored-answer.ts';
import type { Subscription } from './subscription-index.ts';
import type { Reader } from './visibility.ts';

/**
 * A REQ: what is stored, EOSE, and from then on what comes. Asking the store and registering the filters is one
 * synchronous step, so no event falls between the two; one that is being written meanwhile comes live.
 */
export function openSubscription(
  state: RelayState,
  session: Session,
  id: string,
  filters: readonly Filter[],
): RelayEffect[] {
  const { limits } = state;
  const refuse = (prefix: ClosedPrefix, message: string): RelayEffect[] =>
    refuseSubscription(state, session, id, prefix, message);

  const allowed = readerOf(state, session);
  if (!allowed.ok) return refuse(allowed.error.code, allowed.error.message);
  const { reader, rateKey } = allowed.value;
  const closed = closedToGuest(reader, filters);
  if (closed !== undefined) return refuse(AUTH_REQUIRED.code, closed);
  const retrySec = state.requestRate.take(rateKey, state.nowMs());
  if (retrySec > 0) return refuse('rate-limited', `too many requests from this key; retry in ${retrySec} s`);
  if (filters.length > limits.maxFilters) return refuse('invalid', `a REQ may have ${limits.maxFilters} filters`);
  if (!session.subscriptions.has(id) && session.subscriptions.size >= limits.maxSubscriptions) {
    return refuse('error', `a connection may have ${limits.maxSubscriptions} subscriptions; CLOSE one first`);
  }

  const stored = answerFilters(state.store, filters, { reader, nowSec: nowSec(state) }, limits);
  if (!stored.ok) {
    const failed: RelayEffect = {
      type: 'report',
      connection: session.connection,
      report: { type: 'query-failed', cause: stored.error.cause },
    };
    return [failed, ...refuse('error', stored.error.message)];
  }
  dropSubscription(state, session, id);
  const subscription: Subscription = { session, id, filters };
  session.subscriptions.set(id, subscription);
  state.subscriptions.add(subscription);
  const { connection } = session;
  return [
    ...stored.value.map((event): RelayEffect => {
      return { type: 'send', connection, text: encodeEventMessage(id, event.json) };
    }),
    reply(session, ['EOSE', id]),
  ];
}

/** Why a guest must authenticate for these filters: one asks for kinds of which none is open to it. */
function closedToGuest({ kinds: open }: Reader, filters: readonly Filter[]): string | undefined {
  if (open === undefined) return undefined;
  const asksForClosed = filters.some(({ kinds }) => kinds?.some((kind) => hasKind(open, kind)) === false);
  return asksForClosed
    ? `of these kinds only ${encodeKindSet(open)} are open to all; for others authenticate`
    : undefined;
}

/** CLOSED for a REQ that can't be served; what was open under that id is closed with it, as the client will believe. */
export function refuseSubscription(
  state: RelayState,
  session: Session,
  id: string,
  prefix: ClosedPrefix,
  message: string,
): RelayEffect[] {
  dropSubscription(state, session, id);
  const text = encodeMessage(['CLOSED', id, `${prefix}: ${message}`]);
  return [{ type: 'send', connection: session.connection, text, refusal: prefix }];
}

/** A CLOSE, or the end of what a new REQ replaces; an unknown id is nothing to talk about (NIP-01). */
export function dropSubscription(state: RelayState, session: Session, id: string): void {
  const subscription = session.subscriptions.get(id);
  if (subscription === undefined) return;
  session.subscriptions.delete(id);
  state.subscriptions.remove(subscription);
}
