import type { QueryEffect } from './relay-effect.ts';
import type { RelayState } from './relay-state.ts';
import type { Session } from './session.ts';
import type { Question } from './stored-answer.ts';

/** Asks the store on behalf of a session; `settleAnswer` goes on with what it says. */
export function askFor(state: RelayState, session: Session, id: string, question: Question): QueryEffect {
  state.lastTicket += 1;
  return { type: 'query', connection: session.connection, id, ticket: state.lastTicket, question };
}
