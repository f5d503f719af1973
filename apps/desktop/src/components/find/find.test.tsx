// @vitest-environment happy-dom
import { Needle } from '@heliograph/transcript';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { JsonView } from '../content/JsonView.tsx';
import { TerminalView } from '../content/TerminalView.tsx';
import { Sentence } from '../transcript/Sentence.tsx';
import { DesktopProvider } from '../use-desktop.ts';
import { FindBar } from './FindBar.tsx';
import { findRanges } from './find-ranges.ts';
import { FoundHereContext } from './found-context.ts';
import { useFindItems } from './use-find.ts';

afterEach(cleanup);

function Search(props: { readonly session: SessionRef; readonly shown: string[] }) {
  const find = useFindItems(props.session, {
    nearest: () => 0,
    show: ({ itemId }) => void props.shown.push(itemId.split(':')[0] ?? ''),
  });
  return (
    <>
      <button type="button" onClick={find.open}>
        open
      </button>
      <FindBar find={find} label="Search" placeholder="" testId="find" />
    </>
  );
}

test('DT100: the field counts all there is, jumps to the first place, and steps round and round by Enter', async () => {
  const story = (STORIES.permission as (nowMs: number) => Story)(Date.now());
  const { desktop } = openStory(story, (fire) => fire());
  const shown: string[] = [];
  render(
    <DesktopProvider value={desktop}>
      <Search session={story.selected as SessionRef} shown={shown} />
    </DesktopProvider>,
  );
  fireEvent.click(screen.getByText('open'));
  const field = screen.getByTestId('find-needle');
  const told = () => screen.getByTestId('find-count').textContent;
  fireEvent.change(field, { target: { value: 'TOKEN' } });
  await expect.poll(told, { timeout: 20_000 }).toBe('1 of 3');
  fireEvent.keyDown(field, { key: 'Enter' });
  expect(told()).toBe('2 of 3');
  fireEvent.keyDown(field, { key: 'Enter', shiftKey: true });
  fireEvent.keyDown(field, { key: 'Enter', shiftKey: true });
  expect(told()).toBe('3 of 3');
  expect(shown).toEqual(['agent', 'tool', 'agent', 'tool']);
  fireEvent.change(field, { target: { value: 'nowhere in this story' } });
  await expect.poll(told, { timeout: 20_000 }).toBe('Nothing');
});

test('DT102: what was found opens what is folded over it, and a reader may close it again', () => {
  const found = { needle: 'deep inside', itemId: 'tool:1' };
  const page = (here: typeof found | undefined) => (
    <FoundHereContext value={here}>
      <Sentence icon={null} testId="row" refs={[]} startsOpen={false} body={() => <p>deep inside</p>}>
        A sentence
      </Sentence>
      <JsonView title="Raw input" json={'{"a":"deep inside"}'} />
      <TerminalView output={`deep inside\n${'another line\n'.repeat(40)}`} />
    </FoundHereContext>
  );
  const { rerender } = render(page(undefined));
  expect(screen.queryAllByText('deep inside')).toHaveLength(0);
  rerender(page(found));
  expect(screen.getAllByText('deep inside')).toHaveLength(2);
  expect(document.querySelector('details')?.open).toBe(true);
  fireEvent.click(screen.getByText('A sentence'));
  expect(screen.getAllByText('deep inside')).toHaveLength(1);
});

test('DT102: places are marked across the pieces a word is drawn in, row by row, those of the row jumped to apart', () => {
  const root = document.createElement('div');
  root.innerHTML =
    '<div data-index="0"><b>nee</b><i>dle</i> and Needle</div><div data-index="1" data-found=""><p>needle</p></div>';
  const { all, here } = findRanges(root, new Needle('needle'));
  expect(all.map((range) => range.toString())).toEqual(['needle', 'Needle', 'needle']);
  expect(here).toHaveLength(1);
  expect(findRanges(root, new Needle('Needle', true)).all).toHaveLength(1);
});
