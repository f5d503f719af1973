import { encodeEventMessage, type VerifiedEvent } from '@heliograph/wire';
import { readerFor } from './gate.ts';
import type { RelayEffect } from './relay-effect.ts';
import type { ConnectionId } from './relay-input.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import { admissionAt } from './session.ts';
import { isVisible } from './visibility.ts';

/**
 * Gives an event to every open subscription that matches it and whose key may see it, right now: the same test as for
 * stored events, so a filter that asks for too much is simply not answered with it. One text per subscription id,
 * shared by all connections that use that id.
 */
export function fanOut(state: RelayState, event: VerifiedEvent): RelayEffect[] {
  const now = nowSec(state);
  const connectionsById = new Map<string, ConnectionId[]>();
  for (const { session, id } of state.subscriptions.match(event)) {
    // A guest sees what is open to all, and where nothing is, nothing.
    if (!isVisible(event, readerFor(state, admissionAt(session, now)))) continue;
    const connections = connectionsById.get(id);
    if (connections === undefined) connectionsById.set(id, [session.connection]);
    else connections.push(session.connection);
  }
  return [...connectionsById].map(([id, connections]) => {
    return { type: 'broadcast', connections, text: encodeEventMessage(id, event.json) };
  });
}
