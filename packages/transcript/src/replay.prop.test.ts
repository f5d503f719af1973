import { isDeepStrictEqual } from 'node:util';
import type { ObserverEvent } from '@heliograph/wire/observer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TranscriptFold } from './fold.ts';
import type { Transcript } from './model.ts';
import { applyPatch, isSameItem, TranscriptDiffer } from './patch.ts';
import { emptyTranscript, reduce } from './reduce.ts';
import { Replay } from './replay.ts';
import { CHANNELS, randomSession } from './testing/random-session.ts';

const choices = fc.array(fc.nat({ max: 479 }), { maxLength: 60, size: 'max' });
const places = fc.array(fc.nat(), { minLength: 1, maxLength: 12 });
const seen = ({ channelId, streams, session, turns }: Transcript) => ({ channelId, streams, session, turns });

function foldOf(events: readonly ObserverEvent[]): TranscriptFold {
  const fold = new TranscriptFold();
  for (const event of events) fold.insert(event);
  return fold;
}

/** The transcript after each event by plain reduction; cut short where a stream ends before what is known of it. */
function plainly(fold: TranscriptFold, channelId: string | null): readonly Transcript[] {
  const order = fold.order(channelId);
  let state = emptyTranscript(channelId);
  const all: Transcript[] = [seen(state)];
  for (let next = order.nextAfter(undefined); next !== undefined; next = order.nextAfter(next.cursor)) {
    if (next.left !== undefined && next.left.end > fold.log.head(next.left.stream)) break;
    state = reduce(state, next.event);
    all.push(seen(state));
  }
  return all;
}

describe('replay', () => {
  it('TR126: position n is the plain reduction of the first n events, wherever one comes from, keyframes or not', () => {
    fc.assert(
      fc.property(choices, places, fc.boolean(), (steps, wanted, isPrepared) => {
        const fold = foldOf(randomSession(steps));
        for (const channelId of CHANNELS) {
          const replay = new Replay(fold.order(channelId), channelId);
          const length = replay.sync();
          if (isPrepared) for (const _ of replay.prepare()) expect(replay.prepared).toBeLessThanOrEqual(length);
          const plain = plainly(fold, channelId);
          for (const place of wanted) {
            const position = place % plain.length;
            if (position < length) expect(seen(replay.at(position))).toEqual(plain[position]);
          }
          expect(replay.at(length)).toBe(fold.transcript(channelId));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('TR126: what comes late begins the replay anew, what comes in order goes on with it', () => {
    fc.assert(
      fc.property(choices, places, fc.nat(), (steps, wanted, left) => {
        const events = randomSession(steps);
        const late = events[left % Math.max(1, events.length)];
        const fold = foldOf(events.filter((event) => event !== late));
        const replays = CHANNELS.map((channelId) => new Replay(fold.order(channelId), channelId));
        for (const replay of replays) {
          replay.sync();
          for (const place of wanted) replay.at(place % 40);
        }
        if (late !== undefined) fold.insert(late);
        for (const [at, replay] of replays.entries()) {
          const channelId = CHANNELS[at] ?? null;
          const fresh = new Replay(fold.order(channelId), channelId);
          expect(replay.sync()).toBe(fresh.sync());
          for (const place of wanted) expect(seen(replay.at(place % 40))).toEqual(seen(fresh.at(place % 40)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('TR128: a patch makes the transcript of any position out of the newest one, and shares what is the same', () => {
    fc.assert(
      fc.property(choices, places, (steps, wanted) => {
        const fold = foldOf(randomSession(steps));
        for (const channelId of CHANNELS) {
          const replay = new Replay(fold.order(channelId), channelId);
          const length = replay.sync();
          const differ = new TranscriptDiffer(isSameItem);
          const base = fold.transcript(channelId);
          for (const place of wanted) {
            const past = replay.at(place % (length + 1));
            const patch = structuredClone(differ.diff(base, past));
            const made = applyPatch(base, patch);
            expect(made).toEqual(seen(past));
            for (const turn of made.turns) {
              const before = base.turns.find(({ id }) => id === turn.id);
              if (isDeepStrictEqual(before, turn)) expect(turn).toBe(before);
              for (const item of turn.items) {
                const old = before?.items.find(({ id }) => id === item.id);
                if (isDeepStrictEqual(old, item)) expect(item).toBe(old);
              }
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('TR128: told by patches while events come in any order, the other side has the same transcript and keeps what it had', () => {
    fc.assert(
      fc.property(choices, fc.nat(), fc.integer({ min: 1, max: 9 }), (steps, turnedAt, every) => {
        const events = randomSession(steps);
        const at = turnedAt % (events.length + 1);
        const fold = new TranscriptFold();
        const differ = new TranscriptDiffer();
        const told = new Map(CHANNELS.map((channelId) => [channelId, fold.transcript(channelId)]));
        const here = new Map(CHANNELS.map((channelId) => [channelId, seen(fold.transcript(channelId)) as Transcript]));
        // The newer part first, as a viewer reads a long session.
        for (const [n, event] of [...events.slice(at), ...events.slice(0, at)].entries()) {
          fold.insert(event);
          if (n % every !== 0) continue;
          for (const channelId of CHANNELS) {
            const next = fold.transcript(channelId);
            const before = here.get(channelId) ?? expect.unreachable();
            const patch = differ.diff(told.get(channelId) ?? expect.unreachable(), next);
            const made = applyPatch(before, structuredClone(patch));
            expect(made).toEqual(seen(next));
            for (const [place, turn] of next.turns.entries()) {
              const was = told.get(channelId)?.turns.indexOf(turn) ?? -1;
              if (was >= 0) expect(made.turns[place]).toBe(before.turns[was]);
            }
            told.set(channelId, next);
            here.set(channelId, made);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});
