// @vitest-environment happy-dom
import type { PermissionItem } from '@heliograph/transcript';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { DesktopProvider } from '../use-desktop.ts';
import { PermissionCard } from './PermissionCard.tsx';
import { SeenPermissionsContext } from './seen-permissions.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

/** A card that asks, beside a field; `seen` can be changed while it is there. */
function show() {
  const { desktop, posted } = openStory((STORIES.permission as (nowMs: number) => Story)(Date.now()), (fire) => fire());
  const { selected: ref, agents } = desktop.store.getState();
  const told = agents.find(({ publicKey }) => publicKey === ref?.agent)?.told;
  const turns = told?.transcript(ref?.channelId ?? null).turns ?? [];
  const item = turns.flatMap(({ items }) => items).find(({ kind }) => kind === 'permission');
  if (ref === undefined || item?.kind !== 'permission') throw new TypeError('the story asks for nothing');
  const seen = { ids: [item.id], settledMs: 600 };
  const page = (shown: PermissionItem) => (
    <DesktopProvider value={desktop}>
      <SeenPermissionsContext
        value={{
          watch: () => () => undefined,
          read: () => seen.ids,
          settledMs: () => seen.settledMs,
          subscribe: () => () => undefined,
        }}
      >
        <PermissionCard item={shown} agent={ref.agent} channelId={ref.channelId} cwd="/srv" />
        <textarea data-testid="field" />
      </SeenPermissionsContext>
    </DesktopProvider>
  );
  const { rerender } = render(page(item));
  const rename = (name: string) =>
    rerender(page({ ...item, options: item.options.map((option) => ({ ...option, name })) }));
  const down = (key: string, more = {}) => fireEvent.keyDown(document.body, { key, ...more });
  const up = (key: string) => fireEvent.keyUp(document.body, { key });
  const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));
  const given = () =>
    posted.flatMap((message) =>
      message.type === 'control' && message.draft.type === 'permission_decision' ? [message.draft.optionId] : [],
    );
  const held = () => screen.getAllByTestId('permission-option').filter((button) => button.classList.contains('held'));
  return { seen, item, down, up, wait, given, held, rename };
}

test('DT197: letters typed beside the field answer nothing, and say what would have', () => {
  const { down, up, wait, given } = show();
  for (const key of 'add a 1') {
    down(key);
    wait(150);
    up(key);
  }
  wait(5_000);
  expect(given()).toEqual([]);
  expect(screen.getByTestId('let-go').textContent).toBe('Nothing was answered: hold “1” until its button is full.');
});

test('DT197: a key that is held fills its answer and gives it once', () => {
  const { down, up, wait, given, held } = show();
  down('d');
  expect(held().map(({ dataset }) => dataset.optionId)).toEqual(['reject']);
  wait(390);
  expect(given()).toEqual([]);
  for (const _ of [1, 2, 3]) down('d', { repeat: true });
  wait(10);
  expect(given()).toEqual(['reject']);
  wait(2_000);
  up('d');
  expect(given()).toEqual(['reject']);
  expect(screen.queryByTestId('let-go')).toBeNull();
});

test('DT197: another key, a page that is left and a card that is no longer the one take a held answer back', () => {
  const { seen, down, up, wait, given } = show();
  down('a');
  wait(200);
  down('x');
  wait(1_000);
  down('a');
  wait(200);
  fireEvent.blur(window);
  wait(1_000);
  up('a');
  down('a');
  wait(200);
  seen.ids = [...seen.ids, 'another'];
  wait(1_000);
  expect(given()).toEqual([]);
});

test('DT197: a field that takes over, and another answer in the place of the one that filled, take a held answer back', () => {
  const { down, up, wait, given, rename } = show();
  down('a');
  wait(200);
  screen.getByTestId('field').focus();
  wait(1_000);
  expect(given()).toEqual([]);
  screen.getByTestId('field').blur();
  up('a');
  down('1');
  wait(200);
  rename('Allow all of it');
  wait(1_000);
  expect(given()).toEqual([]);
});

test('DT94: no key answers a card that has just come into view, nor where two are in view', () => {
  const { seen, item, down, up, wait, given } = show();
  const hold = (ids: readonly string[], settledMs: number) => {
    Object.assign(seen, { ids, settledMs });
    down('a');
    wait(500);
    up('a');
    return given().length;
  };
  expect(hold([item.id], 100)).toBe(0);
  expect(hold([item.id, 'another'], 5_000)).toBe(0);
  expect(hold([item.id], 600)).toBe(1);
});
