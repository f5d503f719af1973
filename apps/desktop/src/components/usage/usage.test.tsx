// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { App } from '../App.tsx';
import { DesktopProvider } from '../use-desktop.ts';

afterEach(cleanup);

function show(name: string) {
  const story = (STORIES[name] as (nowMs: number) => Story)(Date.now());
  const { desktop } = openStory(story, (fire) => fire());
  render(
    <DesktopProvider value={desktop}>
      <App />
    </DesktopProvider>,
  );
}

test('US15: the usage panel shows days and agents, and a dash for what nobody told', () => {
  show('usage');
  fireEvent.click(screen.getByTestId('open-usage'));
  const days = screen.getAllByTestId('usage-day');
  expect(days.map((day) => day.querySelector('h3')?.textContent)).toContain('Yesterday$1.61');
  const rows = within(days[0] as HTMLElement).getAllByTestId('usage-agent');
  const words = rows.map((row) => row.textContent ?? '');
  expect(words.some((text) => text.includes('2 turns · 824 k in · 19 k out'))).toBe(true);
  expect(
    words.some(
      (text) => text.includes('–1 turn · 90 k in · 2.0 k out') || text.includes('–1 turn · 90 k in · 2.1 k out'),
    ),
  ).toBe(true);
  expect(words.some((text) => text.includes('–2 turns · – in · – out'))).toBe(true);
  expect(days[1]?.textContent).toContain('1 of them not told');
});

test('US15: the session’s header shows what its turns used', () => {
  show('usage');
  const header = within(screen.getByTestId('session-header'));
  expect(header.getByTestId('session-tokens').textContent).toMatch(/ in · .* out$/);
  expect(header.getByTestId('session-tokens').title).toContain('in 12 turns');
});

test('US15: nothing told yet is said so', () => {
  show('empty');
  fireEvent.click(screen.getByTestId('open-usage'));
  expect(screen.getByTestId('usage-dialog').textContent).toContain('Nothing yet');
  expect(screen.queryByTestId('usage-day')).toBeNull();
});
