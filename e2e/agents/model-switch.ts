// biome-ignore lint/correctness/noUndeclaredDependencies: the test runner belongs to the root
import { expect } from 'vitest';
import type { AgentLife } from './agent-life.ts';
import { spoken } from './turn-words.ts';

/** The model is switched in the running session and back: shown as the agent confirmed it, heard by the model's server. */
export async function switchesModel(life: AgentLife): Promise<void> {
  const { to, heard } = life.profile.abilities.model;
  const before = life.owner.session().modelId ?? '';
  const switchTo = (modelId: string) => life.owner.control({ type: 'switch_model', modelId });
  expect(await switchTo(to)).toMatchObject({ status: 'switched', value: to });
  await life.watcher.until('model on screen', () => life.owner.session().modelId === to || undefined);
  const asked = life.stage.model.requests.length;
  expect((await life.owner.play('text')).outcome).toBe('completed');
  expect(life.stage.model.requests.slice(asked).map(({ model }) => model)).toContainEqual(
    expect.stringContaining(heard),
  );
  expect(await switchTo('no-such-model')).toMatchObject({ status: 'unsupported_model' });
  expect(life.owner.session().modelId).toBe(to);
  expect(await switchTo(before)).toMatchObject({ status: 'switched', value: before });
  const turn = await life.owner.play('text');
  expect(life.lastRequest('text')?.model).not.toContain(heard);
  expect(spoken(turn, 'agent').endsWith(life.said('text'))).toBe(true);
}
