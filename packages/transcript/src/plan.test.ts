import { describe, expect, it } from 'vitest';
import { Scene } from './testing/scene.ts';

const entry = (content: string, status = 'pending') => ({ content, status, priority: 'medium' });
const plan = (...entries: readonly object[]) => ({ sessionUpdate: 'plan', entries });

describe('plans', () => {
  it('TR52: a plan is replaced whole, in its place; no entries are an empty checklist', () => {
    const scene = new Scene()
      .prompt()
      .update(plan(entry('a'), entry('b')))
      .says('x')
      .update(plan(entry('b', 'completed')));
    expect(scene.outline()).toEqual(['user: do it', 'plan', 'agent: x']);
    expect(scene.the('plan').entries).toEqual([{ content: 'b', status: 'completed', priority: 'medium' }]);
    expect(scene.update(plan()).the('plan').entries).toEqual([]);
  });

  it('TR52: entries without words are left out, a missing status is pending', () => {
    const scene = new Scene().prompt().update(plan({ content: 'a' }, { status: 'pending' }, 3 as never));
    expect(scene.the('plan').entries).toEqual([{ content: 'a', status: 'pending' }]);
  });

  it('TR53: plan_update goes by planId, beside a plan without one; a removed plan is empty', () => {
    const update = (planId: string, ...entries: readonly object[]) => ({
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId, entries },
    });
    const scene = new Scene()
      .prompt()
      .update(plan(entry('a')))
      .update(update('p', entry('b')))
      .update(update('p', entry('c')))
      .update(update('q', entry('d')));
    expect(scene.all('plan').map(({ planId, entries }) => [planId, entries[0]?.content])).toEqual([
      ['default', 'a'],
      ['p', 'c'],
      ['q', 'd'],
    ]);
    scene.update({ sessionUpdate: 'plan_removed', planId: 'p' });
    expect(scene.all('plan')[1]?.entries).toEqual([]);
  });

  it('TR54: a plan of a shape nobody knows is shown raw', () => {
    const scene = new Scene().prompt().update({ sessionUpdate: 'plan', steps: [] });
    scene.update({ sessionUpdate: 'plan_update', plan: { type: 'markdown', planId: 'p', content: '# plan' } });
    expect(scene.all('raw').map(({ label }) => label)).toEqual(['plan', 'plan_update']);
  });

  it('TR153: a todo list in a tool call’s input is the plan of its turn, changing in place', () => {
    const call = (toolCallId: string, ...todos: readonly object[]) => ({
      sessionUpdate: 'tool_call',
      toolCallId,
      title: 'todowrite',
      rawInput: { todos },
    });
    const scene = new Scene()
      .prompt()
      .update(call('a'))
      .update(call('a', entry('one', 'in_progress'), entry('two')))
      .says('x')
      .update(call('b', entry('one', 'completed'), entry('two', 'in_progress')));
    expect(scene.outline()).toEqual(['user: do it', 'tool a: pending', 'plan', 'agent: x', 'tool b: pending']);
    const statuses = () => scene.the('plan').entries.map(({ status }) => status);
    expect(statuses()).toEqual(['completed', 'in_progress']);
    scene.update(call('c', { content: 'half wri' }));
    scene.update({ ...call('d', entry('of a sub-agent')), _meta: { claudeCode: { parentToolUseId: 'b' } } });
    expect(statuses()).toEqual(['completed', 'in_progress']);
    scene.update(plan(entry('one', 'completed'), entry('two', 'completed')));
    expect(statuses()).toEqual(['completed', 'completed']);
    expect(scene.update(call('e')).the('plan').entries).toEqual([]);
  });

  it('TR54: the next turn has a plan of its own', () => {
    const scene = new Scene()
      .prompt()
      .update(plan(entry('a')))
      .answer()
      .prompt()
      .update(plan(entry('a', 'completed')));
    expect(scene.all('plan').map(({ entries }) => entries[0]?.status)).toEqual(['pending', 'completed']);
  });
});
