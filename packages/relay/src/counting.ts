import type { Filter } from '@heliograph/wire';
import { askFor } from './asking.ts';
import { readerOf } from './gate.ts';
import type { QueryEffect, RelayEffect } from './relay-effect.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import { reply } from './reply.ts';
import type { Session } from './session.ts';
import { refuseSubscription } from './subscribing.ts';

/** A COUNT (NIP-45): how many events any of the filters match that this reader may see. Private kinds of others don't count. */
export function answerCount(
  state: RelayState,
  session: Session,
  id: string,
  filters: readonly Filter[],
): RelayEffect[] {
  const { limits } = state;
  const allowed = readerOf(state, session);
  if (!allowed.ok) return refuseSubscription(state, session, id, allowed.error.code, allowed.error.message);
  const { reader, rateKey } = allowed.value;
  const retrySec = state.requestRate.take(rateKey, state.nowMs());
  if (retrySec > 0) {
    return refuseSubscription(state, session, id, 'rate-limited', `too many requests; retry in ${retrySec} s`);
  }
  if (filters.length > limits.maxFilters) {
    return refuseSubscription(state, session, id, 'invalid', `a COUNT may have ${limits.maxFilters} filters`);
  }
  const asker = { reader, nowSec: nowSec(state) };
  return [askFor(state, session, id, { ask: 'count', filters, asker, maxCount: limits.maxCount })];
}

/** The store counted. */
export function settleCount(state: RelayState, session: Session, { id }: QueryEffect, count: number): RelayEffect[] {
  const isWhole = count < state.limits.maxCount;
  return [reply(session, ['COUNT', id, isWhole ? { count } : { count, approximate: true }])];
}
