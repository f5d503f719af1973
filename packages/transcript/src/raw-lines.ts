import type { ObserverEvent } from '@heliograph/wire/observer';
import type { EventLog } from './event-log.ts';
import { asObject, parseObject, text } from './json.ts';
import { readLine } from './lines.ts';
import { FOREIGN_STREAM, type LogEvent } from './log-event.ts';
import type { SeqRange } from './model.ts';
import { updateKind } from './update.ts';

/** One line of the raw rail: what went over the wire exactly as it was, or a note of the harness. */
export interface RawLine {
  readonly stream: string;
  readonly seq: number;
  /** Seq of the last part, for a line that came in parts; else `seq`. */
  readonly lastSeq: number;
  readonly timestamp: string;
  /** `read`: agent → client. `write`: client → agent. `note`: the harness said it, it was on no wire. */
  readonly direction: 'read' | 'write' | 'note';
  readonly via?: 'owner' | 'policy' | 'harness';
  readonly kind: string;
  /** The line's exact text without its LF; of a line that is not UTF-8 the readable part, its bytes are in `bytes`. */
  readonly text: string;
  /** Base64 of the line's bytes, when it is not UTF-8. */
  readonly bytes?: string;
  /** Update kind, method, `result`, `error`, or the event's kind. */
  readonly label: string;
  /** The line had no LF: it was the last one. */
  readonly unterminated?: true;
  /** Recorded, and passed on to nobody. */
  readonly forwarded?: false;
  readonly replayed?: true;
  /** JSON pointers of what stands as "[redacted]". */
  readonly redacted?: readonly string[];
}

/** A view of the log by index: it grows with the log, copies nothing, and keeps the same object for the same line. */
export interface RawLines {
  readonly length: number;
  at(index: number): RawLine | undefined;
  /** Where the line that holds this event stands, −1 when it is not here. Cost: a few binary searches. */
  indexOf(stream: string, seq: number): number;
  /** The lines that were let go among which this one is. */
  awayAt(index: number): SeqRange | undefined;
}

/** The lines of the given streams, one stream after the other; foreign channels by `FOREIGN_STREAM` and `channelId`. */
export function selectRawLines(log: EventLog, streams: readonly string[], channelId: string | null = null): RawLines {
  const cache = new WeakMap<ObserverEvent, RawLine>();
  const sources = lineSources(log, streams, channelId);
  const find = <T>(index: number, read: (source: LineSource, index: number) => T | undefined) => {
    let left = index;
    for (const source of sources) {
      const count = source.length();
      if (left < count) return read(source, left);
      left -= count;
    }
    return undefined;
  };
  return {
    get length() {
      return sources.reduce((sum, { length }) => sum + length(), 0);
    },
    at: (index) => find(index, ({ at }, place) => cached(cache, at(place))),
    awayAt: (index) =>
      find(index, ({ stream }, place) => {
        const away = log.stream(stream)?.awayAt(place);
        return away === undefined ? undefined : { stream, first: away.first, last: away.last };
      }),
    indexOf(stream, seq) {
      let before = 0;
      for (const source of sources) {
        if (source.stream === stream) {
          const index = source.indexOf(seq);
          return index < 0 ? -1 : before + index;
        }
        before += source.length();
      }
      return -1;
    },
  };
}

/** All lines of the given streams by timestamp, which in one run is the order of the wire: for downloads. */
export function* mergeRawLines(log: EventLog, streams: readonly string[]): Generator<RawLine> {
  const lanes = streams.map((stream) => ({ view: selectRawLines(log, [stream]), next: 0 }));
  for (;;) {
    let first: (typeof lanes)[number] | undefined;
    for (const lane of lanes) {
      const line = lane.view.at(lane.next);
      const best = first?.view.at(first.next);
      if (line !== undefined && (best === undefined || line.timestamp < best.timestamp)) first = lane;
    }
    const line = first?.view.at(first.next);
    if (first === undefined || line === undefined) return;
    first.next++;
    yield line;
  }
}

/** The lines of one stream by number, as the log reads them. */
export interface LineSource {
  readonly stream: string;
  readonly length: () => number;
  readonly at: (index: number) => LogEvent | undefined;
  readonly indexOf: (seq: number) => number;
}

/** Where the lines of each of these streams come from. */
export function lineSources(log: EventLog, streams: readonly string[], channelId: string | null): LineSource[] {
  return streams.map((stream) => {
    if (stream === FOREIGN_STREAM) {
      return {
        stream,
        length: () => log.foreign(channelId).count,
        at: (index) => log.foreign(channelId).lineAt(index),
        indexOf: (seq) => log.foreign(channelId).indexOf(seq),
      };
    }
    return {
      stream,
      length: () => log.stream(stream)?.lineCount ?? 0,
      at: (index) => log.stream(stream)?.lineAt(index),
      indexOf: (seq) => log.stream(stream)?.lineIndexOf(seq) ?? -1,
    };
  });
}

/** What a line says, exactly: of one that is no JSON, the line and not the note about it. */
export function lineText(event: LogEvent): string {
  return event.kind === 'acp_parse_error' ? (text(parseObject(event.payload), 'line') ?? event.payload) : event.payload;
}

function cached(cache: WeakMap<ObserverEvent, RawLine>, event: LogEvent | undefined): RawLine | undefined {
  if (event === undefined) return undefined;
  const known = cache.get(event);
  if (known !== undefined) return known;
  const line = toRawLine(event);
  cache.set(event, line);
  return line;
}

function toRawLine(event: LogEvent): RawLine {
  const { via, unterminated, forwarded, replayed, redacted } = event;
  return {
    stream: event.stream ?? FOREIGN_STREAM,
    seq: event.seq,
    lastSeq: event.lastSeq ?? event.seq,
    timestamp: event.timestamp,
    kind: event.kind,
    ...said(event),
    ...(via === undefined ? {} : { via }),
    ...(unterminated === undefined ? {} : { unterminated }),
    ...(forwarded === undefined ? {} : { forwarded }),
    ...(replayed === undefined ? {} : { replayed }),
    ...(redacted === undefined ? {} : { redacted }),
  };
}

function said(event: LogEvent): Pick<RawLine, 'direction' | 'text' | 'bytes' | 'label'> {
  const { kind, payload } = event;
  if (kind === 'acp_read' || kind === 'acp_write') {
    return { direction: kind === 'acp_read' ? 'read' : 'write', text: payload, label: labelOf(payload) ?? kind };
  }
  if (kind !== 'acp_parse_error') return { direction: 'note', text: payload, label: kind };
  const broken = parseObject(payload);
  const bytes = text(broken, 'bytes');
  return {
    direction: text(broken, 'direction') === 'write' ? 'write' : 'read',
    text: text(broken, 'line') ?? payload,
    label: 'not JSON',
    ...(bytes === undefined ? {} : { bytes }),
  };
}

/** What a line is, in a word. */
function labelOf(payload: string): string | undefined {
  const [first, ...more] = readLine(payload);
  if (first === undefined) return 'batch';
  if (more.length > 0) return `batch of ${more.length + 1}`;
  if (!first.message.ok) return undefined;
  const message = first.message.value;
  switch (message.type) {
    case 'notification':
    case 'request':
      return (message.method === 'session/update' && updateKind(message.params)) || message.method;
    case 'response':
      return text(asObject(message.result), 'stopReason') ?? 'result';
    case 'error':
      return 'error';
  }
}
