import {
  type EventTemplate,
  type Filter,
  isAddressable,
  isReplaceable,
  type NostrEvent,
  tagValue,
} from '@heliograph/wire';
import type { Awaitable } from '../awaitable.ts';
import type { KindSet } from '../kind-set.ts';
import { KIND_GIFT_WRAP, type Reader } from '../visibility.ts';
import type { StorableEvent } from './storable-event.ts';

/** A kept event as a query gives it: `json` is its canonical text. */
export interface StoredEvent {
  readonly id: string;
  readonly createdAtSec: number;
  readonly json: string;
  /** It was stored so lately that it may come live yet; only stores that answer late have such. */
  readonly isFresh?: boolean;
}

/** A kept event by name: `id` has 32 bytes. */
export interface EventReference {
  readonly id: Uint8Array;
  readonly createdAtSec: number;
}

/** Who asks, and when: events that have expired by `nowSec` are not there. */
export interface Asker {
  readonly reader: Reader;
  readonly nowSec: number;
}

/** How much a query gives: the newest events that fit both bounds. */
export interface QueryScope extends Asker {
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/** Events of these kinds are kept for so many seconds after their created_at. */
export interface RetentionRule {
  readonly kinds: KindSet;
  readonly maxAgeSec: number;
}

/** What a sweep takes away: what has expired, and what the rules no longer keep; at most so many. */
export interface SweepScope {
  readonly nowSec: number;
  readonly retention: readonly RetentionRule[];
  readonly maxEvents: number;
}

/**
 * What became of an event: `stored`; `duplicate`: it was there; `superseded`: a newer version is there (same
 * created_at: the lowest id is newest, NIP-01); `deleted`: its author asked for its deletion (NIP-09).
 */
export type WriteOutcome = 'stored' | 'duplicate' | 'superseded' | 'deleted';

/** Where durable events live. Every implementation passes the store contract. Everything throws, or rejects, when the storage fails. */
export interface EventStore {
  /** Events that match the filter and that the reader may see, newest first, ties by lowest id. The filter's own `limit` is not read. */
  query(filter: Filter, scope: QueryScope): Awaitable<readonly StoredEvent[]>;
  /** How many different events match any of the filters and may be seen; counting stops at `maxCount`. Limits are not read. */
  count(filters: readonly Filter[], asker: Asker, maxCount: number): Awaitable<number>;
  /** Like `query`, only names; at most `maxEvents`. */
  references(filter: Filter, asker: Asker, maxEvents: number): Awaitable<readonly EventReference[]>;
  /** Writes all or none; durable once it answers; one outcome per event, in order. */
  write(events: readonly StorableEvent[]): Awaitable<readonly WriteOutcome[]>;
  /** Takes away what is over; gives how many events that were. Deletion requests stay: they keep what they name from coming back. */
  sweep(scope: SweepScope): Awaitable<number>;
  /** Takes one event away, whatever its kind, because the operator says so; gives whether it was there. */
  remove(id: string): Awaitable<boolean>;
  /** Gives back files and locks; the store is not used after. */
  close(): Awaitable<void>;
}

/** Kind of a deletion request (NIP-09). */
export const KIND_DELETION = 5;

/** The `a` tag value under which a replaceable or addressable event has one newest version; undefined for regular kinds. */
export function eventAddress(event: EventTemplate & { readonly pubkey: string }): string | undefined {
  if (isReplaceable(event.kind)) return `${event.kind}:${event.pubkey}:`;
  if (isAddressable(event.kind)) return `${event.kind}:${event.pubkey}:${tagValue(event, 'd') ?? ''}`;
  return undefined;
}

/** The tags a filter can name: single letters with a value, each pair once (NIP-01). */
export function indexedTags(event: EventTemplate): [name: string, value: string][] {
  const pairs = new Map<string, [string, string]>();
  for (const [name, value] of event.tags) {
    if (name?.length === 1 && /[A-Za-z]/.test(name) && value !== undefined) pairs.set(name + value, [name, value]);
  }
  return [...pairs.values()];
}

/** The keys whose deletion request by id counts: the author's, and for a gift wrap those it is addressed to (NIP-09). */
export function deletersOf(event: NostrEvent): readonly string[] {
  if (event.kind !== KIND_GIFT_WRAP) return [event.pubkey];
  return [event.pubkey, ...event.tags.flatMap(([name, value]) => (name === 'p' && value !== undefined ? [value] : []))];
}
