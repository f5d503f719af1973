import { describe, expect, it } from 'vitest';
import { itemTexts } from './item-text.ts';
import type { Transcript } from './model.ts';
import { Scene } from './testing/scene.ts';
import { MAX_HITS, TranscriptSearch } from './transcript-search.ts';

/** The whole of a search, and in how many slices it came. */
function run<T>(work: Generator<undefined, T>): { readonly result: T; readonly slices: number } {
  for (let slices = 1; ; slices++) {
    const step = work.next();
    if (step.done) return { result: step.value, slices };
  }
}

const find = (transcript: Transcript, needle: string) => run(new TranscriptSearch(needle).run(transcript)).result;

function workday(): Scene {
  const scene = new Scene({ told: true }).prompt('Mend the FLAKY test');
  scene.update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'a thought about sundials' } });
  scene.says('I look at the straße first.');
  scene.update({
    sessionUpdate: 'tool_call',
    toolCallId: 'a',
    title: 'Run it',
    kind: 'execute',
    rawInput: { command: 'grep "two words" -r .' },
    rawOutput: { exit_code: 3, said: 'nothing of the kind' },
    content: [
      { type: 'diff', path: '/srv/dev/moon.ts', oldText: 'const waxing = 1;\n', newText: 'const waning = 2;\n' },
    ],
    _meta: { terminal_info: { terminal_id: 't' } },
  });
  const output = '\u001b[32mpass\u001b[0med\u001b[1m 12\u001b[0m of 12';
  scene.update({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'a',
    status: 'completed',
    _meta: { terminal_output: { terminal_id: 't', data: output }, terminal_exit: { terminal_id: 't', exit_code: 0 } },
  });
  scene.ask(7, { toolCallId: 'b', title: 'rm the cellar' });
  scene.answer();
  return scene;
}

describe('searching a transcript', () => {
  it('TR123: every kind of text is found, great letters or small: words, titles, inputs, outputs, diffs, terminals', () => {
    const { transcript } = workday();
    const kinds = (needle: string) => find(transcript, needle).hits.map(({ itemId }) => itemId.split(':')[0]);
    expect(kinds('flaky')).toEqual(['user']);
    expect(kinds('SUNDIAL')).toEqual(['thought']);
    expect(kinds('straße')).toEqual(['agent']);
    expect(kinds('waxing')).toEqual(['tool']);
    expect(kinds('waning = 2')).toEqual(['tool']);
    expect(kinds('moon.ts')).toEqual(['tool']);
    expect(kinds('of the kind')).toEqual(['tool']);
    expect(kinds('passed 12 of')).toEqual(['tool']);
    expect(kinds('grep "two words"')).toEqual(['tool']);
    expect(kinds('grep \\"two words\\"')).toEqual(['tool']);
    expect(kinds('cellar')).toContain('permission');
    expect(find(transcript, 'nowhere at all')).toEqual({ count: 0, hits: [] });
    expect(find(transcript, '')).toEqual({ count: 0, hits: [] });
    expect(find(transcript, '.*(')).toEqual({ count: 0, hits: [] });
  });

  it('TR123: pictures are no text, and JSON of any depth is looked through', () => {
    const scene = new Scene().prompt();
    const data = 'bmVlZGxl'.repeat(4);
    scene.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', mimeType: 'image/png', data } });
    const deep = `${'['.repeat(4_000)}"a \\"needle\\""${']'.repeat(4_000)}`;
    scene.harness.read(
      `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"d","title":"deep","rawInput":${deep}}}}`,
    );
    expect(find(scene.transcript, data).count).toBe(0);
    expect([...itemTexts(scene.the('tool'))]).toContain('a "needle"');
  });

  it('TR123: what is beyond the bound is counted, a search comes in slices, and reads again only what changed', () => {
    const scene = new Scene({ told: true });
    for (let turn = 0; turn < 3; turn++) {
      scene.prompt('go');
      for (let n = 0; n < 2_000; n++)
        scene.update({ sessionUpdate: 'tool_call', toolCallId: `${n}`, title: `needle ${n}` });
      scene.answer();
    }
    const search = new TranscriptSearch('NEEDLE');
    const first = run(search.run(scene.transcript));
    expect(first.result.count).toBe(6_000);
    expect(first.result.hits).toHaveLength(MAX_HITS);
    expect(first.slices).toBeGreaterThan(30);
    scene.prompt('one more').says('a needle').answer();
    const second = run(search.run(scene.transcript));
    expect(second.result.count).toBe(6_001);
    expect(second.slices).toBe(1);
  });
});
