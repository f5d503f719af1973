import { compileFilter, type Filter, hexDecode } from '@heliograph/wire';
import { expiresAt } from '../expiration.ts';
import { hasKind } from '../kind-set.ts';
import { matchSearch } from '../search.ts';
import { isVisible } from '../visibility.ts';
import {
  type Asker,
  deletersOf,
  type EventReference,
  type EventStore,
  eventAddress,
  KIND_DELETION,
  type QueryScope,
  type StoredEvent,
  type SweepScope,
  type WriteOutcome,
} from './event-store.ts';
import type { StorableEvent } from './storable-event.ts';

/** A store that forgets everything at the end: for tests, and the plain reading of the rules that others are held against. */
export class MemoryStore implements EventStore {
  readonly #events = new Map<string, StorableEvent>();
  readonly #newest = new Map<string, StorableEvent>();

  query(filter: Filter, scope: QueryScope): readonly StoredEvent[] {
    const answer: StoredEvent[] = [];
    let bytes = 0;
    for (const { id, created_at, json } of this.#find(filter, scope).slice(0, scope.maxEvents)) {
      bytes += json.length;
      if (bytes > scope.maxBytes) break;
      answer.push({ id, createdAtSec: created_at, json });
    }
    return answer;
  }

  count(filters: readonly Filter[], asker: Asker, maxCount: number): number {
    const found = new Set(filters.flatMap((filter) => this.#find(filter, asker)));
    return Math.min(found.size, maxCount);
  }

  references(filter: Filter, asker: Asker, maxEvents: number): readonly EventReference[] {
    const found = this.#find(filter, asker).slice(0, maxEvents);
    return found.map(({ id, created_at }) => ({ id: hexDecode(id), createdAtSec: created_at }));
  }

  #find(filter: Filter, { reader, nowSec }: Asker): StorableEvent[] {
    const matches = compileFilter(filter);
    const found = [...this.#events.values()].filter(
      (event) =>
        matches(event) &&
        (filter.search === undefined || matchSearch(filter.search, event)) &&
        isVisible(event, reader) &&
        !(nowSec >= (expiresAt(event) ?? Number.POSITIVE_INFINITY)),
    );
    return found.sort((a, b) => b.created_at - a.created_at || (a.id < b.id ? -1 : 1));
  }

  write(events: readonly StorableEvent[]): readonly WriteOutcome[] {
    return events.map((event) => this.#writeOne(event));
  }

  #writeOne(event: StorableEvent): WriteOutcome {
    if (this.#events.has(event.id)) return 'duplicate';
    if (this.#isDeleted(event)) return 'deleted';
    const address = eventAddress(event);
    if (address !== undefined) {
      const held = this.#newest.get(address);
      if (held !== undefined && !isNewer(event, held)) return 'superseded';
      if (held !== undefined) this.#remove(held);
      this.#newest.set(address, event);
    }
    this.#events.set(event.id, event);
    if (event.kind === KIND_DELETION) this.#applyDeletion(event);
    return 'stored';
  }

  /** Deletion requests are kept for ever, so they are the memory of what must not come back. */
  #isDeleted(event: StorableEvent): boolean {
    for (const request of this.#events.values()) if (deletes(request, event)) return true;
    return false;
  }

  #applyDeletion(request: StorableEvent): void {
    for (const event of this.#events.values()) if (deletes(request, event)) this.#remove(event);
  }

  #remove(event: StorableEvent): void {
    this.#events.delete(event.id);
    const address = eventAddress(event);
    if (address !== undefined && this.#newest.get(address) === event) this.#newest.delete(address);
  }

  sweep({ nowSec, retention, maxEvents }: SweepScope): number {
    const over = [...this.#events.values()].filter(
      (event) =>
        event.kind !== KIND_DELETION &&
        (nowSec >= (expiresAt(event) ?? Number.POSITIVE_INFINITY) ||
          retention.some(
            ({ kinds, maxAgeSec }) => hasKind(kinds, event.kind) && event.created_at < nowSec - maxAgeSec,
          )),
    );
    over.sort((a, b) => a.created_at - b.created_at);
    for (const event of over.slice(0, maxEvents)) this.#remove(event);
    return Math.min(over.length, maxEvents);
  }

  remove(id: string): boolean {
    const event = this.#events.get(id);
    if (event !== undefined) this.#remove(event);
    return event !== undefined;
  }

  close(): void {}
}

function isNewer(event: StorableEvent, held: StorableEvent): boolean {
  return event.created_at > held.created_at || (event.created_at === held.created_at && event.id < held.id);
}

/** NIP-09: only one's own, or a gift wrap to oneself; never another request; an `a` tag reaches up to the request's own time. */
function deletes(request: StorableEvent, event: StorableEvent): boolean {
  if (request.kind !== KIND_DELETION || event.kind === KIND_DELETION) return false;
  const address = eventAddress(event);
  return request.tags.some(
    ([name, value]) =>
      (name === 'e' && value === event.id && deletersOf(event).includes(request.pubkey)) ||
      (name === 'a' &&
        address !== undefined &&
        value === address &&
        event.pubkey === request.pubkey &&
        event.created_at <= request.created_at),
  );
}
