import type { ObserverEvent } from '@heliograph/wire/observer';
import { ForeignLog } from './foreign-log.ts';
import type { SeqSpan } from './seq-ranges.ts';
import { StreamLog, type Verdict } from './stream-log.ts';

/**
 * All events of one agent that are here, by (stream, seq), with exact gaps. A stream belongs to the channel of its
 * `stream_opened`; what names another is refused, and so is another content under an identity that is held: the first
 * stays, but for the redacted copy of an exact event that comes. Events without `stream` go by (timestamp, seq) and have no gaps.
 */
export class EventLog {
  readonly #streams = new Map<string, StreamLog>();
  readonly #foreign = new Map<string | null, ForeignLog>();

  /** Amortised O(1) for events that come in order. */
  insert(event: ObserverEvent): Verdict {
    if (event.stream === undefined) return this.foreign(event.channelId).insert(event);
    return this.#stream(event.stream).insert(event);
  }

  #stream(id: string): StreamLog {
    let log = this.#streams.get(id);
    if (log === undefined) {
      log = new StreamLog(id);
      this.#streams.set(id, log);
    }
    return log;
  }

  /** The stream with this id, when anything of it is here or was announced. */
  stream(id: string): StreamLog | undefined {
    return this.#streams.get(id);
  }

  /** Foreign events of one channel. */
  foreign(channelId: string | null): ForeignLog {
    let log = this.#foreign.get(channelId);
    if (log === undefined) {
      log = new ForeignLog();
      this.#foreign.set(channelId, log);
    }
    return log;
  }

  /** Ids of all streams, in the order they were first heard of. */
  streams(): readonly string[] {
    return [...this.#streams.keys()];
  }

  /** The stream has events up to `seq` (from `heads`): what is not here is a gap. True when that is news. */
  announce(stream: string, seq: number): boolean {
    return this.#stream(stream).announce(seq);
  }

  /** What is missing of a stream: before, between and (as far as announced) after what is held. */
  gaps(stream: string): readonly SeqSpan[] {
    return this.#streams.get(stream)?.gaps() ?? [];
  }

  /** The newest seq held, 0 when none is. */
  head(stream: string): number {
    return this.#streams.get(stream)?.head ?? 0;
  }

  /** Held events of a stream from `first` to `last`, in order. */
  *range(stream: string, first = 1, last = Number.MAX_SAFE_INTEGER): Generator<ObserverEvent> {
    const log = this.#streams.get(stream);
    if (log !== undefined) yield* log.range(first, last);
  }

  /** Characters of all payloads that are here, of events with a stream. */
  get units(): number {
    let sum = 0;
    for (const { units } of this.#streams.values()) sum += units;
    return sum;
  }

  /** Events held: of one stream, or of all. */
  count(stream?: string): number {
    if (stream !== undefined) return this.#streams.get(stream)?.count ?? 0;
    let sum = 0;
    for (const log of this.#streams.values()) sum += log.count;
    for (const log of this.#foreign.values()) sum += log.count;
    return sum;
  }
}
