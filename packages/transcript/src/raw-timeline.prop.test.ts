import type { ObserverEvent } from '@heliograph/wire/observer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventLog } from './event-log.ts';
import { mergeRawLines } from './raw-lines.ts';
import { selectRawTimeline } from './raw-timeline.ts';

const STREAMS = ['run', 'channel'] as const;

/** Events of two streams, one clock: as one harness stamps them. */
function eventsOf(lanes: readonly number[]): ObserverEvent[] {
  const seqs = [0, 0];
  return lanes.map((lane, at) => ({
    seq: ++(seqs[lane] as number),
    timestamp: `2026-11-30T09:20:03.${String(at).padStart(6, '0')}Z`,
    kind: 'acp_read',
    agentIndex: 0,
    channelId: lane === 0 ? null : 'c',
    sessionId: null,
    turnId: null,
    stream: STREAMS[lane] as string,
    payload: `{"n":${at}}`,
  }));
}

describe('the raw timeline', () => {
  it('TR93: the lines of a run and a channel stand in the order of the wire, whatever order they came in', () => {
    const lanes = fc.array(fc.constantFrom(0, 1), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(lanes, fc.infiniteStream(fc.nat()), fc.boolean(), (order, picks, shuffled) => {
        const left = eventsOf(order);
        const log = new EventLog();
        const timeline = selectRawTimeline(log, STREAMS);
        while (left.length > 0) {
          const pick = shuffled ? (picks.next().value as number) % left.length : 0;
          log.insert(left.splice(pick, 1)[0] as ObserverEvent);
          const shown = Array.from({ length: timeline.length }, (_, at) => timeline.at(at)?.text);
          expect(shown).toEqual([...mergeRawLines(log, STREAMS)].map((line) => line.text));
        }
        expect(timeline.at(timeline.length)).toBeUndefined();
      }),
    );
  });
});
