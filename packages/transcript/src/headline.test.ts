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
    [{ kind: 'search', status: 'completed', rawInput: { pattern: 'TODO' } }, 'Searched TODO'],
    [{ kind: 'fetch', status: 'pending', rawInput: { url: 'https://example.org' } }, 'Fetching https://example.org'],
    [{ kind: 'teleport', status: 'completed' }, 'Used Some title'],
    [{ kind: 'constructor', status: 'pending', title: '' }, 'Using constructor'],
    [{ status: 'in_progress', title: 'line one\nline two' }, 'Using line one'],
  ])('TR89: %j reads “%s”', (update, sentence) => {
    expect(headline(update)).toBe(sentence);
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
