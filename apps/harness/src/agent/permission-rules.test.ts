import type { PermissionRule } from '@heliograph/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideByRules, parsePermissionRules } from './permission-rules.ts';

const rules: readonly PermissionRule[] = [
  { decide: 'reject', path: '/work/secrets/**' },
  { decide: 'allow', kind: ['read', 'search'], path: '/work/**' },
  { decide: 'allow', kind: ['execute'], command: 'npm test*' },
  { decide: 'reject', command: '*rm *' },
  { decide: 'allow', path: '/work/*.md' },
];
const decide = (toolCall: object) => decideByRules(rules, { toolCall }, '/work');
const path = (...paths: string[]) => ({ locations: paths.map((one) => ({ path: one })) });
const run = (command: unknown) => ({ kind: 'execute', rawInput: { command } });

describe('a rules file', () => {
  test('HA92: the first rule that fits decides', () => {
    expect(decide({ kind: 'read', ...path('/work/src/a.ts') })).toEqual({ decide: 'allow', number: 2 });
    expect(decide({ kind: 'read', ...path('/work/secrets/key') })).toEqual({ decide: 'reject', number: 1 });
    expect(decide({ kind: 'edit', ...path('/work/a.md') })).toEqual({ decide: 'allow', number: 5 });
    expect(decide({ kind: 'edit', ...path('/work/docs/a.md') })).toBeUndefined();
    expect(decide(run('npm test -- x'))).toEqual({ decide: 'allow', number: 3 });
    expect(decide(run(['npm', 'test']))).toEqual({ decide: 'allow', number: 3 });
    expect(decide(run('rm -rf /'))).toEqual({ decide: 'reject', number: 4 });
    expect(decide({ kind: 'fetch' })).toBeUndefined();
  });

  test('HA92: nothing is allowed that a rule does not see wholly', () => {
    for (const more of ['; rm -rf /', ' && x', ' | sh', ' $(x)', ' `x`', ' > /etc/x', '\nx'])
      expect(decide(run(`npm test${more}`))?.decide).not.toBe('allow');
    expect(decide({ kind: 'read', ...path('/work/../etc/passwd') })).toBeUndefined();
    expect(decide({ kind: 'read', ...path('/work/a', '/etc/passwd') })).toBeUndefined();
    expect(decide({ kind: 'read', ...path('/work/a'), rawInput: { file_path: '/etc/passwd' } })).toBeUndefined();
    expect(decide({ kind: 'read' })).toBeUndefined();
    expect(decide({ kind: 'read', ...path('work/a') })).toBeUndefined();
    expect(decide({ kind: 'read', ...path('/work/a'), rawInput: { to: ['/etc/passwd'] } })).toBeUndefined();
    expect(decide({ kind: 'read', ...path('secrets/k') })?.decide).toBe('reject');
    // One of several is enough to reject.
    expect(decide({ kind: 'read', ...path('/work/a', '/work/secrets/k') })?.decide).toBe('reject');
  });

  test('HA92: a tool of unknown kind is never allowed by a rule', () => {
    for (const kind of [undefined, 'teleport', 7])
      expect(decide({ kind, ...path('/work/a.md') })).toEqual({ decide: 'ask', number: 5 });
    expect(decideByRules([{ decide: 'allow' }], null, '/work')).toEqual({ decide: 'ask', number: 1 });
  });

  test('HA92: a file that can not be used is told by entry and member', () => {
    expect(parsePermissionRules('[{"decide":"allow","kind":"read"}]')).toEqual({
      ok: true,
      value: [{ decide: 'allow', kind: ['read'] }],
    });
    const error = (text: string) => {
      const parsed = parsePermissionRules(text);
      return parsed.ok ? undefined : parsed.error.message;
    };
    expect(error('no')).toContain('expected JSON');
    expect(error('{}')).toContain('expected a list');
    expect(error('[{"decide":"allow"},{"decide":"yes"}]')).toBe('rule 2: decide: expected ask, allow or reject');
    expect(error('[{"decide":"allow","kind":"fly"}]')).toContain('rule 1: kind: expected of read');
    expect(error('[{"decide":"allow","tool":"x"}]')).toContain('"tool" is not known');
    expect(error('[{"decide":"allow","path":"a/*"}]')).toContain('absolute path');
    expect(error('[{"decide":"allow","command":""}]')).toContain('command: expected text');
    expect(error('[7]')).toContain('rule 1: expected an object');
  });
});

describe('globs', () => {
  const ruled = (rule: Omit<PermissionRule, 'decide'>, toolCall: object) =>
    decideByRules([{ decide: 'reject', ...rule }], { toolCall }, '/') !== undefined;

  test('HA211: fit what the same expression fits that goes back', () => {
    const glob = fc.array(fc.constantFrom('a', '.', '/', '*', '**'), { maxLength: 8 }).map((parts) => parts.join(''));
    const text = fc.string({ unit: fc.constantFrom('a', '.', '/', 'b'), minLength: 1, maxLength: 12 });
    const expression = (words: string, star: string) =>
      new RegExp(`^${words.replaceAll('.', '\\.').replace(/\*+/g, (stars) => (stars.length > 1 ? '.*' : star))}$`, 's');
    fc.assert(
      fc.property(glob, text, (words, value) => {
        fc.pre(words !== '');
        expect(ruled({ command: words }, run(value))).toBe(expression(words, '.*').test(value));
        const path = `/${value.split(/[./]+/).filter(Boolean).join('/')}`;
        const rule = { path: `/${words}` };
        expect(ruled(rule, { locations: [{ path }] })).toBe(expression(rule.path, '[^/]*').test(path));
      }),
    );
  });

  test('HA211: take time in proportion to what they are held against', () => {
    const many = 100_000;
    expect(ruled({ path: '/**/secrets/**/x/*y*z' }, path('/secrets/a'.repeat(many)))).toBe(false);
    expect(ruled({ command: '*rm*-rf*' }, run('rm '.repeat(many)))).toBe(false);
    expect(ruled({ path: '/a' }, { rawInput: { text: `${'../'.repeat(many)}\n` } })).toBe(false);
  });
});
