import { joinParts, type ObserverEvent, parsePart } from '@heliograph/wire';

/** Joined payloads the viewer itself acts on (snapshots, results, heads) are small; what is larger is the log's business. */
const MAX_PARTS = 64;
const MAX_OPEN = 16;
const WANTED = new Set(['snapshot', 'control_result', 'heads']);

/**
 * Puts together those events in parts that the viewer acts on. Parts may come in any order; at most 16 sets of at most 64
 * parts wait at once, the oldest is dropped first.
 */
export class PartCollector {
  readonly #open = new Map<string, Map<number, ObserverEvent>>();

  /** The whole event when this is its last missing part; the event itself when it is none. */
  take(event: ObserverEvent): ObserverEvent | undefined {
    const part = parsePart(event);
    if (part === undefined) return event;
    if (!WANTED.has(part.of) || part.count > MAX_PARTS) return undefined;
    const key = `${event.stream}:${part.first}:${part.sha256}`;
    const parts = this.#open.get(key) ?? new Map<number, ObserverEvent>();
    this.#open.set(key, parts);
    parts.set(part.index, event);
    if (parts.size < part.count) {
      if (this.#open.size > MAX_OPEN) this.#open.delete(this.#open.keys().next().value as string);
      return undefined;
    }
    this.#open.delete(key);
    const joined = joinParts([...parts].sort(([a], [b]) => a - b).map(([, piece]) => piece));
    return joined.ok ? joined.value : undefined;
  }
}
