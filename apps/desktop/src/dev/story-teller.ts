import type { ViewerEvent } from '@heliograph/client';
import { SessionReader } from '../worker/session-reader.ts';
import type { PageEvent } from '../worker/session-told.ts';

/** Says what a worker would tell the page of what a viewer tells: the lines, each time, as what they made of the sessions. */
export function storyTeller(): (events: readonly ViewerEvent[]) => readonly PageEvent[] {
  const clock = { nowMs: () => 0, setTimer: () => () => undefined };
  const reader = new SessionReader({
    clock,
    onChanges: () => undefined,
    flush: () => undefined,
    readAgain: async () => ({ isAnswered: false }),
    post: () => undefined,
  });
  return (events) => tellBy(reader, events);
}

/** Has the reader take the lines among these; the rest, and then its changes. */
export function tellBy(reader: SessionReader, events: readonly ViewerEvent[]): readonly PageEvent[] {
  const told: PageEvent[] = [];
  for (const event of events) {
    if (event.type === 'events') reader.take(event);
    else if (event.type !== 'names') told.push(event);
  }
  return [...told, ...reader.changes()];
}
