import { joinParts, type ObserverEvent, parsePart } from '@heliograph/wire/observer';
import { parseObject } from './json.ts';
import type { LogEvent } from './log-event.ts';
import { isRedactedCopy } from './redacted-copy.ts';
import { SeqRanges, type SeqSpan } from './seq-ranges.ts';

/**
 * `appended`: newest so far. `reordered`: older than others held. `duplicate`: held already, or a redacted copy of what is.
 * `restored`: takes the place of its redacted copy. `conflict`: refused.
 */
export type Verdict = 'appended' | 'reordered' | 'duplicate' | 'restored' | 'conflict';

/** The events of one stream by seq. */
export class StreamLog {
  readonly stream: string;
  readonly #events = new Map<number, ObserverEvent>();
  readonly #held = new SeqRanges();
  readonly #conflicts = new Set<number>();
  /** Complete sets of parts, by the seq of their first. */
  readonly #sets = new Map<number, SeqSpan>();
  #linesBefore: { readonly sets: readonly SeqSpan[]; readonly line: readonly number[] } | undefined;
  readonly #joined = new WeakMap<ObserverEvent, LogEvent>();
  #owner: string | null | undefined;
  #announced = 0;
  /** How often events were thrown out again, because the stream turned out to be another channel's. */
  evictions = 0;

  constructor(stream: string) {
    this.stream = stream;
  }

  get count(): number {
    return this.#events.size;
  }

  /** The newest seq held. */
  get head(): number {
    return this.#held.last;
  }

  /** The newest seq that is known to exist. */
  get end(): number {
    return Math.max(this.#announced, this.#held.last);
  }

  /** The channel this stream carries: its `stream_opened` says so; until that is here, its oldest event. */
  get channelId(): string | null {
    return this.#owner === undefined ? (this.oldest?.channelId ?? null) : this.#owner;
  }

  get oldest(): ObserverEvent | undefined {
    const first = this.#held.spans[0]?.first;
    return first === undefined ? undefined : this.#events.get(first);
  }

  insert(event: ObserverEvent): Verdict {
    const { seq } = event;
    if (!Number.isSafeInteger(seq) || seq < 1) return 'conflict';
    const held = this.#events.get(seq);
    if (held !== undefined) {
      if (sameEvent(held, event) || (sameHead(held, event) && isRedactedCopy(held, event))) {
        return held.redacted === undefined || event.redacted !== undefined ? 'duplicate' : this.#restore(event);
      }
      this.#conflicts.add(seq);
      return 'conflict';
    }
    if (seq === 1 && event.kind === 'stream_opened') this.#setOwner(event);
    else if (this.#owner !== undefined && event.channelId !== this.#owner) return 'conflict';
    const verdict = seq > this.#held.last ? 'appended' : 'reordered';
    this.#events.set(seq, event);
    this.#held.add(seq);
    if (event.kind === 'acp_part') this.#noteSet(event);
    if (verdict === 'reordered') this.#linesBefore = undefined;
    return verdict;
  }

  /** The exact event, where a redacted copy of it stood. */
  #restore(event: ObserverEvent): Verdict {
    this.#events.set(event.seq, event);
    if (event.kind === 'acp_part') {
      const last = this.#events.get(this.lastPartOf(event) ?? event.seq);
      if (last !== undefined) this.#joined.delete(last);
      this.#noteSet(event);
    }
    return 'restored';
  }

  #setOwner(event: ObserverEvent): void {
    const named = parseObject(event.payload)?.channelId;
    const owner = typeof named === 'string' || named === null ? named : event.channelId;
    this.#owner = owner;
    for (const [seq, held] of this.#events) {
      if (held.channelId === owner) continue;
      this.#events.delete(seq);
      this.#held.remove(seq);
      this.evictions++;
    }
    if (this.evictions > 0) {
      this.#sets.clear();
      this.#linesBefore = undefined;
      for (const held of this.#events.values()) if (held.kind === 'acp_part') this.#noteSet(held);
    }
  }

  /** The stream goes at least this far: somebody counted. */
  announce(seq: number): boolean {
    if (!Number.isSafeInteger(seq) || seq <= this.#announced) return false;
    this.#announced = seq;
    return true;
  }

  get(seq: number): ObserverEvent | undefined {
    return this.#events.get(seq);
  }

  isConflicted(seq: number): boolean {
    return this.#conflicts.has(seq);
  }

  gaps(): readonly SeqSpan[] {
    return this.#held.gaps(this.end);
  }

  /** The first event after `seq`, as the reducer reads it: with the last of its parts a payload is whole. */
  next(seq: number): LogEvent | undefined {
    const found = this.#held.next(seq);
    return found === undefined ? undefined : this.read(found);
  }

  *range(first: number, last: number): Generator<ObserverEvent> {
    for (let seq = this.#held.next(first - 1); seq !== undefined && seq <= last; seq = this.#held.next(seq)) {
      const event = this.#events.get(seq);
      if (event !== undefined) yield event;
    }
  }

  read(seq: number): LogEvent | undefined {
    const event = this.#events.get(seq);
    if (event === undefined) return undefined;
    const read = event.kind === 'acp_part' ? this.#readPart(event) : event;
    return this.#conflicts.has(seq) ? { ...read, conflict: true } : read;
  }

  #readPart(event: ObserverEvent): LogEvent {
    const part = parsePart(event);
    if (part === undefined) return { ...event, unjoined: true };
    if (part.index < part.count - 1) return event;
    if (this.#sets.has(part.first)) return this.#join(part.first, event);
    // With nothing missing and yet no set, these are pieces of nothing.
    return this.#isWhole(part.first, event.seq) ? { ...event, unjoined: true } : event;
  }

  #join(first: number, last: ObserverEvent): LogEvent {
    const known = this.#joined.get(last);
    if (known !== undefined) return known;
    const joined = joinParts([...this.range(first, last.seq)]);
    const read: LogEvent = joined.ok ? { ...joined.value, lastSeq: last.seq } : { ...last, unjoined: true };
    this.#joined.set(last, read);
    return read;
  }

  /** The seq of the last part of the set `event` belongs to, when that part is here. */
  lastPartOf(event: ObserverEvent): number | undefined {
    const part = parsePart(event);
    const last = part === undefined ? 0 : part.first + part.count - 1;
    return this.#events.has(last) ? last : undefined;
  }

  #noteSet(event: ObserverEvent): void {
    const part = parsePart(event);
    if (part === undefined) return;
    const { first, count } = part;
    const last = first + count - 1;
    if (!this.#isWhole(first, last)) return;
    for (const piece of this.range(first, last)) if (parsePart(piece)?.first !== first) return;
    this.#sets.set(first, { first, last });
    this.#linesBefore = undefined;
  }

  #isWhole(first: number, last: number): boolean {
    return this.#held.indexOf(last + 1) - this.#held.indexOf(first) === last - first + 1;
  }

