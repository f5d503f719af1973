import { err, type Filter, ok, type Result } from '@heliograph/wire';
import type { RelayLimits } from './limits.ts';
import type { Asker, EventStore, StoredEvent } from './store/event-store.ts';

/** The storage failed; `cause` is what it threw. */
export interface QueryError {
  readonly code: 'storage';
  readonly message: string;
  readonly cause: unknown;
}

/**
 * What is stored for a REQ and visible to the asker: each filter's newest up to its limit, together without repeats,
 * newest first, ties by lowest id, and no more than maxAnswerBytes (the newest of it).
 */
export function answerFilters(
  store: Pick<EventStore, 'query'>,
  filters: readonly Filter[],
  asker: Asker,
  limits: Pick<RelayLimits, 'maxLimit' | 'defaultLimit' | 'maxAnswerBytes'>,
): Result<readonly StoredEvent[], QueryError> {
  const found = new Map<string, StoredEvent>();
  try {
    for (const filter of filters) {
      const maxEvents = Math.min(filter.limit ?? limits.defaultLimit, limits.maxLimit);
      // limit 0 asks for what comes, and the store need not be troubled.
      if (maxEvents === 0) continue;
      for (const event of store.query(filter, { ...asker, maxEvents, maxBytes: limits.maxAnswerBytes })) {
        found.set(event.id, event);
      }
    }
  } catch (cause) {
    return err({ code: 'storage', message: "the relay's storage failed; its log says why", cause });
  }
  if (filters.length === 1) return ok([...found.values()]);
  const ordered = [...found.values()].sort((a, b) => b.createdAtSec - a.createdAtSec || (a.id < b.id ? -1 : 1));
  return ok(newestThatFit(ordered, limits.maxAnswerBytes));
}

function newestThatFit(events: readonly StoredEvent[], maxBytes: number): readonly StoredEvent[] {
  let bytes = 0;
  const end = events.findIndex((event) => {
    bytes += event.json.length;
    return bytes > maxBytes;
  });
  return end === -1 ? events : events.slice(0, end);
}
