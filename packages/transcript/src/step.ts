import type { Draft } from './draft.ts';
import { FOREIGN_STREAM, type LogEvent } from './log-event.ts';
import type { Item, SeqRange } from './model.ts';
import { addRef } from './refs.ts';

/** What every item has, filled in for the line at hand. */
export interface Stamp {
  readonly id: string;
  readonly refs: readonly SeqRange[];
  readonly at: string;
  readonly updatedAt: string;
  readonly late?: true;
}

/** One event on its way into a draft: what is touched gets the event's seqs as a ref. */
export class Step {
  readonly draft: Draft;
  readonly event: LogEvent;
  readonly stream: string;
  readonly first: number;
  readonly last: number;
  /** `<stream>:<seq>`, with `.n` for element n of a batch: the own id of items that have no better one. */
  readonly origin: string;
  /** Turns this event went into. */
  readonly touched: Set<number>;

  constructor(draft: Draft, event: LogEvent, element = 0, touched = new Set<number>()) {
    this.draft = draft;
    this.event = event;
    this.stream = event.stream ?? FOREIGN_STREAM;
    this.first = event.seq;
    this.last = event.lastSeq ?? event.seq;
    const place = event.stream === undefined ? `@${event.timestamp}:${event.seq}` : `${event.stream}:${event.seq}`;
    this.origin = element === 0 ? place : `${place}.${element}`;
    this.touched = touched;
  }

  get at(): string {
    return this.event.timestamp;
  }

  /** The same event, for element n of a top-level array. */
  element(n: number): Step {
    return new Step(this.draft, this.event, n, this.touched);
  }

  /** Whether lines of the agent for this turn come after its end. */
  isLate(turn: number): boolean {
    const { status, source } = this.draft.head(turn);
    return status === 'ended' && source !== 'none';
  }

  /** Makes or replaces the item `id` of a turn. `make` gets the item as it is, and returns it unchanged to change nothing. */
  place<T extends Item>(turn: number, id: string, make: (before: T | undefined, stamp: Stamp) => T): T {
    const { draft } = this;
    // Ids begin with their kind, so what stands under an id has the type that was put there.
    const before = draft.item(turn, id) as T | undefined;
    const late = before?.late === true || this.isLate(turn);
    const refs = addRef(before?.refs ?? [], this.stream, this.first, this.last);
    const stamp = { id, refs, at: before?.at ?? this.at, updatedAt: this.at };
    const item = make(before, late ? { ...stamp, late } : stamp);
    this.touched.add(turn);
    if (item === before) return item;
    if (before === undefined) this.endStreaming(turn);
    draft.put(turn, item);
    return item;
  }

  /** Something else follows: the message that was being written is whole now. */
  endStreaming(turn: number): void {
    const { draft } = this;
    const { streaming } = draft.carry;
    if (streaming === undefined || draft.head(turn).id !== streaming.turnId) return;
    draft.carry = { ...draft.carry, streaming: undefined };
    const item = draft.item(turn, streaming.itemId);
    if (item !== undefined && 'streaming' in item) draft.put(turn, { ...item, streaming: false });
  }

  /** Gives the touched turns this event as a ref. */
  close(): void {
    for (const turn of this.touched) {
      const { refs } = this.draft.head(turn);
      const next = addRef(refs, this.stream, this.first, this.last);
      if (next !== refs) this.draft.setRefs(turn, next);
    }
  }
}
