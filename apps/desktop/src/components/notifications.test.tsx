// @vitest-environment happy-dom
import { act, cleanup, render } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { STORIES, type Story } from '../dev/stories.ts';
import { openStory } from '../dev/story-desktop.ts';
import { parseNotifySettings, writeNotifySettings } from '../notify-settings.ts';
import { Notifications } from './Notifications.tsx';
import { DesktopProvider } from './use-desktop.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  localStorage.clear();
});

test('DT84: who looks elsewhere is called, and a press on it opens the session; who looks here is not', () => {
  const shown: { title: string; onclick: (() => void) | null }[] = [];
  class Shown {
    static permission = 'granted';
    onclick: (() => void) | null = null;
    readonly title: string;
    constructor(title: string) {
      this.title = title;
      shown.push(this);
    }
    close() {}
  }
  vi.stubGlobal('Notification', Shown);
  let visibility = 'hidden';
  vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => visibility as DocumentVisibilityState);
  // Of a page that was served: another test's window may have left this one at about:blank.
  vi.spyOn(document, 'baseURI', 'get').mockReturnValue('http://localhost:3000/');
  writeNotifySettings(parseNotifySettings({ on: ['permission'] }));
  const story = STORIES as Readonly<Record<string, (nowMs: number) => Story>>;
  const nowMs = Date.now();
  const { desktop, tell: hear } = openStory((story.running as (nowMs: number) => Story)(nowMs), (fire) => fire());
  const selected: number[] = [];
  render(
    <DesktopProvider value={desktop}>
      <Notifications onSelect={() => selected.push(1)} />
    </DesktopProvider>,
  );
  expect(shown).toEqual([]);
  const tell = (name: string) => act(() => hear((story[name] as (at: number) => Story)(nowMs).events));
  tell('permission');
  expect(shown.map(({ title }) => title)).toEqual(['Fix the flaky auth test asks for permission']);
  shown[0]?.onclick?.();
  expect(selected).toEqual([1]);
  visibility = 'visible';
  tell('ended');
  expect(shown).toHaveLength(1);
});
