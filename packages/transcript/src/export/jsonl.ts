import { encodeObserverEvent, type ObserverEvent } from '@heliograph/wire/observer';
import { headRows, type SessionHead } from './session-head.ts';

/**
 * A session as JSONL, line by line without line ends: first what it is, then every observer event as the harness told it, parts
 * joined, each line of the wire as the exact text it was (`payload`). `replaced` says how often a secret of each kind was replaced.
 */
export function* jsonlOf(
  head: SessionHead,
  events: Iterable<ObserverEvent>,
  replaced: Readonly<Record<string, number>>,
): Generator<string> {
  const rows = Object.fromEntries(headRows(head).map(([name, value]) => [name.toLowerCase(), value]));
  const { title, channelId } = head;
  yield JSON.stringify({ type: 'heliograph-session', version: 1, title, channelId, ...rows, replaced });
  for (const event of events) yield encodeObserverEvent(event);
}
