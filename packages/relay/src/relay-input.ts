import type { EventError, Result, VerifiedEvent } from '@heliograph/wire';
import type { AccessRules, OpenKinds } from './access.ts';
import type { QueryEffect, StoreEffect, VerifyEffect } from './relay-effect.ts';
import type { WriteOutcome } from './store/event-store.ts';
import type { StoreAnswer } from './stored-answer.ts';

/** Names one connection for as long as the process lives; never reused. */
export type ConnectionId = number;

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
  /** The operator decided anew who may use the relay. */
  | { readonly type: 'access'; readonly access: AccessRules }
  /** The relay's configuration was read again: who owns it and what is open to all. */
  | { readonly type: 'configure'; readonly owners: readonly string[]; readonly open: OpenKinds }
  /** Time passed; at least once a second. */
  | { readonly type: 'tick' };
