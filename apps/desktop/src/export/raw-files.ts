import {
  type EventLog,
  FOREIGN_STREAM,
  mergeRawLines,
  type RawLine,
  type RawLines,
  selectRawLines,
  selectRawTimeline,
} from '@heliograph/transcript';

/** What a download holds: what one side wrote, or both sides' lines in the order of the wire. */
export type RawSelection = 'read' | 'write' | 'all';

/** The streams whose lines belong to a session: its own, and the harness stream of the run (initialize, session/new, noise). */
export function streamsOf(streams: readonly string[], run: string | undefined): readonly string[] {
  const ours = streams.filter((stream) => stream !== FOREIGN_STREAM);
  return run === undefined || ours.includes(run) ? ours : [run, ...ours];
}

/** Every line of a session, in the order of the wire. Other implementations' events have no stream and stand as they came. */
export function sessionLines(
  log: EventLog,
  streams: readonly string[],
  run: string | undefined,
  channelId: string | null,
): RawLines {
  if (streams.includes(FOREIGN_STREAM)) return selectRawLines(log, streams, channelId);
  return selectRawTimeline(log, streamsOf(streams, run));
}

/** The lines of these streams as the bytes that went over the wire, each with its LF (but for a last one that had none). */
export function rawFileParts(
  log: EventLog,
  streams: readonly string[],
  selection: RawSelection,
): readonly Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const line of mergeRawLines(log, streams)) {
    if (line.direction === 'note' || (selection !== 'all' && line.direction !== selection)) continue;
    parts.push(lineBytes(line));
    if (line.unterminated !== true) parts.push(LF);
  }
  return parts;
}

const LF = Uint8Array.of(10);
const encoder = new TextEncoder();

/** A line's exact bytes: of one that is no UTF-8, those the harness kept beside its text. */
function lineBytes(line: RawLine): Uint8Array<ArrayBuffer> {
  if (line.bytes === undefined) return encoder.encode(line.text);
  return Uint8Array.from(atob(line.bytes), (character) => character.charCodeAt(0));
}
