import { bench, describe } from 'vitest';
import { Replay } from './replay.ts';
import { CHANNEL } from './testing/mini-harness.ts';
import { Scene } from './testing/scene.ts';

/** A replay of about so many lines in turns of a hundred, with its keyframes laid. */
function replayOf(lines: number): Replay {
  const scene = new Scene({ told: true });
  for (let turn = 0; turn < lines / 100; turn++) {
    scene.prompt(`prompt ${turn}`);
    for (let n = 0; n < 48; n++) {
      scene.update({ sessionUpdate: 'tool_call', toolCallId: `${n}`, title: `step ${n}` });
      scene.update({ sessionUpdate: 'tool_call_update', toolCallId: `${n}`, status: 'completed' });
    }
    scene.says(`answer ${turn}`).answer();
  }
  scene.transcript;
  const replay = new Replay(scene.fold.order(CHANNEL), CHANNEL);
  replay.sync();
  for (const _ of replay.prepare());
  return replay;
}

describe('a seek to a place anywhere in a session of …', () => {
  for (const lines of [1_000, 10_000, 100_000]) {
    const replay = replayOf(lines);
    const length = replay.sync();
    let place = 1;
    bench(
      `${lines} lines`,
      () => {
        // Steps that share no factor with the length lead all over it.
        place = (place * 7_919 + 104_729) % length;
        replay.at(place);
      },
      { iterations: 200, time: 0, warmupIterations: 20, warmupTime: 0 },
    );
  }
});
