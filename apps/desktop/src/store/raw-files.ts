import { type EventLog, FOREIGN_STREAM, mergeRawLines, type RawLine, type Transcript } from '@heliograph/transcript';

/** What a download holds: what one side wrote, or both sides' lines in the order of the wire. */
export type RawSelection = 'read' | 'write' | 'all';

/**
 * The lines of a session as the bytes that went over the wire, each with its LF (but for a last one that had none). With
 * the harness stream of the run (`run`), whose lines (initialize, session/new) belong to every session of it.
 */
export function rawFileParts(
  log: EventLog,
  transcript: Transcript,
  run: string | undefined,
  selection: RawSelection,
): readonly Uint8Array<ArrayBuffer>[] {
  const streams = transcript.streams.filter((stream) => stream !== FOREIGN_STREAM);
  const all = run === undefined || streams.includes(run) ? streams : [run, ...streams];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const line of mergeRawLines(log, all)) {
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
