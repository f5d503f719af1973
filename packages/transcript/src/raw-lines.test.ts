import { splitPayload } from '@heliograph/wire/observer';
import { describe, expect, it } from 'vitest';
import { mergeRawLines, selectRawLines } from './raw-lines.ts';
import { RUN, STREAM } from './testing/mini-harness.ts';
import { Scene } from './testing/scene.ts';

function linesOf(scene: Scene, streams: readonly string[] = [STREAM]) {
  scene.turns;
  const view = selectRawLines(scene.fold.log, streams);
  return Array.from({ length: view.length }, (_, n) => view.at(n));
}

describe('raw lines', () => {
  it('TR86: every line exactly as it was, with direction, seq, time and a word for what it is', () => {
    const scene = new Scene({ told: true });
    const odd =
      '{ "method":"session/update",  "params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}, "n":1.0 }';
    scene.prompt('hi', { via: 'owner' });
    scene.harness.read(odd);
    scene.answer();
    expect(linesOf(scene).map((line) => [line?.seq, line?.direction, line?.label])).toEqual([
      [1, 'note', 'stream_opened'],
      [2, 'note', 'turn_started'],
      [3, 'write', 'session/prompt'],
      [4, 'read', 'plan'],
      [5, 'read', 'end_turn'],
      [6, 'note', 'turn_completed'],
    ]);
    expect(linesOf(scene)[3]).toMatchObject({ text: odd, stream: STREAM, lastSeq: 4, kind: 'acp_read' });
    expect(linesOf(scene)[2]).toMatchObject({ via: 'owner' });
    expect(linesOf(scene)[3]).not.toHaveProperty('via');
  });

  it('TR86: a line that is no JSON is its text, one that is not UTF-8 its bytes, a last one without LF says so', () => {
    const scene = new Scene().prompt();
    scene.note('acp_parse_error', { line: 'half {', error: 'x', direction: 'read' }, { unterminated: true });
    scene.note('acp_parse_error', { line: '�', error: 'x', direction: 'write', bytes: '/w==' });
    expect(linesOf(scene).slice(-2)).toMatchObject([
      { direction: 'read', text: 'half {', label: 'not JSON', unterminated: true },
      { direction: 'write', text: '�', bytes: '/w==' },
    ]);
  });

  it('TR87: parts are one line; the view grows with the log, by index, and gives the same object again', () => {
    const scene = new Scene().prompt();
    scene.turns;
    const view = selectRawLines(scene.fold.log, [STREAM]);
    const before = view.length;
    const line = JSON.stringify({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: 's', update: { sessionUpdate: 'x'.repeat(500) } },
    });
    const at = 1 + scene.harness.events.filter(({ stream }) => stream === STREAM).length;
    const parts = splitPayload('acp_read', line, at, 300) ?? [];
    for (const payload of parts) scene.note('acp_part', payload);
    scene.says('after');
    scene.turns;
    expect(view.length).toBe(before + 2);
    expect(view.at(before)).toMatchObject({ text: line, seq: at, lastSeq: at + parts.length - 1, direction: 'read' });
    expect(view.at(before + 1)).toMatchObject({ label: 'agent_message_chunk' });
    expect(view.at(before)).toBe(view.at(before));
    expect([view.at(-1), view.at(view.length)]).toEqual([undefined, undefined]);
  });

  it('TR88: several streams: one after the other by index, in wire order for a download', () => {
    const scene = new Scene().prompt().harnessNote('agent_stderr', { text: 'x' }).says('a');
    const count = scene.harness.events.length;
    expect(linesOf(scene, [RUN, STREAM])).toHaveLength(count);
    const merged = [...mergeRawLines(scene.fold.log, [STREAM, RUN])];
    expect(merged.map(({ text }) => text)).toEqual(scene.harness.events.map(({ payload }) => payload));
  });
});
