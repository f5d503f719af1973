// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { selectRows } from '../../store/rows.ts';
import { DesktopProvider } from '../use-desktop.ts';
import { RowView } from './RowView.tsx';

afterEach(cleanup);

/** All rows of the story, one below the other. */
function show() {
  const story = (STORIES.kinds as (nowMs: number) => Story)(Date.now());
  const { desktop } = openStory(story, (fire) => fire());
  const [agent] = desktop.store.getState().agents;
  const ref = story.selected;
  if (agent === undefined || ref === undefined) throw new TypeError('the story has a session');
  const { turns, session } = agent.told.transcript(ref.channelId);
  const rows = selectRows({ ...agent.told.transcript(ref.channelId), turns });
  return render(
    <DesktopProvider value={desktop}>
      {rows.map((row) => (
        <RowView
          key={row.key}
          row={row}
          agent={ref.agent}
          channelId={ref.channelId}
          cwd={session.cwd}
          isRunning={false}
          isLive={true}
        />
      ))}
    </DesktopProvider>,
  );
}

test('DT136: every kind of content is drawn as what it is, or named with its type and size', () => {
  const { container } = show();
  const text = container.textContent ?? '';
  expect(container.querySelectorAll('img[src^="data:image/png;base64,"]')).toHaveLength(1);
  expect(container.querySelectorAll('audio[src^="data:audio/wav;base64,"][controls]')).toHaveLength(1);
  for (const words of [
    'An image (image/svg+xml, 6 B) that is not drawn here',
    'A recording (audio/x-odd, 49 B) that is not drawn here',
    'The report',
    'file:///home/dev/kinds/report.pdf · 48 KB',
    'A page (example.org)',
    'file:///home/dev/kinds/notes.md',
    '3 B of application/octet-stream data',
    'Content of a kind this viewer does not know',
    'Deleted old.ts',
    'Moved old.ts',
    'Switched mode Leave plan mode',
    'Used Ask the oracle',
    'Used Something new',
    'Mode: Ask first → Plan only',
    'Compaction completed',
    'The agent wrote to stderr',
    'Something this viewer does not know: something_new',
  ])
    expect(text).toContain(words);
});

test('DT135: a call with others in it counts them, and opens to each in the one it was made for', () => {
  show();
  const card = screen.getAllByTestId('tool-card').find(({ dataset }) => dataset.toolCallId === 'task') as HTMLElement;
  expect(card.textContent).toContain('Find every caller of verifyToken · 5 calls');
  expect(within(card).queryByTestId('calls-inside')).toBeNull();
  fireEvent.click(within(card).getAllByRole('button')[0] as HTMLElement);
  const [outer, inner] = within(card).getAllByTestId('calls-inside');
  expect(
    within(inner as HTMLElement)
      .getAllByTestId('tool-card')
      .map(({ dataset }) => dataset.toolCallId),
  ).toEqual(['c3']);
  expect(within(outer as HTMLElement).getAllByTestId('tool-card')).toHaveLength(5);
});
