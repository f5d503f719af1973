// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { App } from '../App.tsx';
import { DesktopProvider } from '../use-desktop.ts';

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

beforeEach(() => {
  vi.stubGlobal('IntersectionObserver', NoObserver);
  vi.stubGlobal('ResizeObserver', NoObserver);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  sessionStorage.clear();
  localStorage.clear();
});

function show(name: string) {
  const { desktop, tell } = openStory((STORIES[name] as (nowMs: number) => Story)(Date.now()), (fire) => fire());
  render(
    <DesktopProvider value={desktop}>
      <App />
    </DesktopProvider>,
  );
  const titles = () => screen.queryAllByTestId('session-row').map((row) => row.children[1]?.textContent);
  const agents = () => screen.queryAllByTestId('agent-row').map((row) => row.querySelector('bdi')?.textContent);
  const filter = (value: string) => fireEvent.change(screen.getByTestId('fleet-filter'), { target: { value } });
  return { desktop, tell, titles, agents, filter };
}

test('DT200: a list of more than eight rows is made short by words of title, agent, machine, folder and state', () => {
  const { titles, agents, filter } = show('permission');
  expect(titles().length + agents().length).toBeGreaterThan(8);
  filter('MIGRATE');
  expect([titles(), agents()]).toEqual([['Migrate billing to v3'], []]);
  filter('laptop gemini');
  expect([titles(), agents()]).toEqual([['Upgrade Vite to 8'], ['Gemini']]);
  filter('failed');
  expect(titles()).toEqual(['Nightly dependency check']);
  filter('src/api');
  expect(titles()).toContain('Fix the flaky auth test');
  filter('no answer');
  expect(agents()).toEqual(['OpenCode']);
  filter('nowhere');
  expect(titles()).toEqual([]);
  expect(screen.getByTestId('nothing-left').textContent).toContain('No session and no agent');
  fireEvent.click(screen.getByTestId('fleet-filter-clear'));
  expect(titles().length + agents().length).toBeGreaterThan(8);
});

test('DT200: s goes to the filter, Enter opens what is left first, Escape shows all again', () => {
  const { desktop, titles, filter } = show('permission');
  const count = titles().length;
  fireEvent.keyDown(document.body, { key: 's' });
  const field = screen.getByTestId('fleet-filter');
  expect(document.activeElement).toBe(field);
  filter('nothing like it');
  fireEvent.keyDown(field, { key: 'Escape' });
  expect(titles()).toHaveLength(count);
  expect(document.activeElement).not.toBe(field);
  const before = desktop.store.getState().selected;
  filter('vite');
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(desktop.store.getState().selected).not.toEqual(before);
  expect(screen.getByTestId('session-title').textContent).toBe('Upgrade Vite to 8');
  expect(titles()).toHaveLength(count);
});

test('DT200: a short list has no filter', () => {
  show('early');
  expect(screen.queryByTestId('fleet-filter')).toBeNull();
});
