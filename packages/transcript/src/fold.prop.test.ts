import type { ObserverEvent } from '@heliograph/wire/observer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CarriedTranscript } from './carry.ts';
import { TranscriptFold } from './fold.ts';
import { CHANNELS, randomSession } from './testing/random-session.ts';

const choices = fc.array(fc.nat({ max: 479 }), { maxLength: 60, size: 'max' });

function shown(fold: TranscriptFold) {
  return CHANNELS.map((channelId) => fold.transcript(channelId));
}

function foldOf(events: readonly ObserverEvent[]): TranscriptFold {
  const fold = new TranscriptFold();
  for (const event of events) fold.insert(event);
  return fold;
}

/** `events` in an order given by `keys`: each event moves to where its key sorts it. */
function shuffled<T>(events: readonly T[], keys: readonly number[]): readonly T[] {
  return events
    .map((event, i) => ({ event, key: keys[i % keys.length] ?? 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ event }) => event);
}

/** The event with one of its texts replaced, as an archive keeps it; none where it has no text or says whose stream it is. */
function redacted(event: ObserverEvent, pick: number): readonly ObserverEvent[] {
  const texts = [...event.payload.matchAll(/:"((?:[^"\\]|\\.)+)"/g)];
  const text = texts[pick % Math.max(texts.length, 1)];
  if (text === undefined || event.kind === 'stream_opened') return [];
  const start = text.index + 2;
  const payload = `${event.payload.slice(0, start)}[redacted:npm-token]${event.payload.slice(start + (text[1]?.length ?? 0))}`;
  return [{ ...event, payload, redacted: [''] }];
}

describe('TranscriptFold', () => {
  it('TR2: any insertion order gives the transcripts of the wire order, however often it is read in between', () => {
    fc.assert(
      fc.property(
        choices,
        fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 200, size: 'max' }),
        fc.integer({ min: 1, max: 20 }),
        (steps, keys, every) => {
          const events = randomSession(steps);
          const fold = new TranscriptFold();
          for (const [i, event] of shuffled(events, keys).entries()) {
            fold.insert(event);
            if (i % every === 0) shown(fold);
          }
          expect(shown(fold)).toEqual(shown(foldOf(events)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('TR2: a few late events among many in order give the same transcripts', () => {
    fc.assert(
      fc.property(
        choices,
        fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        (steps, holes, newestFirst) => {
          const events = randomSession(steps);
          const late = new Set(holes.map((hole) => hole % events.length));
          const fold = foldOf(events.filter((_, i) => !late.has(i)));
          shown(fold);
          const rest = events.filter((_, i) => late.has(i));
          for (const event of newestFirst ? rest.reverse() : rest) {
            fold.insert(event);
            shown(fold);
          }
          expect(shown(fold)).toEqual(shown(foldOf(events)));
        },
      ),
      { numRuns: 80 },
    );
  });

  it('DT216: redacted copies change nothing beside the exact ones, before or after them, and contradict none', () => {
    fc.assert(
      fc.property(
        choices,
        fc.array(fc.nat({ max: 1000 }), { minLength: 1, maxLength: 200, size: 'max' }),
        fc.integer({ min: 1, max: 20 }),
        (steps, keys, every) => {
          const events = randomSession(steps);
          const copies = events.flatMap((event, i) => redacted(event, keys[i % keys.length] ?? 0));
          const fold = new TranscriptFold();
          for (const [i, event] of shuffled([...events, ...copies], keys).entries()) {
            expect(fold.insert(event)).not.toBe('conflict');
            if (i % every === 0) shown(fold);
          }
          expect(shown(fold)).toEqual(shown(foldOf(events)));
          for (const stream of fold.log.streams()) {
            expect([...fold.log.range(stream)].every((event) => event.redacted === undefined)).toBe(true);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('TR3: events that come twice change nothing, and what did not change keeps its identity', () => {
    fc.assert(
      fc.property(choices, (steps) => {
        const events = randomSession(steps);
        const fold = foldOf(events);
        const before: readonly CarriedTranscript[] = shown(fold);
        for (const event of events) expect(fold.insert({ ...event })).toBe('duplicate');
        expect(shown(fold).every((transcript, i) => transcript === before[i])).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('TR4: what was handed out never changes', () => {
    fc.assert(
      fc.property(choices, (steps) => {
        const events = randomSession(steps);
        const fold = new TranscriptFold();
        const kept: { transcript: CarriedTranscript; text: string }[] = [];
        for (const [i, event] of events.entries()) {
          fold.insert(event);
          if (i % 7 !== 0) continue;
          for (const transcript of shown(fold)) kept.push({ transcript, text: JSON.stringify(transcript) });
        }
        for (const { transcript, text } of kept) expect(JSON.stringify(transcript)).toBe(text);
      }),
      { numRuns: 100 },
    );
  });
});
