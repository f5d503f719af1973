// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { DesktopProvider } from '../use-desktop.ts';
import { DiffView } from './DiffView.tsx';

beforeEach(() => localStorage.clear());
afterEach(cleanup);

function show(oldText: string | null, newText: string) {
  const { desktop, posted } = openStory((STORIES.running as (nowMs: number) => Story)(Date.now()), (fire) => fire());
  const change = { type: 'diff', path: '/srv/a.ts', oldText, newText } as const;
  const page = () => (
    <DesktopProvider value={desktop}>
      <DiffView change={change} cwd="/srv" />
    </DesktopProvider>
  );
  const { rerender, unmount } = render(page());
  return { posted, again: () => rerender(page()), unmount, page };
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`);
const texts = () => [...document.querySelectorAll('.diff-row')].map((row) => row.textContent);

test('DT106: a short change is there at once, unified or side by side, and the choice stays', () => {
  const lines = numbered(12);
  const { unmount, page } = show(lines.join(''), lines.with(5, 'changed\n').join(''));
  expect(texts()).toContain('6−line 5');
  expect(texts()).toContain('6+changed');
  expect(screen.getByTestId('diff').textContent).toContain('+1 −1');
  fireEvent.click(screen.getByTestId('diff-split'));
  const pair = [...document.querySelectorAll('.diff-pair')].find((one) => one.querySelector('.removed') !== null);
  expect(pair?.textContent).toBe('6−line 56+changed');
  unmount();
  render(page());
  expect(screen.getByTestId('diff-split').getAttribute('aria-pressed')).toBe('true');
});

test('DT106: what is folded opens where it stands', () => {
  const lines = numbered(40);
  show(lines.join(''), lines.with(20, 'changed\n').join(''));
  expect(screen.queryByText('line 10')).toBeNull();
  fireEvent.click(screen.getAllByTestId('diff-unfold')[0] as HTMLElement);
  expect(screen.getByText('line 10')).toBeDefined();
  expect(screen.getAllByTestId('diff-unfold')).toHaveLength(1);
});

test('DT106: a long change is compared in the worker, once, however often it is drawn', async () => {
  const lines = numbered(5_000);
  const { posted, unmount, page } = show(lines.join(''), lines.with(17, 'changed\n').join(''));
  await expect.poll(() => screen.getByTestId('diff').textContent, { timeout: 20_000 }).toContain('+1 −1');
  expect(texts()).toContain('18+changed');
  unmount();
  render(page());
  expect(texts()).toContain('18+changed');
  expect(posted.filter((message) => message.type === 'read' && message.request.type === 'diff')).toHaveLength(1);
});
