import { encodeEventMessage, type VerifiedEvent } from '@heliograph/wire';
import { readerFor } from './gate.ts';
import type { RelayEffect } from './relay-effect.ts';
import type { ConnectionId } from './relay-input.ts';
import { nowSec, type RelayState } from './relay-state.ts';
import { admissionAt } from './session.ts';
import { holdBack } from './subscribing.ts';
import { isVisible } from './visibility.ts';

/** What giving an event to subscribers comes to: `isHeard` is false when there is nobody to give it to. */
export interface FanOut {
  readonly effects: readonly RelayEffect[];
  readonly isHeard: boolean;
}

/** An answer names those of its events as fresh that were stored half a minute before at most; a little less is sure. */
const FRESH_MS = 25_000;

/**
 * Gives an event to every open subscription that matches it and whose key may see it, right now: the same test as for
 * stored events, so a filter that asks for too much is simply not answered with it. One text per subscription id,
 * shared by all connections that use that id. `storedAtMs` where the event was stored some time ago and comes only now.
 */
export function fanOut(state: RelayState, event: VerifiedEvent, storedAtMs = Number.POSITIVE_INFINITY): FanOut {
  const now = nowSec(state);
  const effects: RelayEffect[] = [];
  const connectionsById = new Map<string, ConnectionId[]>();
  let isHeard = false;
  for (const subscription of state.subscriptions.match(event)) {
    const { session, id, waiting, answered, openedAtMs } = subscription;
    // What was stored well before it was asked for is in the answer that was given then.
    if (storedAtMs < openedAtMs - FRESH_MS) continue;
    // A guest sees what is open to all, and where nothing is, nothing.
    if (!isVisible(event, readerFor(state, admissionAt(session, now)))) continue;
    isHeard = true;
    if (answered?.ids.delete(event.id)) continue;
    if (waiting !== undefined) {
      effects.push(...holdBack(state, subscription, event));
      continue;
    }
    const connections = connectionsById.get(id);
    if (connections === undefined) connectionsById.set(id, [session.connection]);
    else connections.push(session.connection);
  }
  for (const [id, connections] of connectionsById) {
    effects.push({ type: 'broadcast', connections, text: encodeEventMessage(id, event.json) });
  }
  return { effects, isHeard };
}
