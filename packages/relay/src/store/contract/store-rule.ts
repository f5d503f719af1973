import { nobleCrypto } from '@heliograph/crypto/noble';
import { type EventTemplate, eventSigner, type Filter, type VerifiedEvent } from '@heliograph/wire';
import type { Reader } from '../../visibility.ts';
import type { EventStore, QueryScope, SweepScope, WriteOutcome } from '../event-store.ts';
import { storableEvent } from '../storable-event.ts';

/** One rule of SPEC RL1–RL8 and what shows it on an empty store; throws AssertionError. */
export interface StoreRule {
  readonly title: string;
  check(store: EventStore): Promise<void>;
}

/** Two who write. */
export const alice = eventSigner(new Uint8Array(32).fill(1), nobleCrypto);
export const bob = eventSigner(new Uint8Array(32).fill(2), nobleCrypto);

/** Writes what may be kept of these events. */
export async function write(store: EventStore, ...events: VerifiedEvent[]): Promise<readonly WriteOutcome[]> {
  const kept = events.map(storableEvent);
  return store.write(kept.filter((event) => event !== undefined));
}

/** The ids a filter is answered with. */
export async function ids(store: EventStore, filter: Filter = {}, bounds: Partial<QueryScope> = {}): Promise<string[]> {
  return (await store.query(filter, scope(bounds))).map((event) => event.id);
}

/** A reader with this key. */
export function as(pubkey: string): Reader {
  return { pubkey, kinds: undefined };
}

/** How many events match. */
export async function count(
  store: EventStore,
  filters: readonly Filter[],
  bounds: Partial<QueryScope> = {},
): Promise<number> {
  return store.count(filters, scope(bounds), 1_000);
}

/** Takes away what is over. */
export async function sweep(store: EventStore, scope: Partial<SweepScope>): Promise<number> {
  return store.sweep({ nowSec: 1_000, retention: [], maxEvents: 100, ...scope });
}

/** What is asked by Alice, at second 1,000, unless said. */
export function scope(bounds: Partial<QueryScope>): QueryScope {
  return { reader: as(alice.publicKey), nowSec: 1_000, maxEvents: 100, maxBytes: 1e9, ...bounds };
}

/** A note at second 10, unless said. */
export function template(fields: Partial<EventTemplate>): EventTemplate {
  return { kind: 1, created_at: 10, tags: [], content: '', ...fields };
}

/** A deletion request. */
export function deletion(author: typeof alice, created_at: number, ...tags: string[][]): VerifiedEvent {
  return author.sign(template({ kind: 5, created_at, tags }));
}

/** Lowest id first. */
export function byId(a: VerifiedEvent, b: VerifiedEvent): number {
  return a.id < b.id ? -1 : 1;
}
