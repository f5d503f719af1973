// @vitest-environment happy-dom
import type { Repairs } from '@heliograph/client';
import type { GapItem } from '@heliograph/transcript';
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { findAgent } from '../../store/desktop-store.ts';
import type { SessionRef } from '../../store/session-ref.ts';
import { DesktopProvider } from '../use-desktop.ts';
import { GapRow } from './GapRow.tsx';

afterEach(cleanup);

/** The gap of 12 lines that a story has. */
function show(name: string, more: Partial<GapItem> = {}) {
  const story = (STORIES[name] as (nowMs: number) => Story)(Date.now());
  const { desktop, posted, tell } = openStory(story, (fire) => fire());
  const { agent, channelId } = story.selected as SessionRef;
  const turns = findAgent(desktop.store.getState(), agent)?.told.transcript(channelId).turns ?? [];
  const found = turns.flatMap(({ items }) => items).find(({ kind }) => kind === 'gap');
  if (found?.kind !== 'gap') throw new TypeError(`story ${name} lacks nothing`);
  const item = { ...found, ...more };
  render(
    <DesktopProvider value={desktop}>
      <GapRow item={item} agent={agent} />
    </DesktopProvider>,
  );
  const { stream, firstSeq, lastSeq } = item;
  const span = { stream, first: firstSeq + 2, last: lastSeq };
  return {
    desktop,
    item,
    sent: () => posted.flatMap((message) => (message.type === 'control' ? [message.draft] : [])),
    span,
    repair: (repairs: Partial<Repairs>) =>
      act(() => tell([{ type: 'repairs', agent, repairs: { awaited: [], gone: [], ...repairs } }])),
    words: () => screen.getByTestId('gap').textContent?.slice(1),
  };
}

test('DT34: missing lines are counted, and asked for again by a press', () => {
  const { desktop, item, sent, words } = show('running');
  expect(words()).toBe('12 lines are missing here. Ask again');
  fireEvent.click(screen.getByTestId('ask-again'));
  expect(sent()).toEqual([{ type: 'replay', stream: item.stream, fromSeq: item.firstSeq, toSeq: item.lastSeq }]);
  expect(words()).toContain('Asked again: sending');
  const { requestId = '', agent } = desktop.store.getState().controls.at(-1) ?? {};
  const result = { type: 'replay', status: 'unknown', reason: 'gone' } as const;
  const progress = { requestId, agent: agent ?? '', type: 'replay', phase: 'failed', result } as const;
  act(() => desktop.receive({ type: 'events', events: [{ type: 'control', progress }] }));
  expect(screen.getByTestId('ask-again')).toBeDefined();
});

test('DT198: lines that are asked for are on their way; what nobody has says why', () => {
  const { span, repair, words } = show('running');
  repair({ awaited: [span] });
  expect(words()).toBe('12 lines are on their way.');
  repair({ awaited: [{ ...span, stream: 'another' }] });
  expect(words()).toBe('12 lines are missing here. Ask again');
  // Of those that are not gone somebody may still ask.
  repair({ gone: [span] });
  expect(words()).toBe('12 lines are missing here. Ask again');
  repair({ gone: [span, { ...span, first: span.first - 2, last: span.first }] });
  expect(words()).toBe('12 lines are missing: the harness, asked for them, does not have them any more.');
});

test('DT198: the beginning of a session that is awaited says so, and a silent harness is not asked', () => {
  const { span, repair, words } = show('running', { firstSeq: 1, lastSeq: 300 });
  repair({ awaited: [{ ...span, first: 1, last: 300 }] });
  expect(words()).toBe('You joined in the middle: 300 earlier lines are on their way.');
  cleanup();
  const silent = show('history');
  silent.repair({ awaited: [silent.span] });
  expect(silent.words()).toBe('12 lines are not here: they can be asked for when the harness answers.');
  expect(screen.queryByTestId('ask-again')).toBeNull();
});

test('DT198: what the harness gave up is missing for its reasons', () => {
  const { words } = show('running', { lost: true, reasons: ['overflow'] });
  expect(words()).toBe('12 lines are missing: lost on the way (overflow), and nobody has them any more.');
});
