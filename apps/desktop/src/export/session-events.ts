import { type EventLog, FOREIGN_STREAM, type LogEvent, mergeRawLines } from '@heliograph/transcript';
import { streamsOf } from './raw-files.ts';

/** Every observer event of a session and of its harness stream, in the order of the wire, parts joined. */
export function* sessionEvents(
  log: EventLog,
  streams: readonly string[],
  run: string | undefined,
  channelId: string | null,
): Generator<LogEvent> {
  for (const { stream, seq } of mergeRawLines(log, streamsOf(streams, run))) {
    const event = log.stream(stream)?.read(seq);
    if (event !== undefined) yield event;
  }
  if (!streams.includes(FOREIGN_STREAM)) return;
  const foreign = log.foreign(channelId);
  for (let at = 0; at < foreign.count; at++) yield foreign.lineAt(at) as LogEvent;
}
