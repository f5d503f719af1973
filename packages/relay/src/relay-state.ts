import type { Crypto } from '@heliograph/wire';
import type { AccessRules, OpenKinds } from './access.ts';
import type { RelayLimits } from './limits.ts';
import type { Occupancy } from './occupancy.ts';
import type { Peers, RecentIds } from './peers.ts';
import type { Policy } from './policy.ts';
import type { ConnectionId } from './relay-input.ts';
import type { Session } from './session.ts';
import type { SubscriptionIndex } from './subscription-index.ts';
import type { TokenBuckets } from './token-buckets.ts';

/** What the stages share: the surroundings handed in, and what the engine remembers. */
export interface RelayState {
  /** Hex public keys from the configuration; nothing a client says adds to them. */
  owners: ReadonlySet<string>;
  /** Replaced as a whole when the operator changes it. */
  access: AccessRules;
  open: OpenKinds;
  /** The URLs an AUTH event may name, the announced one first. */
  relayUrls: readonly string[];
  limits: RelayLimits;
  policies: readonly Policy[];
  readonly policiesFor: (limits: RelayLimits) => readonly Policy[];
  readonly crypto: Crypto;
  readonly nowMs: () => number;
  /** A fresh random text per connection. */
  readonly newChallenge: () => string;
  readonly sessions: Map<ConnectionId, Session>;
  readonly occupancy: Occupancy;
  readonly subscriptions: SubscriptionIndex;
  readonly eventRate: TokenBuckets;
  readonly requestRate: TokenBuckets;
  peers: Peers;
  readonly sharedIds: RecentIds;
  /** The number of the last `query` effect. */
  lastTicket: number;
}

/** The relay's time in whole Unix seconds. */
export function nowSec(state: Pick<RelayState, 'nowMs'>): number {
  return Math.floor(state.nowMs() / 1_000);
}
