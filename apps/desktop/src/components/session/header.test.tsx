// @vitest-environment happy-dom
import type { Snapshot } from '@heliograph/wire';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { findAgent } from '../../store/desktop-store.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { PathText } from '../content/PathText.tsx';
import { NARROW } from '../parts/use-media.ts';
import { DesktopProvider, useAgent } from '../use-desktop.ts';
import { SessionHeader } from './SessionHeader.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Header({ session }: { readonly session: SessionRef }) {
  const agent = useAgent(session.agent);
  const not = () => undefined;
  return agent === undefined ? null : (
    <SessionHeader
      agent={agent}
      session={session}
      isRailOpen={false}
      isRunning={false}
      isFinding={false}
      isReplaying={false}
      onToggleRail={not}
      onFind={not}
      onReplay={not}
      onBack={not}
    />
  );
}

function show(isNarrow: boolean) {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query === NARROW && isNarrow,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  const story = (STORIES.permission as (nowMs: number) => Story)(Date.now());
  const { desktop, tell } = openStory(story, (fire) => fire());
  const ref = story.selected;
  if (ref === undefined) throw new TypeError('the story shows no session');
  render(
    <DesktopProvider value={desktop}>
      <Header session={ref} />
    </DesktopProvider>,
  );
  const allowAll = () =>
    act(() => {
      const known = findAgent(desktop.store.getState(), ref.agent)?.snapshot;
      const snapshot = { channels: [], ...known, policy: 'allow' } as unknown as Snapshot;
      tell([{ type: 'snapshot', agent: ref.agent, snapshot }]);
    });
  const row = () => screen.getByTestId('session-header').lastElementChild as HTMLElement;
  return { allowAll, row };
}

test('DT201: a phone’s header says who, model and mode; folder and usage are in its menu', () => {
  const { row } = show(true);
  expect(row().textContent).toContain('on build-box');
  for (const id of ['setting-model', 'setting-mode']) expect(within(row()).getByTestId(id)).toBeDefined();
  expect(within(row()).queryByTestId('usage')).toBeNull();
  fireEvent.click(screen.getByTestId('session-menu'));
  const facts = screen.getByTestId('session-facts');
  expect(facts.textContent).toContain('/home/dev/src/api');
  expect(within(facts).getByTestId('usage')).toBeDefined();
});

test('DT201: where a policy answers for the owner that stands in a phone’s header, and the model in its menu', () => {
  const { allowAll, row } = show(true);
  allowAll();
  expect(within(row()).getByTestId('policy-told').textContent).toBe('Allows all by itself');
  expect(within(row()).queryByTestId('setting-model')).toBeNull();
  expect(within(row()).getByTestId('setting-mode')).toBeDefined();
  fireEvent.click(screen.getByTestId('session-menu'));
  expect(within(screen.getByTestId('session-panel')).getByTestId('setting-model')).toBeDefined();
});

test('DT201: on a desk all of it is in the header', () => {
  const { row } = show(false);
  for (const id of ['setting-model', 'setting-mode', 'usage', 'cost'])
    expect(within(row()).getByTestId(id)).toBeDefined();
  fireEvent.click(screen.getByTestId('session-menu'));
  expect(screen.queryByTestId('session-facts')).toBeNull();
});

test.each([
  ['/home/dev/src/api', '/home/dev/src', '/api'],
  ['/home/dev/src/api/', '/home/dev/src', '/api/'],
  ['/srv', '', '/srv'],
  ['C:\\src', '', 'C:\\src'],
])('DT201: of the path %s the last part is never cut away', (path, head, tail) => {
  const { container } = render(<PathText path={path} />);
  const parts = [...(container.firstElementChild?.children ?? [])].map(({ textContent }) => textContent);
  expect(parts).toEqual(head === '' ? [tail] : [head, tail]);
});
