// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { DesktopProvider } from '../use-desktop.ts';
import { TurnEnd } from './TurnEnd.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('DT204: a turn is copied whole as Markdown: what was asked, done, decided and said; what is not here is counted', async () => {
  const story = (STORIES.ended as (nowMs: number) => Story)(Date.now());
  const { desktop } = openStory(story, (fire) => fire());
  const [agent] = desktop.store.getState().agents.filter(({ publicKey }) => publicKey === story.selected?.agent);
  const turn = agent?.told
    .transcript(story.selected?.channelId ?? null)
    .turns.findLast(({ source }) => source !== 'none');
  if (turn === undefined) throw new TypeError('the story has a turn');
  const copied: string[] = [];
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } });
  render(
    <DesktopProvider value={desktop}>
      <TurnEnd turn={{ ...turn, away: [{ before: 0, items: 7 }] }} cwd="/home/dev/src/api" />
    </DesktopProvider>,
  );
  fireEvent.click(screen.getByTestId('copy-turn'));
  await expect.poll(() => copied).toHaveLength(1);
  const [text = ''] = copied;
  expect(text).toMatch(/^## \d{4}-/);
  for (const words of ['7 more, which were not on the screen', 'npm publish', 'It packs. All is done.'])
    expect(text).toContain(words);
});
