import { encodeEventMessage, encodeMessage, type Filter, type VerifiedEvent } from '@heliograph/wire';
import { askFor } from './asking.ts';
import { AUTH_REQUIRED, readerOf } from './gate.ts';
import { encodeKindSet, hasKind } from './kind-set.ts';
import type { ClosedPrefix, QueryEffect, RelayEffect } from './relay-effect.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import { reply } from './reply.ts';
import type { Session } from './session.ts';
import type { StoredEvent } from './store/event-store.ts';
import type { Subscription } from './subscription-index.ts';
import type { Reader } from './visibility.ts';

/** Milliseconds in which what was stored as an answer was read comes live at the latest. */
const LATE_MS = 60_000;

/**
 * A REQ: what is stored, EOSE, and from then on what comes. The filters are registered first, and what comes while the
 * store is asked waits behind its answer: nothing is lost between the two, and what is in both is given once.
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

  dropSubscription(state, session, id);
  const { maxLimit, defaultLimit, maxAnswerBytes: maxBytes } = limits;
  const bounded = filters.map((filter) => ({ filter, maxEvents: Math.min(filter.limit ?? defaultLimit, maxLimit) }));
  // limit 0 asks for what comes, and the store need not be troubled.
  const asked = bounded.filter(({ maxEvents }) => maxEvents > 0);
  const asker = { reader, nowSec: nowSec(state) };
  const query = askFor(state, session, id, { ask: 'events', filters: asked, asker, maxBytes });
  const waiting = { ticket: query.ticket, held: new Map<string, string>() };
  const openedAtMs = state.nowMs();
  const subscription: Subscription = { session, id, filters, openedAtMs, waiting, answered: undefined };
  session.subscriptions.set(id, subscription);
  state.subscriptions.add(subscription);
  return asked.length > 0 ? [query] : settleSubscription(state, session, query, []);
}

/** What is stored was read: it goes out, EOSE, then what was held meanwhile. */
export function settleSubscription(
  state: RelayState,
  session: Session,
  { id, ticket }: QueryEffect,
  events: readonly StoredEvent[],
): RelayEffect[] {
  const subscription = session.subscriptions.get(id);
  if (subscription?.waiting?.ticket !== ticket) return [];
  const { held } = subscription.waiting;
  subscription.waiting = undefined;
  const { connection } = session;
  const send = (json: string): RelayEffect => ({ type: 'send', connection, text: encodeEventMessage(id, json) });
  const effects = events.map(({ json }) => send(json));
  effects.push(reply(session, ['EOSE', id]));
  const yetToCome = new Set<string>();
  for (const event of events) if (!held.delete(event.id) && event.isFresh) yetToCome.add(event.id);
  if (yetToCome.size > 0) subscription.answered = { ids: yetToCome, untilMs: state.nowMs() + LATE_MS };
  for (const json of held.values()) effects.push(send(json));
  return effects;
}

/** Keeps an event for a subscription whose stored answer is being read; one that is offered too much is CLOSED. */
export function holdBack(
  state: RelayState,
  { session, id, waiting }: Subscription,
  event: VerifiedEvent,
): RelayEffect[] {
  waiting?.held.set(event.id, event.json);
  if ((waiting?.held.size ?? 0) <= state.limits.maxHeldEvents) return [];
  const reason = 'more came than is held while what is stored is being read; ask again';
  return refuseSubscription(state, session, id, 'error', reason);
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

/** So many events of answers a connection's subscriptions remember beyond that; of more, the oldest subscriptions' are forgotten. */
const MAX_ANSWERED = 1_000;

/**
 * Forgets what may have come live and did not in time. Of relays that share subscribers one may lose the others and tell
 * what it stored an hour later, so what they stored (`comesLater`) is remembered as long as the subscription is open.
 */
export function forgetAnswered(session: Session, nowMs: number, comesLater: boolean): void {
  let events = 0;
  for (const subscription of [...session.subscriptions.values()].reverse()) {
    const { answered } = subscription;
    if (answered === undefined || nowMs < answered.untilMs) continue;
    events += answered.ids.size;
    if (!comesLater || events > MAX_ANSWERED) subscription.answered = undefined;
  }
}
