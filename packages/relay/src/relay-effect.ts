import type { NostrEvent, OkPrefix, VerifiedEvent } from '@heliograph/wire';
import type { ConnectionId } from './relay-input.ts';
import type { StorableEvent } from './store/storable-event.ts';
import type { Question } from './stored-answer.ts';

/** Prefixes of CLOSED: those of OK and `unsupported` (NIP-01, NIP-45). */
export type ClosedPrefix = OkPrefix | 'unsupported';

/** Check an event's id and signature, here or in a worker, and answer with `verified`. */
export interface VerifyEffect {
  readonly type: 'verify';
  readonly connection: ConnectionId;
  readonly purpose: 'publish' | 'auth' | 'shared';
  readonly event: NostrEvent;
  /** Of a shared event that comes late: when it was stored. */
  readonly storedAtMs?: number | undefined;
}

/** Write an event durably, together with others if that is cheaper, and answer with `stored`. */
export interface StoreEffect {
  readonly type: 'store';
  readonly connection: ConnectionId;
  readonly event: StorableEvent;
}

/** Ask the store and answer with `answered`: in the same step where the store can, else when it has. */
export interface QueryEffect {
  readonly type: 'query';
  readonly connection: ConnectionId;
  /** What the client calls it, and a number by which a late answer finds only the request it was for. */
  readonly id: string;
  readonly ticket: number;
  readonly question: Question;
}

/** What happened, for logs and counters; never holds an event. */
export type RelayReport =
  | { readonly type: 'admitted'; readonly role: 'owner' | 'member' | 'agent'; readonly pubkey: string }
  | { readonly type: 'refused'; readonly pubkey: string; readonly message: string }
  | { readonly type: 'admission-ended'; readonly pubkey: string }
  | { readonly type: 'connection-ended'; readonly message: string }
  | { readonly type: 'query-failed'; readonly cause: unknown }
  /** An event of another relay was forged. */
  | { readonly type: 'shared-refused'; readonly message: string };

/** Everything the engine can ask of the program around it. */
export type RelayEffect =
  /** One message to one connection; `refusal` is the prefix of an OK false or a CLOSED, for counting. */
  | {
      readonly type: 'send';
      readonly connection: ConnectionId;
      readonly text: string;
      readonly refusal?: ClosedPrefix;
    }
  /** The same message to several connections: encode it once. */
  | { readonly type: 'broadcast'; readonly connections: readonly ConnectionId[]; readonly text: string }
  /** End a connection with a WebSocket code and a reason of at most 123 bytes; the engine has forgotten it. */
  | { readonly type: 'close'; readonly connection: ConnectionId; readonly code: number; readonly reason: string }
  | { readonly type: 'report'; readonly connection: ConnectionId; readonly report: RelayReport }
  /** Give an event to the other relays that share our subscribers, if they can be reached. */
  | { readonly type: 'share'; readonly event: VerifiedEvent }
  | VerifyEffect
  | QueryEffect
  | StoreEffect;
