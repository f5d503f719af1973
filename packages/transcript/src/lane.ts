import type { EventLog } from './event-log.ts';
import { foreignKey } from './foreign-log.ts';
import { FOREIGN_STREAM, type LogEvent } from './log-event.ts';

/** Where an event stands in its lane: its (last) seq, or the sort key of a foreign event. */
export type LaneKey = number | string;

/** Events in one order: a channel's own of one stream, or those its harness tells everybody. */
export interface Lane {
  next(after: LaneKey | undefined): LogEvent | undefined;
}

/** One stream of a channel, and beside it what the harness stream of its run tells of session and agent. */
export interface Segment {
  readonly stream: string;
  /** The harness stream of the run, `undefined` when it is not here (and for the harness stream itself). */
  readonly run: string | undefined;
  readonly own: Lane;
  readonly shared: Lane | undefined;
}

/** Where an event stands: a whole set of parts stands where its last part does. */
export function laneKey(event: LogEvent): LaneKey {
  return event.stream === undefined ? foreignKey(event) : (event.lastSeq ?? event.seq);
}

/** A stream's own events. */
export function streamLane(log: EventLog, stream: string): Lane {
  return { next: (after) => log.stream(stream)?.next(typeof after === 'number' ? after : 0) };
}

/** Foreign events of one channel. */
export function foreignLane(log: EventLog, channelId: string | null): Lane {
  return { next: (after) => log.foreign(channelId).next(typeof after === 'string' ? after : '') };
}

/** The events of a harness stream that tell channels something, by their seqs in order. */
export function sharedLane(log: EventLog, run: string, seqs: readonly number[]): Lane {
  return {
    next: (after) => {
      const seq = typeof after === 'number' ? seqs[firstAfter(seqs, after)] : seqs[0];
      return seq === undefined ? undefined : log.stream(run)?.read(seq);
    },
  };
}

/** The place of the first number greater than `value`. */
export function firstAfter(sorted: readonly number[], value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const FOREIGN_SEGMENT = FOREIGN_STREAM;
