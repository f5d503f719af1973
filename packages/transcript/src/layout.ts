import type { EventLog } from './event-log.ts';
import { foreignKey } from './foreign-log.ts';
import { object, parseObject, text } from './json.ts';
import { FOREIGN_SEGMENT, foreignLane, type Segment, sharedLane, streamLane } from './lane.ts';

/** Which streams carry which channel, in which order, and which run each belongs to: a function of what is held. */
export interface Layout {
  readonly channels: readonly string[];
  segments(channelId: string | null): readonly Segment[];
  /** The run that began after this one, `undefined` when it is the newest. */
  runAfter(run: string): string | undefined;
}

/** `shared`: seqs of the events of each harness stream that tell channels something. */
export function layOut(
  log: EventLog,
  foreign: readonly (string | null)[],
  shared: ReadonlyMap<string, readonly number[]>,
): Layout {
  const byChannel = new Map<string | null, string[]>([[null, []]]);
  const add = (channelId: string | null, stream: string) => {
    const streams = byChannel.get(channelId);
    if (streams === undefined) byChannel.set(channelId, [stream]);
    else streams.push(stream);
  };
  for (const stream of log.streams()) if (log.count(stream) > 0) add(log.stream(stream)?.channelId ?? null, stream);
  for (const channelId of foreign) add(channelId, FOREIGN_SEGMENT);
  const startOf = (stream: string, channelId: string | null) => {
    const oldest = stream === FOREIGN_SEGMENT ? log.foreign(channelId).oldest : log.stream(stream)?.oldest;
    return oldest === undefined ? '' : foreignKey(oldest);
  };
  const runs = (byChannel.get(null) ?? [])
    .filter((stream) => stream !== FOREIGN_SEGMENT)
    .map((run) => ({ run, start: startOf(run, null) }))
    .sort((a, b) => (a.start < b.start ? -1 : 1));
  /** The run that had begun when a stream began; of a stream that seems older than every run, the first. */
  const runOf = (start: string) => (runs.findLast((run) => run.start <= start) ?? runs[0])?.run;
  const segment = (channelId: string | null, stream: string): Segment => {
    if (stream === FOREIGN_SEGMENT) {
      const run = channelId === null ? undefined : FOREIGN_SEGMENT;
      return {
        stream,
        run,
        own: foreignLane(log, channelId),
        shared: run === undefined ? undefined : foreignLane(log, null),
      };
    }
    const run = channelId === null ? undefined : runOf(startOf(stream, channelId));
    return {
      stream,
      run,
      own: streamLane(log, stream),
      shared: run === undefined ? undefined : sharedLane(log, run, shared.get(run) ?? []),
    };
  };
  const segments = new Map<string | null, readonly Segment[]>();
  for (const [channelId, streams] of byChannel) {
    const starts = streams.map((stream) => ({ stream, start: startOf(stream, channelId) }));
    starts.sort((a, b) => (a.start < b.start || (a.start === b.start && a.stream < b.stream) ? -1 : 1));
    const ordered = followChain(
      log,
      starts.map(({ stream }) => stream),
    );
    segments.set(
      channelId,
      ordered.map((stream) => segment(channelId, stream)),
    );
  }
  return {
    channels: [...segments.keys()].filter((channelId) => channelId !== null),
    segments: (channelId) => segments.get(channelId) ?? [],
    runAfter: (run) => runs[runs.findIndex((known) => known.run === run) + 1 || runs.length]?.run,
  };
}

/** A stream that says which one it continues comes after it, whatever the clocks say. */
function followChain(log: EventLog, streams: readonly string[]): readonly string[] {
  const ordered: string[] = [];
  const visit = (stream: string, path: readonly string[]) => {
    if (ordered.includes(stream)) return;
    const before = continued(log, stream);
    if (before !== undefined && streams.includes(before) && !path.includes(before)) visit(before, [...path, stream]);
    ordered.push(stream);
  };
  for (const stream of streams) visit(stream, []);
  return ordered;
}

function continued(log: EventLog, stream: string): string | undefined {
  const oldest = stream === FOREIGN_SEGMENT ? undefined : log.stream(stream)?.oldest;
  return oldest?.kind === 'stream_opened'
    ? text(object(parseObject(oldest.payload), 'continues'), 'stream')
    : undefined;
}
