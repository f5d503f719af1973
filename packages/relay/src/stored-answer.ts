import type { Filter } from '@heliograph/wire';
import { type Awaitable, allReady, attempt, whenReady } from './awaitable.ts';
import type { Asker, EventReference, EventStore, StoredEvent } from './store/event-store.ts';

/** What the engine asks of a store; writing goes through other effects. */
export type AskedStore = Pick<EventStore, 'query' | 'count' | 'references'>;

/** A filter with how many events it may give. */
export interface BoundedFilter {
  readonly filter: Filter;
  readonly maxEvents: number;
}

/** What one message wants to know of the store. */
export type Question =
  | {
      readonly ask: 'events';
      readonly filters: readonly BoundedFilter[];
      readonly asker: Asker;
      readonly maxBytes: number;
    }
  | { readonly ask: 'count'; readonly filters: readonly Filter[]; readonly asker: Asker; readonly maxCount: number }
  | {
      readonly ask: 'references';
      readonly filter: Filter;
      /** The message a reconciliation began with, which is answered from what is found. */
      readonly first: string;
      readonly asker: Asker;
      readonly maxEvents: number;
    };

/** What a store says to a question; `failed` with what it threw. */
export type StoreAnswer =
  | { readonly ask: 'events'; readonly events: readonly StoredEvent[] }
  | { readonly ask: 'count'; readonly count: number }
  | { readonly ask: 'references'; readonly first: string; readonly references: readonly EventReference[] }
  | { readonly ask: 'failed'; readonly cause: unknown };

/** Asks a store. A store that answers in the same step is answered for in the same step. Never throws or rejects. */
export function askStore(store: AskedStore, question: Question): Awaitable<StoreAnswer> {
  const answer = attempt(() => answerOf(store, question));
  return whenReady(answer, (result) => (result.ok ? result.value : { ask: 'failed', cause: result.error }));
}

function answerOf(store: AskedStore, question: Question): Awaitable<StoreAnswer> {
  const { asker } = question;
  switch (question.ask) {
    case 'events':
      return whenReady(findEvents(store, question), (events) => ({ ask: 'events', events }));
    case 'count':
      return whenReady(store.count(question.filters, asker, question.maxCount), (count) => ({ ask: 'count', count }));
    case 'references':
      return whenReady(store.references(question.filter, asker, question.maxEvents), (references) => {
        return { ask: 'references', first: question.first, references };
      });
  }
}

/**
 * What is stored and visible to the asker: each filter's newest up to its bound, together without repeats, newest first,
 * ties by lowest id, and no more than maxBytes (the newest of it).
 */
function findEvents(
  store: AskedStore,
  { filters, asker, maxBytes }: Extract<Question, { ask: 'events' }>,
): Awaitable<readonly StoredEvent[]> {
  const parts = filters.map(({ filter, maxEvents }) => store.query(filter, { ...asker, maxEvents, maxBytes }));
  return whenReady(allReady(parts), ([first = [], ...others]) => {
    if (others.length === 0) return first;
    const found = new Map([first, ...others].flatMap((events) => events.map((event) => [event.id, event])));
    const ordered = [...found.values()].sort((a, b) => b.createdAtSec - a.createdAtSec || (a.id < b.id ? -1 : 1));
    return newestThatFit(ordered, maxBytes);
  });
}

function newestThatFit(events: readonly StoredEvent[], maxBytes: number): readonly StoredEvent[] {
  let bytes = 0;
  const end = events.findIndex((event) => {
    bytes += event.json.length;
    return bytes > maxBytes;
  });
  return end === -1 ? events : events.slice(0, end);
}
