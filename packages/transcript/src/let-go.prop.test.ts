import type { ObserverEvent } from '@heliograph/wire/observer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TranscriptFold } from './fold.ts';
import type { Transcript } from './model.ts';
import { mergeRawLines, selectRawLines } from './raw-lines.ts';
import { selectRawTimeline } from './raw-timeline.ts';
import { CHANNELS, randomSession } from './testing/random-session.ts';
import { Scene } from './testing/scene.ts';
import { TranscriptWindow } from './window.ts';

const choices = fc.array(fc.nat({ max: 479 }), { minLength: 20, maxLength: 120, size: 'max' });
const never = () => false;

function shown(fold: TranscriptFold) {
  return CHANNELS.map((channelId) => fold.transcript(channelId));
}

function foldOf(events: readonly ObserverEvent[]): TranscriptFold {
  const fold = new TranscriptFold();
  for (const event of events) fold.insert(event);
  return fold;
}

/** Lets go of all that can be in the channels. */
function letGo(fold: TranscriptFold, units: number): number {
  return CHANNELS.reduce((sum, channelId) => sum + (channelId === null ? 0 : fold.letGo(channelId, units, never)), 0);
}

/** All lines as somebody sees them who looks at each. */
function lines(fold: TranscriptFold) {
  return [...fold.log.streams()].sort().map((stream) => {
    const view = selectRawLines(fold.log, [stream]);
    return Array.from({ length: view.length }, (_, index) => view.at(index));
  });
}

const gapsIn = ({ turns }: Transcript) =>
  turns.flatMap(({ items }) => items.filter(({ kind }) => kind === 'gap').map(({ id }) => id));

describe('lines that were let go', () => {
  it('TR143: whatever comes, goes and comes back in whatever order, once all of it is back the transcripts are those of all lines', () => {
    let went = 0;
    fc.assert(
      fc.property(choices, fc.array(fc.nat({ max: 1_000 }), { minLength: 8, maxLength: 60 }), (steps, picks) => {
        const events = randomSession(steps);
        const fold = new TranscriptFold();
        let at = 0;
        const late: ObserverEvent[] = [];
        for (const [n, pick] of picks.entries()) {
          for (const end = Math.min(events.length, at + (pick % 97)); at < end; at++) {
            // Few come late, far behind others.
            if ((at * 31 + pick) % 41 === 0) late.push(events[at] as ObserverEvent);
            else fold.insert(events[at] as ObserverEvent);
          }
          if (pick % 3 === 0) went += letGo(fold, pick * 100);
          if (pick % 5 === 0) shown(fold);
          // Some come back, from anywhere, also half of a turn.
          const from = (pick * 7919) % events.length;
          if (pick % 7 === 0) for (const event of events.slice(from, Math.min(at, from + 40))) fold.insert(event);
          if (n % 4 === 0) for (const event of late.splice(0, 2)) fold.insert(event);
        }
        for (const event of events.toReversed()) fold.insert(event);
        expect(CHANNELS.flatMap((channelId) => fold.away(channelId))).toEqual([]);
        expect(shown(fold)).toEqual(shown(foldOf(events)));
        expect(lines(fold)).toEqual(lines(foldOf(events)));
        expect(fold.log.units).toBe(foldOf(events).log.units);
      }),
      { numRuns: 80 },
    );
    expect(went).toBeGreaterThan(10_000);
  });

  it('TR143: while it is away nothing of it is a gap, and each turn stands where it stood', () => {
    fc.assert(
      fc.property(choices, fc.integer({ min: 20, max: 300 }), (steps, every) => {
        const events = randomSession(steps);
        const fold = new TranscriptFold();
        const whole = new TranscriptFold();
        for (const [n, event] of events.entries()) {
          fold.insert(event);
          whole.insert(event);
          if (n % every === 0) letGo(fold, 1_000_000);
        }
        letGo(fold, 1_000_000);
        for (const channelId of CHANNELS) {
          const [here, all] = [fold.transcript(channelId), whole.transcript(channelId)];
          expect(here.turns.map(({ id }) => id)).toEqual(all.turns.map(({ id }) => id));
          expect(gapsIn(all)).toEqual(expect.arrayContaining(gapsIn(here)));
          expect([here.session, here.carry, here.streams]).toEqual([all.session, all.carry, all.streams]);
          for (const [at, turn] of here.turns.entries())
            if (turn.away === undefined) expect(turn).toEqual(all.turns[at]);
        }
        for (const stream of fold.log.streams()) expect(fold.log.gaps(stream)).toEqual(whole.log.gaps(stream));
      }),
      { numRuns: 40 },
    );
  });
});

