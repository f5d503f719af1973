import { type LaneKey, laneKey, type Segment } from './lane.ts';
import type { LetGoTurn } from './let-go.ts';
import type { LogEvent } from './log-event.ts';

export type LaneName = 'own' | 'shared';

/**
 * How far the merge of a channel's segments has come. Inside a segment two lanes merge by timestamp, which in one run is
 * the order of the wire; each lane keeps its own order whatever its timestamps say.
 */
export interface Cursor {
  readonly segment: number;
  /** Newest key taken of each lane of the segment. */
  readonly own: LaneKey | undefined;
  readonly shared: LaneKey | undefined;
  /** Newest timestamp taken of the other lane since this lane's newest: an event that comes before it was passed. */
  readonly sharedSinceOwn: string;
  readonly ownSinceShared: string;
}

export const START: Cursor = segmentStart(0);

export function segmentStart(segment: number): Cursor {
  return { segment, own: undefined, shared: undefined, sharedSinceOwn: '', ownSinceShared: '' };
}

/** The next event of a segment, and the cursor after it. */
export interface Taken {
  readonly lane: LaneName;
  readonly key: LaneKey;
  readonly event: LogEvent;
  readonly cursor: Cursor;
  /** What stood next in each lane: an event that comes later and stands behind it changes nothing up to here. */
  readonly heads: { readonly own: LaneKey | undefined; readonly shared: LaneKey | undefined };
}

export function take(segment: Segment, cursor: Cursor): Taken | undefined {
  const own = segment.own.next(cursor.own);
  const shared = segment.shared?.next(cursor.shared);
  const heads = { own: own && laneKey(own), shared: shared && laneKey(shared) };
  const lane = shared !== undefined && (own === undefined || shared.timestamp <= own.timestamp) ? 'shared' : 'own';
  const event = lane === 'shared' ? shared : own;
  const key = heads[lane];
  if (event === undefined || key === undefined) return undefined;
  const next = event.letGo === undefined ? undefined : behind(event.letGo, cursor, segment);
  return { lane, key, event, cursor: next ?? after(cursor, lane, key, event.timestamp), heads };
}

/** The place behind lines that were let go: what their harness told meanwhile was taken with them. */
function behind(letGo: LetGoTurn, { segment }: Cursor, { run }: Segment): Cursor | undefined {
  return letGo.run === run ? { ...letGo.cursor, segment } : undefined;
}

function after(cursor: Cursor, lane: LaneName, key: LaneKey, timestamp: string): Cursor {
  const { segment, own, shared, sharedSinceOwn, ownSinceShared } = cursor;
  if (lane === 'own') {
    return { segment, own: key, shared, sharedSinceOwn: '', ownSinceShared: later(ownSinceShared, timestamp) };
  }
  return { segment, own, shared: key, sharedSinceOwn: later(sharedSinceOwn, timestamp), ownSinceShared: '' };
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}

/** An event that came into a lane after others had been taken. */
export interface Arrival {
  readonly segment: number;
  readonly lane: LaneName;
  readonly key: LaneKey;
  readonly timestamp: string;
}

/** Whether the merge up to `cursor` is what it would have been with the arrival there from the start. */
export function precedes(cursor: Cursor, heads: Taken['heads'] | undefined, arrival: Arrival): boolean {
  if (cursor.segment !== arrival.segment) return cursor.segment < arrival.segment;
  const taken = cursor[arrival.lane];
  if (taken !== undefined && arrival.key <= taken) return false;
  const head = heads?.[arrival.lane];
  if (head !== undefined && head < arrival.key) return true;
  return arrival.lane === 'own'
    ? arrival.timestamp >= cursor.sharedSinceOwn
    : cursor.ownSinceShared === '' || arrival.timestamp > cursor.ownSinceShared;
}

/** A cursor as a map key. */
export function placeOf({ segment, own, shared }: Cursor): string {
  return `${segment}|${own}|${shared}`;
}
