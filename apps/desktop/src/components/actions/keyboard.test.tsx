// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { DesktopProvider } from '../use-desktop.ts';
import { ActionsContext, createActions, useActions } from './actions.ts';
import { Keyboard } from './Keyboard.tsx';

afterEach(cleanup);

function Offers(props: { readonly done: string[]; readonly name: string }) {
  useActions([
    { id: 'wave', label: props.name, group: 'Session', key: 'w', run: () => props.done.push(props.name) },
    { id: 'quiet', label: 'Be quiet', group: 'Page', run: () => props.done.push('quiet') },
  ]);
  return <input data-testid="field" />;
}

function open() {
  const { desktop } = openStory((STORIES.running as (nowMs: number) => Story)(Date.now()), (fire) => fire());
  const done: string[] = [];
  const registry = createActions();
  const page = (name: string | undefined) => (
    <DesktopProvider value={desktop}>
      <ActionsContext value={registry}>
        {name !== undefined && <Offers done={done} name={name} />}
        <Keyboard onSelect={() => done.push('shown')} />
      </ActionsContext>
    </DesktopProvider>
  );
  const { rerender } = render(page('Wave'));
  const press = (key: string, target: Element = document.body, more = {}) =>
    fireEvent.keyDown(target, { key, ...more });
  return { desktop, done, press, offer: (name: string | undefined) => rerender(page(name)) };
}

test('DT82: a key does what is on the screen can do, and nothing while somebody types or what offered it is gone', () => {
  const { done, press, offer } = open();
  press('w');
  press('w', screen.getByTestId('field'));
  press('w', document.body, { ctrlKey: true });
  offer('Wave twice');
  press('w');
  offer(undefined);
  press('w');
  expect(done).toEqual(['Wave', 'Wave twice']);
});

test('DT82: ? lists every key that does something now', () => {
  const { press } = open();
  press('?');
  const list = screen.getByTestId('key-list').textContent;
  for (const words of ['Wave', 'Held: give that answer', 'Ctrl K']) expect(list).toContain(words);
});

test('DT83: Ctrl+K finds sessions and actions by their names', async () => {
  const { desktop, done, press } = open();
  press('k', screen.getByTestId('field'), { ctrlKey: true });
  const input = screen.getByTestId('palette-input');
  fireEvent.change(input, { target: { value: 'quiet' } });
  fireEvent.click(screen.getByTestId('palette-quiet'));
  await expect.poll(() => done).toEqual(['quiet']);
  press('k', document.body, { ctrlKey: true });
  fireEvent.change(screen.getByTestId('palette-input'), { target: { value: 'Migrate billing' } });
  const before = desktop.store.getState().selected;
  fireEvent.click(screen.getAllByTestId('palette-session')[0] as HTMLElement);
  await expect.poll(() => desktop.store.getState().selected).not.toEqual(before);
});
