import { splitPayload } from '@heliograph/wire/observer';
import { describe, expect, it } from 'vitest';
import { LineSearch } from './line-search.ts';
import { selectRawLines } from './raw-lines.ts';
import { selectRawTimeline } from './raw-timeline.ts';
import { CHANNEL, RUN, STREAM } from './testing/mini-harness.ts';
import { Scene } from './testing/scene.ts';

function find(scene: Scene, needle: string) {
  scene.transcript;
  const work = new LineSearch(needle).run(scene.fold.log, [RUN, STREAM], CHANNEL);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

describe('searching lines', () => {
  it('TR124: lines are searched for exactly what was written, over all streams, in the order of the wire', () => {
    const scene = new Scene({ told: true }).prompt('Find "me"').says('find me').answer();
    scene.note('acp_parse_error', { line: 'broken {"Find', error: 'x', direction: 'read' });
    const seqs = (needle: string) => find(scene, needle).hits.map(({ stream, seq }) => `${stream}:${seq}`);
    expect(seqs('Find \\"me\\"')).toEqual(['stream-1:3']);
    expect(seqs('Find')).toEqual(['stream-1:3', 'stream-1:7']);
    expect(seqs('find me')).toEqual(['stream-1:4']);
    expect(seqs('"initialize"')).toEqual(['run-1:3']);
    expect(find(scene, '"jsonrpc"').count).toBe(5);
  });

  it('TR124: a line in parts is one line, found by text that a cut went through', () => {
    const scene = new Scene().prompt();
    const line = JSON.stringify({ jsonrpc: '2.0', method: 'x/long', params: { text: `${'-'.repeat(900)}here` } });
    const at = 1 + scene.harness.events.filter(({ stream }) => stream === STREAM).length;
    for (const payload of splitPayload('acp_read', line, at, 400) ?? []) scene.note('acp_part', payload);
    expect(find(scene, `${'-'.repeat(600)}here`).count).toBe(1);
  });
});

describe('the place of a line', () => {
  it('TR125: leads from a stream and a seq to the line, in one stream and in several', () => {
    const scene = new Scene({ told: true }).prompt('a').says('b').answer();
    scene.transcript;
    for (const lines of [
      selectRawLines(scene.fold.log, [RUN, STREAM]),
      selectRawTimeline(scene.fold.log, [RUN, STREAM]),
    ]) {
      for (let index = 0; index < lines.length; index++) {
        const line = lines.at(index);
        expect(lines.indexOf(line?.stream ?? '', line?.seq ?? 0)).toBe(index);
      }
      expect(lines.indexOf(STREAM, 99)).toBe(-1);
      expect(lines.indexOf('another', 1)).toBe(-1);
    }
  });
});
