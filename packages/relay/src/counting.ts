import type { Filter } from '@heliograph/wire';
import { readerOf } from './gate.ts';
import type { RelayEffect } from './relay-effect.ts';
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
  try {
    const count = state.store.count(filters, { reader, nowSec: nowSec(state) }, limits.maxCount);
    return [reply(session, ['COUNT', id, count < limits.maxCount ? { count } : { count, approximate: true }])];
  } catch (cause) {
    const { connection } = session;
    return [
      { type: 'report', connection, report: { type: 'query-failed', cause } },
      ...refuseSubscription(state, session, id, 'error', "the relay's storage failed; its log says why"),
    ];
  }
}
