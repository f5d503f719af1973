import { TranscriptFold } from '@heliograph/transcript';
import { expect, test } from 'vitest';
import { StoryAgent } from '../dev/story-agent.ts';
import { toRefusedSentence } from '../text/tool-sentence.ts';
import { findRowOfItem, findRowOfLine, type Row, selectRows } from './rows.ts';

const agent = () => new StoryAgent({ name: 'Claude', host: 'h', cwd: '/srv', startMs: Date.UTC(2026, 10, 30) });

function rowsOf(story: StoryAgent, fold = new TranscriptFold()): readonly Row[] {
  for (const event of story.events) fold.insert(event);
  return selectRows(fold.transcript(story.channelId));
}

const brief = (rows: readonly Row[]) => rows.map((row) => (row.type === 'item' ? row.item.kind : row.type));
const read = (id: string) => ({ kind: 'read', title: `Read ${id}`, locations: [{ path: `/srv/${id}` }] });
const ALLOW = [{ optionId: 'a', name: 'Yes', kind: 'allow_once' }];

test('DT10: looks that went well stand as one row; a failed one, a single one and any other work stand alone', () => {
  const story = agent()
    .prompt('go')
    .tool('1', read('1'), 1, { status: 'completed' })
    .tool('2', read('2'), 1, { status: 'completed' })
    .tool('3', read('3'), 1, { status: 'failed' })
    .tool('4', read('4'), 1, { status: 'completed' })
    .say('done')
    .end('end_turn');
  expect(brief(rowsOf(story))).toEqual(['user', 'looks', 'tool', 'tool', 'agent', 'turn-end']);
});

test('DT10: a call that waits for leave is told by its card alone, and stands by itself once decided', () => {
  const story = agent()
    .prompt('go')
    .tool('1', { kind: 'execute', title: 'ls' }, 1)
    .ask({ toolCallId: '1', title: 'ls', kind: 'execute' }, ALLOW);
  expect(brief(rowsOf(story))).toEqual(['user', 'permission']);
  story.decide('a').update({ sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'completed' });
  expect(brief(rowsOf(story))).toEqual(['user', 'tool', 'permission']);
});

test('DT188: of a turn whose lines were let go its prompt, how much is away and its end stand as rows', () => {
  const story = agent()
    .prompt('go')
    .say('a')
    .say('b')
    .end('end_turn')
    .prompt('on')
    .say('c')
    .end('end_turn')
    .prompt('now');
  const fold = new TranscriptFold();
  rowsOf(story, fold);
  fold.letGo(story.channelId, 1_000_000, () => false);
  const rows = selectRows(fold.transcript(story.channelId));
  expect(brief(rows).slice(0, 3)).toEqual(['user', 'away', 'turn-end']);
  const [first] = rows;
  expect(rows[1]).toMatchObject({ items: 1, before: { turnId: first?.turn.id, itemId: '' }, letGo: 'kept' });
});

test('DT10: rows of an ended turn stay the same values while the next one grows', () => {
  const story = agent().prompt('one').say('first').end('end_turn');
  const fold = new TranscriptFold();
  const before = rowsOf(story, fold);
  const after = rowsOf(story.prompt('two').say('second'), fold);
  expect(after.length).toBeGreaterThan(before.length);
  for (const [at, row] of before.entries()) expect(after[at]).toBe(row);
});

test('DT10: keys are unique over turns that use the same ids', () => {
  const plan = { sessionUpdate: 'plan', entries: [{ content: 'a', status: 'pending', priority: 'low' }] };
  const story = agent().prompt('one').update(plan).end('end_turn').prompt('two').update(plan).end('end_turn');
  const keys = rowsOf(story).map((row) => row.key);
  expect(new Set(keys).size).toBe(keys.length);
});

test('DT10: a line leads to the row it became part of', () => {
  const story = agent()
    .prompt('go')
    .tool('1', read('1'), 1, { status: 'completed' })
    .tool('2', read('2'), 1, { status: 'completed' })
    .say('x');
  const rows = rowsOf(story);
  const line = story.events.findLast((event) => event.payload.includes('"toolCallId":"2"'));
  expect(brief(rows)[findRowOfLine(rows, line?.stream ?? '', line?.seq ?? 0)]).toBe('looks');
  expect(findRowOfLine(rows, 'another', 1)).toBe(-1);
});

test('DT48: the time a call waited for leave is known, so that it is not counted as its own', () => {
  const story = agent()
    .prompt('go')
    .tool('1', { kind: 'execute', title: 'ls' }, 1)
    .ask({ toolCallId: '1', title: 'ls', kind: 'execute' }, ALLOW)
    .wait(60_000)
    .decide('a');
  const waited = rowsOf(story.tool('2', { kind: 'execute', title: 'ls' }, 1)).flatMap((row) =>
    row.type === 'item' && row.item.kind === 'tool' ? [row.leave.waitedMs] : [],
  );
  expect(waited[0]).toBeGreaterThanOrEqual(60_000);
  expect(waited[0]).toBeLessThan(62_000);
  expect(waited[1]).toBe(0);
});

test('DT100: an item leads to its row: one of several looks too, and a call that waits for leave to its card', () => {
  const story = agent()
    .prompt('go')
    .tool('1', read('1'), 1, { status: 'completed' })
    .tool('2', read('2'), 1, { status: 'completed' })
    .tool('3', { kind: 'execute', title: 'ls' }, 1)
    .ask({ toolCallId: '3', title: 'ls', kind: 'execute' }, ALLOW);
  const rows = rowsOf(story);
  const turnId = rows[0]?.turn.id ?? '';
  expect(brief(rows)).toEqual(['user', 'looks', 'permission']);
  expect(['1', '2', '3', '4'].map((id) => findRowOfItem(rows, turnId, `tool:${id}`))).toEqual([1, 1, 2, -1]);
});

