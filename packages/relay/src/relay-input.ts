import type { EventError, NostrEvent, Result, VerifiedEvent } from '@heliograph/wire';
import type { AccessRules, OpenKinds } from './access.ts';
import type { RelayLimits } from './limits.ts';
import type { Peers } from './peers.ts';
import type { QueryEffect, StoreEffect, VerifyEffect } from './relay-effect.ts';
import type { WriteOutcome } from './store/event-store.ts';
import type { StoreAnswer } from './stored-answer.ts';

/** Names one connection for as long as the process lives; never reused. */
export type ConnectionId = number;

/** Stands where an effect is for no connection of ours. */
export const NO_CONNECTION: ConnectionId = 0;

/** What may be configured anew while a relay runs. */
export interface RelayRules {
  /** Public keys in hex. Without one nobody can use the relay. */
  readonly owners: readonly string[];
  /** What is open to everybody. */
  readonly open: OpenKinds;
  /** ws and wss URLs an AUTH event may name, the announced one first. */
  readonly relayUrls: readonly string[];
  readonly limits: RelayLimits;
}

/** Everything that can happen to a relay. */
export type RelayInput =
  /** A socket is open; `address` is its peer's. */
  | { readonly type: 'open'; readonly connection: ConnectionId; readonly address: string }
  /** A text message arrived, already within the size limit. */
  | { readonly type: 'message'; readonly connection: ConnectionId; readonly text: string }
  /** A socket is gone, whoever closed it. */
  | { readonly type: 'close'; readonly connection: ConnectionId }
  /** A `verify` effect is done. */
  | { readonly type: 'verified'; readonly request: VerifyEffect; readonly result: Result<VerifiedEvent, EventError> }
  /** A `query` effect is done, or failed. */
  | { readonly type: 'answered'; readonly request: QueryEffect; readonly answer: StoreAnswer }
  /** A `store` effect is committed, or failed and left nothing behind. */
  | { readonly type: 'stored'; readonly request: StoreEffect; readonly outcome: WriteOutcome | 'failed' }
  /**
   * An event came from another relay that shares our subscribers; not verified yet. `storedAtMs` (Unix milliseconds) where it
   * was stored while that relay couldn't tell us.
   */
  | { readonly type: 'shared'; readonly event: NostrEvent; readonly storedAtMs?: number | undefined }
  /** What is known of the other relays changed. */
  | { readonly type: 'peers'; readonly peers: Peers }
  /** The operator decided anew who may use the relay. */
  | { readonly type: 'access'; readonly access: AccessRules }
  /** The relay's configuration was read again. */
  | { readonly type: 'configure'; readonly rules: RelayRules }
  /** Time passed; at least once a second. */
  | { readonly type: 'tick' };
