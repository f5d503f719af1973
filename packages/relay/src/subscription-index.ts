import { compileFilter, type Filter, type NostrEvent, tagFilters } from '@heliograph/wire';
import { matchSearch } from './search.ts';
import type { Session } from './session.ts';

/** One REQ that is open: its events go to `session` under `id`. */
export interface Subscription {
  readonly session: Session;
  readonly id: string;
  readonly filters: readonly Filter[];
  readonly openedAtMs: number;
  /** While what is stored is being read: that query's ticket, and what came meanwhile, texts by event id. */
  waiting: { readonly ticket: number; readonly held: Map<string, string> } | undefined;
  /** Ids the answer held that may come live yet, because they were stored as it was read; forgotten after a while. */
  answered: { readonly ids: Set<string>; untilMs: number } | undefined;
}

/** One filter of a subscription. `met` is shared by all filters of it: the event that was last found to match one. */
interface Entry {
  readonly subscription: Subscription;
  readonly matches: (event: NostrEvent) => boolean;
  readonly met: { event: NostrEvent | undefined };
}

/**
 * Finds the subscriptions an event matches without looking at the others: each filter stands in a Map under the values
 * of its most selective member, so ten thousand idle subscriptions on other `#p` cost an event nothing.
 */
export class SubscriptionIndex {
  readonly #entries = new Map<string, Set<Entry>>();
  readonly #placed = new Map<Subscription, { readonly entry: Entry; readonly keys: readonly string[] }[]>();

  /** Starts matching; the same object must not be added twice. */
  add(subscription: Subscription): void {
    const met: Entry['met'] = { event: undefined };
    const placed = subscription.filters.map((filter) => {
      const place = { entry: { subscription, matches: compileLive(filter), met }, keys: keysOf(filter) };
      for (const key of place.keys) {
        const entries = this.#entries.get(key);
        if (entries === undefined) this.#entries.set(key, new Set([place.entry]));
        else entries.add(place.entry);
      }
      return place;
    });
    this.#placed.set(subscription, placed);
  }

  /** Stops matching; does nothing when it was not added. */
  remove(subscription: Subscription): void {
    for (const { entry, keys } of this.#placed.get(subscription) ?? []) {
      for (const key of keys) {
        const entries = this.#entries.get(key);
        entries?.delete(entry);
        if (entries?.size === 0) this.#entries.delete(key);
      }
    }
    this.#placed.delete(subscription);
  }

  /** The subscriptions with a filter that matches, each once. Costs one look-up per tag, and one check per candidate. */
  match(event: NostrEvent): readonly Subscription[] {
    const found: Entry[] = [];
    const look = (key: string): void => {
      const entries = this.#entries.get(key);
      if (entries === undefined) return;
      for (const entry of entries) {
        if (entry.met.event === event || !entry.matches(event)) continue;
        entry.met.event = event;
        found.push(entry);
      }
    };
    look(EVERYTHING);
    look(`ids:${event.id}`);
    look(`authors:${event.pubkey}`);
    look(`kinds:${event.kind}`);
    for (const [name, value] of event.tags) if (name?.length === 1 && value !== undefined) look(`#${name}:${value}`);
    return found.map(({ subscription, met }) => {
      met.event = undefined;
      return subscription;
    });
  }
}

const EVERYTHING = '*';

function compileLive(filter: Filter): (event: NostrEvent) => boolean {
  const matches = compileFilter(filter);
  const { search } = filter;
  return search === undefined ? matches : (event) => matches(event) && matchSearch(search, event);
}

/** Where a filter stands: under its ids, else its shortest tag list, else its authors, else its kinds. An empty list matches nothing and stands nowhere. */
function keysOf(filter: Filter): readonly string[] {
  if (filter.ids !== undefined) return filter.ids.map((id) => `ids:${id}`);
  const tag = tagFilters(filter).sort((a, b) => a[1].length - b[1].length)[0];
  if (tag !== undefined) return tag[1].map((value) => `#${tag[0]}:${value}`);
  if (filter.authors !== undefined) return filter.authors.map((author) => `authors:${author}`);
  if (filter.kinds !== undefined) return filter.kinds.map((kind) => `kinds:${kind}`);
  return [EVERYTHING];
}