const inside = (parent: string) => ({ _meta: { claudeCode: { parentToolUseId: parent } } });

test('DT135: calls made for another call stand in it, however deep, and a line of one leads there', () => {
  const story = agent()
    .prompt('go')
    .tool('task', { kind: 'think', title: 'Look around' }, 1)
    .tool('1', { ...read('1'), ...inside('task') }, 1, { status: 'completed' })
    .tool('sub', { kind: 'think', title: 'Deeper', ...inside('task') }, 1)
    .tool('2', { ...read('2'), ...inside('sub') }, 1, { status: 'completed' })
    .tool('3', { ...read('3'), ...inside('gone') }, 1, { status: 'failed' })
    .end('end_turn');
  const rows = rowsOf(story);
  expect(brief(rows)).toEqual(['user', 'delegated', 'tool', 'turn-end']);
  const row = rows[1];
  expect(row?.type === 'delegated' && row.items.map(({ toolCallId }) => toolCallId)).toEqual(['1', 'sub', '2']);
  const line = row?.type === 'delegated' ? row.items[2]?.refs[0] : undefined;
  expect(findRowOfLine(rows, line?.stream ?? '', line?.first ?? 0)).toBe(1);
  expect(findRowOfItem(rows, row?.turn.id ?? '', 'tool:2')).toBe(1);
});

test('DT135: a call that waits for leave and for which others were made stays with them; thousands of them are one row', () => {
  const story = agent().prompt('go').tool('top', { kind: 'think', title: 'Delegate' }, 1);
  for (let n = 0; n < 3_000; n++)
    story.tool(`deep${n}`, { ...read(`${n}`), ...inside(n === 0 ? 'top' : `deep${n - 1}`) }, 1);
  for (let n = 0; n < 3_000; n++) story.tool(`wide${n}`, { ...read(`${n}`), ...inside('top') }, 1);
  story.ask({ toolCallId: 'top', title: 'Delegate', kind: 'think' }, ALLOW);
  const rows = rowsOf(story);
  expect(brief(rows)).toEqual(['user', 'delegated', 'permission']);
  expect(rows[1]?.type === 'delegated' && rows[1].items.length).toBe(6_000);
});

test('DT135: calls that name each other in a circle, or themselves, are shown all the same', () => {
  const story = agent()
    .prompt('go')
    .tool('a', { kind: 'think', title: 'a', ...inside('b') }, 1)
    .tool('b', { kind: 'think', title: 'b', ...inside('a') }, 1)
    .tool('c', { kind: 'think', title: 'c', ...inside('c') }, 1)
    .tool('d', { kind: 'think', title: 'd', ...inside('a') }, 1)
    .end('end_turn');
  expect(brief(rowsOf(story))).toEqual(['user', 'tool', 'tool', 'tool', 'tool', 'turn-end']);
});

test('DT108: a call that did not get leave says that it was not carried out, and who said no; one that ran says how it went', () => {
  const options = [...ALLOW, { optionId: 'n', name: 'No', kind: 'reject_once' }];
  const asked = (answer: string, more: object = {}) => {
    const story = agent()
      .prompt('go')
      .tool('1', { kind: 'execute', title: 'rm -rf x', rawInput: { command: 'rm -rf x' } }, 1)
      .ask({ toolCallId: '1', title: 'rm -rf x', kind: 'execute' }, options)
      .decide(answer)
      .update({ sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'failed', ...more });
    const row = rowsOf(story).find((one) => one.type === 'item' && one.item.kind === 'tool');
    if (row?.type !== 'item' || row.item.kind !== 'tool') throw new TypeError('the story has no call');
    const { refusal } = row.leave;
    return refusal === undefined ? undefined : toRefusedSentence(row.item, refusal, '/srv');
  };
  expect(asked('n')).toMatchObject({ verb: 'Not run:', object: 'rm -rf x', outcome: 'rejected by you', tone: 'muted' });
  expect(asked('a')).toBeUndefined();
  expect(asked('n', { rawOutput: { exit_code: 1 } })).toBeUndefined();
});

test('DT174: a row that shows what it showed is the same value, though its turn goes on; one that shows another is not', () => {
  const fold = new TranscriptFold();
  const story = agent()
    .prompt('go')
    .tool('1', { kind: 'execute', title: 'ls' }, 1)
    .tool('2', read('2'), 1, { status: 'completed' })
    .tool('3', read('3'), 1, { status: 'completed' })
    .say('hm', 'm');
  const before = rowsOf(story, fold);
  const after = rowsOf(
    story
      .tool('4', { kind: 'execute', title: 'pwd' }, 1)
      .update({ sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'failed' }),
    fold,
  );
  const kept = after.map((row, at) => row === before[at]);
  expect(brief(after)).toEqual(['user', 'tool', 'looks', 'agent', 'tool']);
  // The message is streaming no more.
  expect(kept).toEqual([true, false, true, false, false]);
  const asked = rowsOf(story.ask({ toolCallId: '4', title: 'pwd', kind: 'execute' }, ALLOW).decide('a'), fold);
  expect(asked.at(-2)).not.toBe(after.at(-1));
});
