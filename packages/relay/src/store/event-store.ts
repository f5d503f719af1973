import { type EventTemplate, type Filter, isAddressable, isReplaceable, tagValue } from '@heliograph/wire';
import type { StorableEvent } from './storable-event.ts';

/** A kept event as a query gives it: `json` is its canonical text. */
export interface StoredEvent {
  readonly id: string;
  readonly createdAtSec: number;
  readonly json: string;
}

/** Who asks, and how much they get. `reader` is a public key in hex; the newest events that fit both bounds are given. */
export interface QueryScope {
  readonly reader: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
}

/**
 * What became of an event: `stored`; `duplicate`: it was there; `superseded`: a newer version is there (same
 * created_at: the lowest id is newest, NIP-01); `deleted`: its author asked for its deletion (NIP-09).
 */
export type WriteOutcome = 'stored' | 'duplicate' | 'superseded' | 'deleted';

/** Where durable events live. Every implementation passes `storeContract`. */
export interface EventStore {
  /** Events that match the filter and that the reader may see, newest first, ties by lowest id. The filter's own `limit` is not read. Throws when the storage fails. */
  query(filter: Filter, scope: QueryScope): readonly StoredEvent[];
  /** Writes all or none; durable on return; one outcome per event, in order. Throws when the storage fails. */
  write(events: readonly StorableEvent[]): readonly WriteOutcome[];
  /** Gives back files and locks; the store is not used after. */
  close(): void;
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
