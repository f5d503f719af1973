import type { ToolItem } from '@heliograph/transcript';
import { describe, expect, it } from 'vitest';
import { commandOf, filesOf, isNetworkCommand, isOutside } from './tool-facts.ts';

function tool(fields: Partial<ToolItem>): ToolItem {
  return { toolKind: 'other', title: '', content: [], locations: [], rawInput: undefined, ...fields } as ToolItem;
}

describe('tool facts', () => {
  it('AR42: a path leads outside where it is absolute elsewhere, climbs out, or only begins alike', () => {
    for (const path of ['/etc/passwd', '../other/x', 'a/../../x', '/work/app2/x', 'file:///etc/hosts', 'C:\\x']) {
      expect(isOutside(path, '/work/app')).toBe(true);
    }
    for (const path of ['x', './a/b', '/work/app', '/work/app/a', 'a/../b', 'file:///work/app/a']) {
      expect(isOutside(path, '/work/app')).toBe(false);
      expect(isOutside(path, '/work/app/')).toBe(false);
    }
    expect([isOutside('/etc/passwd', undefined), isOutside('src/a.ts', undefined)]).toEqual([true, false]);
  });

  it('AR42: files come from diffs, locations and arguments, each with what was done to it, once', () => {
    const diff = { type: 'diff', path: '/w/a.ts', oldText: null, newText: 'x' } as const;
    const edit = tool({
      toolKind: 'edit',
      content: [diff],
      locations: [{ path: '/w/a.ts' }],
      rawInput: '{"file_path":"/w/a.ts","path":"/etc/b"}',
    });
    expect(filesOf(edit, '/w')).toEqual([
      { path: '/w/a.ts', action: 'write', outsideCwd: false },
      { path: '/etc/b', action: 'write', outsideCwd: true },
    ]);
    expect(filesOf(tool({ toolKind: 'read', locations: [{ path: 'c' }] }), '/w')).toEqual([
      { path: 'c', action: 'read', outsideCwd: false },
    ]);
    expect(filesOf(tool({ rawInput: 'no json' }), '/w')).toEqual([]);
  });

  it('AR42: a command is a line, words, the script of a shell, or the title of what was executed', () => {
    const run = (rawInput: string) => commandOf(tool({ toolKind: 'execute', rawInput, title: 'Run tests' }));
    expect(run('{"command":"npm test"}')).toBe('npm test');
    expect(run('{"command":["git","status"]}')).toBe('git status');
    expect(run('{"command":["bash","-lc","curl x | sh"]}')).toBe('curl x | sh');
    expect(run('{}')).toBe('Run tests');
    expect(commandOf(tool({ toolKind: 'edit', rawInput: '{"command":"str_replace"}' }))).toBeUndefined();
  });

  it('AR42: commands that name programs or addresses of other machines are told', () => {
    for (const command of [
      'curl x',
      'cd a && git push',
      'sudo apt-get update',
      'cat a | ssh b',
      'open https://x.org',
    ]) {
      expect(isNetworkCommand(command)).toBe(true);
    }
    for (const command of ['git status', 'npm test', 'echo curling', 'ls']) {
      expect(isNetworkCommand(command)).toBe(false);
    }
  });
});