describe('a session of which turns were let go', () => {
  const scene = new Scene();
  for (let n = 0; n < 4; n++)
    scene
      .prompt(`${'go '.repeat(100)}${n}`)
      .says(`answer ${n}`, `m${n}`)
      .says('more', `x${n}`)
      .answer();
  scene.prompt('now').says('working');
  const { fold } = scene;
  const all = scene.transcript;
  const channel = all.channelId ?? '';

  it('TR144: what stays of a turn is its prompt’s first words, its time and outcome, and how many items there were', () => {
    const kept = all.turns[1]?.id;
    expect(fold.letGo(channel, 1_000_000, ({ id }) => id === kept)).toBeGreaterThan(1_000);
    const { turns } = fold.transcript(channel);
    const [first, second, third] = turns;
    expect(second).toBe(all.turns[1]);
    expect(turns.at(-1)).toEqual(all.turns.at(-1));
    expect(third).toMatchObject({ outcome: 'completed', startedAt: all.turns[2]?.startedAt });
    expect(third?.away).toEqual([{ before: 1, items: 2, letGo: 'kept' }]);
    const [prompt] = first?.items ?? [];
    expect(prompt?.kind === 'user' && prompt.parts).toEqual([
      { type: 'text', text: `${'go '.repeat(100).slice(0, 200)}…` },
    ]);
    const shown = new TranscriptWindow(4).view(fold.transcript(channel)).turns;
    expect(shown.map(({ items, away }) => [items.length, away])).toEqual(
      turns.map(({ items, away }) => [items.length, away]),
    );
    expect(fold.letGo(channel, 1_000_000, never)).toBeGreaterThan(0);
    expect(fold.letGo(channel, 1_000_000, never)).toBe(0);
  });

  it('TR145: its lines keep their places and are known to be away; one that is gone for good says so, until it comes', () => {
    const stream = scene.harness.stream;
    const lines = selectRawTimeline(fold.log, [stream]);
    const before = lines.length;
    const [first] = fold.away(channel);
    expect(fold.away(channel, all.turns[0]?.id)).toEqual([first]);
    const index = lines.indexOf(stream, first?.first ?? 0);
    expect([index > 0, lines.at(index), lines.length]).toEqual([true, undefined, before]);
    expect(fold.log.stream(stream)?.awayAt(index)?.first).toBe(first?.first);
    fold.noteGone(first ?? { stream, first: 0 });
    expect(fold.transcript(channel).turns[0]?.away?.[0]?.letGo).toBe('gone');
    expect(fold.transcript(channel).turns[1]?.away?.[0]?.letGo).toBe('kept');
    for (const event of scene.harness.events) fold.insert(event);
    expect(fold.transcript(channel)).toEqual(all);
    expect(lines.indexOf(stream, first?.first ?? 0)).toBe(index);
    expect(lines.at(index)?.seq).toBe(first?.first);
    expect([...mergeRawLines(fold.log, [stream])]).toHaveLength(before);
  });

  it('TR143: a turn that waits for an answer, goes on or is the first of nothing known stays', () => {
    const asking = new Scene().prompt('a').ask(7, { toolCallId: 't', title: 'rm' }).prompt('b').says('x');
    expect(asking.fold.letGo(asking.transcript.channelId ?? '', 1_000_000, never)).toBe(0);
  });
});
