import { joinParts, type ObserverEvent, parsePart } from '@heliograph/wire/observer';
import { AwayBook, type AwayLines } from './away-lines.ts';
import { parseObject } from './json.ts';
import type { LetGoTurn } from './let-go.ts';
import type { LogEvent } from './log-event.ts';
import type { Turn } from './model.ts';
import { isRedactedCopy } from './redacted-copy.ts';
import { SeqRanges, type SeqSpan } from './seq-ranges.ts';

/**
 * `appended`: newest so far. `reordered`: older than others held. `duplicate`: held already, or a redacted copy of what is.
 * `restored`: takes the place of its redacted copy, or makes lines that were let go whole again. `returned`: one of those, of which
 * others are still away. `conflict`: refused.
 */
export type Verdict = 'appended' | 'reordered' | 'duplicate' | 'restored' | 'returned' | 'conflict';

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
  /** What was let go; its seqs are held all the same. */
  readonly #away = new AwayBook();
  /** Characters of the payloads that are here. */
  units = 0;
  /** How often lines came back that were let go, or went. */
  moves = 0;
  /** How often events were thrown out again, because the stream turned out to be another channel's. */
  evictions = 0;

  constructor(stream: string) {
    this.stream = stream;
  }

  /** Events held, those let go among them. */
  get count(): number {
    return this.#held.indexOf(Number.MAX_SAFE_INTEGER);
  }

  /** What was let go and is not whole here again, oldest first. */
  get away(): readonly Readonly<AwayLines>[] {
    return this.#away.stretches;
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
    const away = this.#away.at(seq);
    if (away !== undefined) return this.#comeBack(event, away);
    const verdict = seq > this.#held.last ? 'appended' : 'reordered';
    this.#put(event);
    this.#held.add(seq);
    if (event.kind === 'acp_part') this.#noteSet(event);
    if (verdict === 'reordered') this.#linesBefore = undefined;
    return verdict;
  }

  /** The exact event, where a redacted copy of it stood. */
  #restore(event: ObserverEvent): Verdict {
    this.#put(event);
    if (event.kind === 'acp_part') {
      const last = this.#events.get(this.lastPartOf(event) ?? event.seq);
      if (last !== undefined) this.#joined.delete(last);
      this.#noteSet(event);
    }
    return 'restored';
  }

  #put(event: ObserverEvent): void {
    this.units += event.payload.length - (this.#events.get(event.seq)?.payload.length ?? 0);
    this.#events.set(event.seq, event);
  }

  #drop(seq: number): void {
    this.units -= this.#events.get(seq)?.payload.length ?? 0;
    this.#events.delete(seq);
  }

  /** Which sets of parts are complete was known when they went: half of one must not be taken for another. */
  #comeBack(event: ObserverEvent, away: AwayLines): Verdict {
    this.#put(event);
    const last = event.kind === 'acp_part' ? this.#events.get(this.lastPartOf(event) ?? event.seq) : undefined;
    if (last !== undefined) this.#joined.delete(last);
    this.moves++;
    away.missing--;
    if (away.missing > 0) return 'returned';
    this.#away.remove(away);
    return 'restored';
  }

  /**
   * Lets the lines from `first` to `last` go: their seqs stay held, and `letGo` is read in their place until all of them are here
   * again. False, and nothing goes, where one of them is missing, the stream's beginning is among them or was not heard, or
   * a line in parts goes over an end of them.
   */
  letGo(first: number, last: number, letGo: LetGoTurn): boolean {
    const oldest = this.#events.get(first);
    const isEdge = (seq: number) => {
      const event = this.#events.get(seq);
      const part = event?.kind === 'acp_part' ? parsePart(event) : undefined;
      return part === undefined || part.index === part.count - 1;
    };
    if (first < 2 || this.#owner === undefined || oldest === undefined || !this.#isWhole(first, last)) return false;
    if (!isEdge(first - 1) || !isEdge(last)) return false;
    const { stream, timestamp, channelId } = oldest;
    const nothing = { agentIndex: null, sessionId: null, turnId: null, payload: '' };
    const event = { ...nothing, stream, seq: first, lastSeq: last, timestamp, channelId, kind: 'let_go', letGo };
    for (let seq = first; seq <= last; seq++) this.#drop(seq);
    this.#away.add({ first, last, missing: last - first + 1, event } as AwayLines);
    this.moves++;
    return true;
  }

  /** Another short form of what was let go from `first` on. */
  shorten(first: number, turn: Turn): void {
    const away = this.#away.at(first);
    if (away === undefined) return;
    this.#away.remove(away);
    this.#away.add({ ...away, event: { ...away.event, letGo: { ...away.event.letGo, turn } } });
  }

  #setOwner(event: ObserverEvent): void {
    const named = parseObject(event.payload)?.channelId;
    const owner = typeof named === 'string' || named === null ? named : event.channelId;
    this.#owner = owner;
    for (const [seq, held] of this.#events) {
      if (held.channelId === owner) continue;
      this.#drop(seq);
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
    if (found === undefined) return undefined;
    return this.#away.at(found)?.event ?? this.read(found);
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

  /** Line `index`, in seq order; parts joined; undefined for one that was let go. Cost: two binary searches. */
  lineAt(index: number): LogEvent | undefined {
    const seq = this.#seqOfLine(index);
    return seq === undefined ? undefined : this.read(seq);
  }

  /** When line `index` was written; of one that was let go, when the first of those was. */
  lineTime(index: number): string {
    const seq = this.#seqOfLine(index) ?? 0;
    return (this.#events.get(seq) ?? this.#away.at(seq)?.event)?.timestamp ?? '';
  }

  /** The lines that were let go among which line `index` is. */
  awayAt(index: number): Readonly<AwayLines> | undefined {
    return this.#away.at(this.#seqOfLine(index) ?? 0);
  }

  /** The seq of a line: of one in parts that of the last. */
  #seqOfLine(index: number): number | undefined {
    const { sets, line } = this.#lineIndex();
    let [low, high] = [0, line.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((line[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    const set = sets[low - 1];
    if (set === undefined) return this.#held.at(index);
    const after = index - (line[low - 1] ?? 0);
    return after === 0 ? set.last : this.#held.at(this.#held.indexOf(set.last) + after);
  }

  /** The line an event is (part of), −1 when it is not here. Cost: two binary searches. */
  lineIndexOf(seq: number): number {
    if (!this.#held.has(seq)) return -1;
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
