import type { NostrEvent, VerifiedEvent } from '@heliograph/wire';
import { fanOut } from './fan-out.ts';
import { isUnwanted } from './gate.ts';
import type { RelayEffect } from './relay-effect.ts';
import { NO_CONNECTION } from './relay-input.ts';
import type { RelayState } from './relay-state.ts';

/**
 * What is known of other relays that share this one's subscribers. `none`: by configuration there are no others. `quiet`:
 * none was heard for a while. `heard`: one may be there. `cut`: they can't be reached now.
 */
export type Peers = 'none' | 'quiet' | 'heard' | 'cut';

/** Within so many events one that comes twice from other relays is noticed: some 8 MB. */
export const MAX_SHARED_IDS = 200_000;

/** Ids of events that went to other relays or came from them, by their first 52 bits; the oldest are forgotten. */
export class RecentIds {
  readonly #capacity: number;
  #young = new Set<number>();
  #old = new Set<number>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  has(id: string): boolean {
    const start = startOf(id);
    return this.#young.has(start) || this.#old.has(start);
  }

  add(id: string): void {
    this.#young.add(startOf(id));
    if (this.#young.size * 2 < this.#capacity) return;
    this.#old = this.#young;
    this.#young = new Set();
  }
}

/** A number takes a third of the memory of the whole id. */
function startOf(id: string): number {
  return Number.parseInt(id.slice(0, 13), 16);
}

/** Gives an event that was taken here to the other relays, where there are any by configuration. */
export function share(state: RelayState, event: VerifiedEvent): RelayEffect[] {
  if (state.peers === 'none') return [];
  state.sharedIds.add(event.id);
  return [{ type: 'share', event }];
}

/** An event came from another relay: one that somebody here would get is worth a signature check, others cost a look-up. */
export function takeShared(state: RelayState, event: NostrEvent, storedAtMs?: number): RelayEffect[] {
  if (state.sharedIds.has(event.id) || state.subscriptions.match(event).length === 0) return [];
  return [{ type: 'verify', connection: NO_CONNECTION, purpose: 'shared', event, storedAtMs }];
}

/** A verified event of another relay goes out here, once, unless the operator refuses it. */
export function deliverShared(state: RelayState, event: VerifiedEvent, storedAtMs?: number): readonly RelayEffect[] {
  if (state.sharedIds.has(event.id) || isUnwanted(state, event)) return [];
  state.sharedIds.add(event.id);
  return fanOut(state, event, storedAtMs).effects;
}
