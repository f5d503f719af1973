// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { findAgent } from '../../store/desktop-store.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { PermissionCard } from '../transcript/PermissionCard.tsx';
import { DesktopProvider } from '../use-desktop.ts';
import { PastBand } from './PastBand.tsx';
import { PastContext } from './past-context.ts';
import { Scrubber } from './Scrubber.tsx';
import { type Past, useReplay } from './use-replay.ts';

afterEach(cleanup);

function Travel(props: { readonly session: SessionRef; readonly seen: Past[] }) {
  const replay = useReplay(props.session, (past) => void (past !== undefined && props.seen.push(past)));
  return (
    <>
      <button type="button" onClick={replay.open}>
        open
      </button>
      {replay.isOpen && <Scrubber replay={replay} onLive={replay.goLive} />}
      {replay.past !== undefined && <PastBand past={replay.past} now="waiting" onLive={replay.goLive} />}
    </>
  );
}

function travel() {
  const story = (STORIES.permission as (nowMs: number) => Story)(Date.now());
  const { desktop } = openStory(story, (fire) => fire());
  const session = story.selected as SessionRef;
  const seen: Past[] = [];
  render(
    <DesktopProvider value={desktop}>
      <Travel session={session} seen={seen} />
    </DesktopProvider>,
  );
  fireEvent.click(screen.getByText('open'));
  const live = () => findAgent(desktop.store.getState(), session.agent)?.told.transcript(session.channelId);
  return { desktop, session, seen, live };
}

const length = () => Number(screen.getByTestId('scrubber').dataset.length);
const dragTo = (to: number) => fireEvent.change(screen.getByTestId('scrubber-slider'), { target: { value: `${to}` } });

test('DT103, DT191: dragged or stepped, the scrubber shows the session as it was, and says where that is', async () => {
  const { seen, live } = travel();
  await expect.poll(length, { timeout: 20_000 }).toBe(57);
  expect(screen.queryByTestId('past-band')).toBeNull();
  dragTo(20);
  const position = () => screen.getByTestId('scrubber').dataset.position;
  await expect.poll(position).toBe('20');
  const line = () => `line ${seen.at(-1)?.line?.seq}`;
  expect(screen.getByTestId('past-band').textContent).toContain(`${line()}.`);
  expect(seen.at(-1)?.transcript.turns.at(-1)?.status).toBe('open');
  expect(seen.at(-1)?.transcript.turns.at(-1)?.items.length).toBeLessThan(live()?.turns.at(-1)?.items.length ?? 0);
  fireEvent.click(screen.getByTestId('scrubber-back'));
  await expect.poll(position).toBe('19');
  const before = line();
  fireEvent.click(screen.getByTestId('scrubber-on'));
  await expect.poll(position).toBe('20');
  expect(line()).not.toBe(before);
  expect(screen.getByTestId('scrubber-where').textContent).toContain(line());
  expect(screen.getByTestId('scrubber-slider').getAttribute('aria-valuetext')).toMatch(/^line \d+, \d/);
});

test('DT104: a past says that it is one, names what waits now, and one press leads back', async () => {
  travel();
  await expect.poll(length, { timeout: 20_000 }).toBe(57);
  dragTo(5);
  await expect.poll(() => screen.queryByTestId('past-band')?.textContent).toContain('This is the past');
  expect(screen.getByTestId('past-band').textContent).toContain('The agent waits for you now.');
  fireEvent.click(screen.getByTestId('back-to-live'));
  expect(screen.queryByTestId('past-band')).toBeNull();
  dragTo(5);
  await expect.poll(() => screen.queryByTestId('past-band')).not.toBeNull();
  dragTo(57);
  expect(screen.queryByTestId('past-band')).toBeNull();
});

test('DT104: nothing can be answered in the past, though it waits now', () => {
  const { desktop, session, live } = travel();
  const item = live()
    ?.turns.flatMap((turn) => turn.items)
    .find(({ kind }) => kind === 'permission');
  if (item?.kind !== 'permission') throw new TypeError('the story asks for nothing');
  const card = (isPast: boolean) => (
    <DesktopProvider value={desktop}>
      <PastContext value={isPast}>
        <PermissionCard item={item} agent={session.agent} channelId={session.channelId} cwd="/srv" />
      </PastContext>
    </DesktopProvider>
  );
  const { rerender } = render(card(false));
  expect(screen.getAllByTestId('permission-option').length).toBeGreaterThan(0);
  rerender(card(true));
  expect(screen.queryAllByTestId('permission-option')).toHaveLength(0);
  expect(screen.getByTestId('permission-card').textContent).toContain('waited for an answer at this line');
});
