import { settleCount } from './counting.ts';
import type { QueryEffect, RelayEffect } from './relay-effect.ts';
import type { RelayState } from './relay-state.ts';
import type { Session } from './session.ts';
import type { StoreAnswer } from './stored-answer.ts';
import { refuseSubscription, settleSubscription } from './subscribing.ts';
import { endSync } from './sync-session.ts';
import { settleSync } from './syncing.ts';

/** The store answered: whoever asked goes on, unless the connection is gone or what was asked for was closed or replaced. */
export function settleAnswer(state: RelayState, request: QueryEffect, answer: StoreAnswer): readonly RelayEffect[] {
  const session = state.sessions.get(request.connection);
  if (session === undefined) return [];
  switch (answer.ask) {
    case 'events':
      return settleSubscription(state, session, request, answer.events);
    case 'count':
      return settleCount(state, session, request, answer.count);
    case 'references':
      return settleSync(state, session, request, answer);
    case 'failed':
      return settleFailure(state, session, request, answer.cause);
  }
}

function settleFailure(state: RelayState, session: Session, request: QueryEffect, cause: unknown): RelayEffect[] {
  const { connection, id, ticket, question } = request;
  const failed: RelayEffect = { type: 'report', connection, report: { type: 'query-failed', cause } };
  const message = "the relay's storage failed; its log says why";
  if (question.ask === 'references') {
    const isOpen = session.syncs.get(id)?.ticket === ticket;
    return isOpen ? [failed, ...endSync(session, id, `error: ${message}`)] : [failed];
  }
  const isOver = question.ask === 'events' && session.subscriptions.get(id)?.waiting?.ticket !== ticket;
  return isOver ? [failed] : [failed, ...refuseSubscription(state, session, id, 'error', message)];
}