  /** Lines as a reader counts them: a complete set of parts is one. */
  get lineCount(): number {
    const { sets } = this.#lineIndex();
    return this.count - sets.reduce((sum, { first, last }) => sum + last - first, 0);
  }

  /** Line `index`, in seq order; parts joined. Cost: two binary searches. */
  lineAt(index: number): LogEvent | undefined {
    const { sets, line } = this.#lineIndex();
    let [low, high] = [0, line.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((line[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    const set = sets[low - 1];
    if (set === undefined) return this.#readAt(index);
    const after = index - (line[low - 1] ?? 0);
    if (after === 0) return this.read(set.last);
    return this.#readAt(this.#held.indexOf(set.last) + after);
  }

  /** The line an event is (part of), −1 when it is not here. Cost: two binary searches. */
  lineIndexOf(seq: number): number {
    if (!this.#events.has(seq)) return -1;
    const { sets, line } = this.#lineIndex();
    let [low, high] = [0, sets.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sets[middle]?.first ?? 0) <= seq) low = middle + 1;
      else high = middle;
    }
    const set = sets[low - 1];
    if (set === undefined) return this.#held.indexOf(seq);
    const at = line[low - 1] ?? 0;
    return seq <= set.last ? at : at + this.#held.indexOf(seq) - this.#held.indexOf(set.last);
  }

  #readAt(index: number): LogEvent | undefined {
    const seq = this.#held.at(index);
    return seq === undefined ? undefined : this.read(seq);
  }

  /** The line number of each set of parts. */
  #lineIndex(): { readonly sets: readonly SeqSpan[]; readonly line: readonly number[] } {
    if (this.#linesBefore !== undefined) return this.#linesBefore;
    const sets = [...this.#sets.values()].sort((a, b) => a.first - b.first);
    let hidden = 0;
    const line = sets.map(({ first, last }) => {
      const at = this.#held.indexOf(first) - hidden;
      hidden += last - first;
      return at;
    });
    this.#linesBefore = { sets, line };
    return this.#linesBefore;
  }
}

/** Whether two events of one identity say the same. */
export function sameEvent(a: ObserverEvent, b: ObserverEvent): boolean {
  return a.payload === b.payload && sameHead(a, b);
}

/** Whether all but their payloads is the same. */
function sameHead(a: ObserverEvent, b: ObserverEvent): boolean {
  return (
    a.kind === b.kind &&
    a.timestamp === b.timestamp &&
    a.channelId === b.channelId &&
    a.sessionId === b.sessionId &&
    a.turnId === b.turnId &&
    a.agentIndex === b.agentIndex &&
    a.startedAt === b.startedAt &&
    a.via === b.via &&
    a.forwarded === b.forwarded &&
    a.replayed === b.replayed &&
    a.unterminated === b.unterminated
  );
}
