import type { ObserverEvent } from '@heliograph/wire/observer';
import type { LogEvent } from './log-event.ts';
import { sameEvent, type Verdict } from './stream-log.ts';

/** Events of other implementations (no `stream`): ordered by (timestamp, seq), no gaps, seqs may repeat. */
export class ForeignLog {
  readonly #keys: string[] = [];
  readonly #events: ObserverEvent[] = [];

  get count(): number {
    return this.#events.length;
  }

  get oldest(): ObserverEvent | undefined {
    return this.#events[0];
  }

  insert(event: ObserverEvent): Verdict {
    const key = foreignKey(event);
    const place = this.#place(key);
    const held = this.#events[place];
    if (held !== undefined && this.#keys[place] === key) return sameEvent(held, event) ? 'duplicate' : 'conflict';
    this.#keys.splice(place, 0, key);
    this.#events.splice(place, 0, event);
    return place === this.#events.length - 1 ? 'appended' : 'reordered';
  }

  /** The first event after the one with this key. */
  next(key: string): LogEvent | undefined {
    const place = this.#place(key);
    return this.#events[this.#keys[place] === key ? place + 1 : place];
  }

  lineAt(index: number): LogEvent | undefined {
    return this.#events[index];
  }

  /** Where the first event with this seq stands, −1 when there is none: seqs repeat, and nothing else names one. */
  indexOf(seq: number): number {
    return this.#events.findIndex((event) => event.seq === seq);
  }

  /** Where `key` stands or would stand: looked for at the end first, because that is where new events go. */
  #place(key: string): number {
    const newest = this.#keys.at(-1);
    if (newest === undefined || newest < key) return this.#keys.length;
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] ?? '') < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Sorts as (timestamp, seq). RFC 3339 in UTC, with any number of fraction digits and any spelling of the zone. */
export function foreignKey(event: ObserverEvent): string {
  const [, whole = event.timestamp, fraction = ''] = /^([^.Zz+]*)(?:\.(\d+))?/.exec(event.timestamp) ?? [];
  return `${whole}.${fraction.padEnd(9, '0')}#${String(event.seq).padStart(16, '0')}`;
}
