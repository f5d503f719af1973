import { describe, expect, it } from 'vitest';
import { TranscriptFold } from './fold.ts';
import { MAX_PAUSE_MS, pauseMs } from './pace.ts';
import { Replay } from './replay.ts';
import { CHANNEL, RUN, STREAM } from './testing/mini-harness.ts';
import { Scene } from './testing/scene.ts';

function workday(turns: number): Scene {
  const scene = new Scene({ told: true });
  for (let turn = 0; turn < turns; turn++) {
    scene.prompt(`prompt ${turn}`);
    for (let n = 0; n < 40; n++) scene.update({ sessionUpdate: 'tool_call', toolCallId: `${n}`, title: `step ${n}` });
    scene.says(`answer ${turn}`).answer();
  }
  return scene;
}

function replayOf(scene: Scene): Replay {
  scene.transcript;
  const replay = new Replay(scene.fold.order(CHANNEL), CHANNEL);
  replay.sync();
  return replay;
}

describe('replay', () => {
  it('TR126: a position is known by its line, a line by its position; a line of the run stands where it went by', () => {
    const replay = replayOf(workday(3));
    expect(replay.line(0)).toBeUndefined();
    const at = replay.positionOf(STREAM, 20);
    expect(replay.line(at)).toMatchObject({ stream: STREAM, seq: 20 });
    expect(replay.line(replay.positionOf(RUN, 3))).toMatchObject({ stream: RUN, seq: 3 });
    expect(replay.positionOf('another', 1)).toBe(0);
    expect(replay.positionOf(STREAM, 99_999)).toBe(replay.sync());
  });

  it('TR127: keyframes are laid in slices, and a seek folds no more than one interval of events, however long the session', () => {
    const scene = workday(60);
    const replay = replayOf(scene);
    const length = replay.sync();
    expect(length).toBeGreaterThan(2_500);
    expect(replay.prepared).toBeLessThanOrEqual(256);
    let slices = 0;
    for (const _ of replay.prepare()) slices++;
    expect(slices).toBeGreaterThan(30);
    expect(replay.prepared).toBe(length);
    const early = replay.at(300);
    expect(early.turns.at(-1)?.status).toBe('open');
    // Ended turns of two places are the same values: neither was folded from the start.
    const [late, later] = [replay.at(length - 400), replay.at(length - 390)];
    expect(later.turns[0]).toBe(late.turns[0]);
    expect(replay.at(length - 400).turns[0]).toBe(late.turns[0]);
  });

  it('TR127: it goes on with a session that grows, and with keyframes already laid', () => {
    const scene = workday(10);
    const replay = replayOf(scene);
    for (const _ of replay.prepare());
    const length = replay.sync();
    const before = replay.at(length - 3);
    scene.prompt('more').says('and more').answer();
    scene.transcript;
    expect(replay.sync()).toBeGreaterThan(length);
    expect(replay.at(length - 3).turns[0]).toBe(before.turns[0]);
    expect(replay.at(length)).toEqual(transcriptUpTo(scene, length));
  });

  it('DT105: a replay waits as long as the agent did, and never longer than its longest pause', () => {
    expect([pauseMs(-5), pauseMs(0), pauseMs(40), pauseMs(3_600_000)]).toEqual([0, 0, 40, MAX_PAUSE_MS]);
  });
});

/** The transcript of a fold that never saw more than the channel's first events. */
function transcriptUpTo(scene: Scene, length: number) {
  const order = scene.fold.order(CHANNEL);
  const first = new Set<string>();
  let cursor: Parameters<typeof order.nextAfter>[0];
  for (let at = 0; at < length; at++) {
    const next = order.nextAfter(cursor);
    cursor = next?.cursor;
    if (next !== undefined) first.add(`${next.event.stream}/${next.event.seq}`);
  }
  const fold = new TranscriptFold();
  for (const event of scene.harness.events)
    if (event.channelId === null || first.has(`${event.stream}/${event.seq}`)) fold.insert(event);
  return fold.transcript(CHANNEL);
}
