import { describe, expect, it } from 'vitest';
import { selectHeadline } from './headline.ts';
import { diffStats } from './line-diff.ts';
import { Scene } from './testing/scene.ts';

const headline = (update: object, cwd = '/srv/dev/project') => {
  const tool = new Scene()
    .prompt()
    .update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Some title', ...update })
    .the('tool');
  const { verb, object, outcome } = selectHeadline(tool, cwd);
  return `${verb} ${object}${outcome === '' ? '' : ` → ${outcome}`}`;
};

describe('headlines', () => {
  it.each([
    [{ kind: 'read', status: 'completed', locations: [{ path: '/srv/dev/project/src/x.ts' }] }, 'Read src/x.ts'],
    [{ kind: 'read', status: 'in_progress', rawInput: { file_path: '/etc/hosts' } }, 'Reading /etc/hosts'],
    [
      { kind: 'execute', status: 'failed', rawInput: { command: 'npm test' }, rawOutput: { exit_code: 1 } },
      'Ran npm test → failed, exit 1',
    ],
    [{ kind: 'execute', status: 'completed', rawInput: { command: ['bash', '-lc', 'ls -l\npwd'] } }, 'Ran ls -l'],
    [{ kind: 'execute', status: 'completed', rawInput: { commands: ['make', 'check'] } }, 'Ran make check'],
    [
      {
        kind: 'edit',
        status: 'completed',
        content: [{ type: 'diff', path: '/srv/dev/project/a.ts', oldText: 'a\nb\n', newText: 'a\nc\nd\n' }],
      },
      'Edited a.ts → +2 −1',
    ],
    [{ kind: 'think', status: 'completed', title: 'Compact conversation' }, 'Worked on Compact conversation'],
    [{ kind: 'search', status: 'completed', rawInput: { pattern: 'TODO' } }, 'Searched TODO'],
    [{ kind: 'fetch', status: 'pending', rawInput: { url: 'https://example.org' } }, 'Fetching https://example.org'],
    [{ kind: 'teleport', status: 'completed' }, 'Used Some title'],
    [{ kind: 'constructor', status: 'pending', title: '' }, 'Using constructor'],
    [{ status: 'in_progress', title: 'line one\nline two' }, 'Using line one'],
  ])('TR89: %j reads “%s”', (update, sentence) => {
    expect(headline(update)).toBe(sentence);
  });

  it.each([
    ['cancelled', 'Editing a.ts → cancelled'],
    ['failed', 'Editing a.ts → failed'],
    ['in_progress', 'Editing a.ts → +1 −1'],
    ['completed', 'Edited a.ts → +1 −1'],
  ])('TR154: an edit that is %s reads “%s”: what came to nothing was not done', (status, sentence) => {
    const content = [{ type: 'diff', path: 'a.ts', oldText: 'a\n', newText: 'b\n' }];
    expect(headline({ kind: 'edit', status, content })).toBe(sentence);
  });

  it('TR153: a call that keeps the todo list reads as that', () => {
    const rawInput = { todos: [{ content: 'one', status: 'completed' }] };
    expect(headline({ title: '0 todos', status: 'completed', rawInput })).toBe('Updated its plan');
    expect(headline({ title: 'x', status: 'in_progress', rawInput: { todos: ['one'] } })).toBe('Using x');
  });

  it('TR156: an exit code is known from wherever agents tell it', () => {
    const exit = (rawOutput: object) => headline({ kind: 'execute', status: 'completed', rawOutput });
    expect(exit({ output: '', metadata: { exit: 2, truncated: false } })).toBe('Ran Some title → exit 2');
    expect(exit({ exit_code: 3, metadata: { exit: 2 } })).toBe('Ran Some title → exit 3');
    expect(exit({ metadata: { exit: null } })).toBe('Ran Some title');
  });

  it('TR89: arguments too long to read fall back to the title', () => {
    expect(headline({ kind: 'execute', rawInput: { command: 'x'.repeat(70_000) } })).toBe('Running Some title');
  });

  it('TR90: lines added and removed are counted, and the cost of counting is bounded', () => {
    expect(diffStats('', 'a\nb')).toEqual({ added: 2, removed: 0, exact: true });
    expect(diffStats('a\nb\nc\n', 'a\nx\nc\n')).toEqual({ added: 1, removed: 1, exact: true });
    expect(diffStats('a\nb\nc\nd\n', 'b\nc\nd\ne\n')).toEqual({ added: 1, removed: 1, exact: true });
    expect(diffStats('same\n', 'same\n')).toEqual({ added: 0, removed: 0, exact: true });
    const far = (letter: string) => Array.from({ length: 20_000 }, (_, n) => `${letter}${n}`).join('\n');
    expect(diffStats(far('a'), far('b'))).toEqual({ added: 20_000, removed: 20_000, exact: false });
  });
});
