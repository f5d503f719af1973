// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gooseOf, STORIES, type Story } from '../../dev/stories.ts';
import { StoryAgent } from '../../dev/story-agent.ts';
import { openStory } from '../../dev/story-desktop.ts';
import type { Session } from '../../worker/protocol.ts';
import { App } from '../App.tsx';
import { DesktopProvider } from '../use-desktop.ts';
import { WaitingCount } from '../WaitingCount.tsx';

const NOW = Date.now();

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}

beforeEach(() => {
  vi.stubGlobal('IntersectionObserver', NoObserver);
  vi.stubGlobal('ResizeObserver', NoObserver);
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  localStorage.clear();
});

function show(name: string) {
  const world = openStory((STORIES[name] as (nowMs: number) => Story)(NOW), (fire) => fire());
  const page = () => (
    <DesktopProvider value={world.desktop}>
      <App />
    </DesktopProvider>
  );
  const { rerender } = render(page());
  const sent = () => world.posted.flatMap((message) => (message.type === 'control' ? [message.draft] : []));
  return { ...world, session: world.desktop.store.getState().session, sent, rerender: () => rerender(page()) };
}

const cards = () => screen.getAllByTestId('inbox-card');
const press = (key: string) => fireEvent.keyDown(document.body, { key });
const hold = (key: string) => {
  press(key);
  act(() => vi.advanceTimersByTime(400));
  fireEvent.keyUp(document.body, { key });
};
const settle = () => act(() => vi.advanceTimersByTime(600));
/** happy-dom lays nothing out: every card is where it can be read. */
const laidOut = () =>
  vi
    .spyOn(Element.prototype, 'getBoundingClientRect')
    .mockReturnValue({ top: 10, bottom: 110, height: 100 } as DOMRect);

test('DT123: keys answer the one card that is chosen, half a second after it was, and ask before "always"', () => {
  laidOut();
  const { sent } = show('inbox');
  press('w');
  expect(cards().map(({ dataset }) => dataset.kind)).toEqual([
    'permission',
    'permission',
    'question',
    'question',
    'trouble',
  ]);
  hold('1');
  expect(sent()).toEqual([]);
  press('j');
  settle();
  expect(cards()[1]?.getAttribute('aria-current')).toBe('true');
  hold('2');
  expect(sent()).toMatchObject([{ type: 'permission_decision', optionId: 'r' }]);
  expect(within(cards()[1] as HTMLElement).getByTestId('control-progress').textContent).toContain('sending');
  press('k');
  settle();
  hold('2');
  expect(sent()).toHaveLength(1);
  fireEvent.click(screen.getByTestId('permission-confirm-yes'));
  expect(sent()[1]).toMatchObject({ type: 'permission_decision', optionId: 'always', confirm: true });
});

test('DT123: no key answers a card that is out of view', () => {
  vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue({
    top: -80,
    bottom: 20,
    height: 100,
  } as DOMRect);
  const { sent } = show('inbox');
  press('w');
  settle();
  hold('1');
  expect(sent()).toEqual([]);
});

test('DT122: what is decided elsewhere says so in its place; what comes meanwhile stands below, and a button leads there', () => {
  const { tell } = show('permission');
  fireEvent.click(screen.getByTestId('open-inbox'));
  expect(cards()).toHaveLength(3);
  const ended = (STORIES.ended as (nowMs: number) => Story)(NOW);
  act(() => tell(ended.events));
  const [first] = cards();
  expect(first?.dataset).toMatchObject({ waiting: 'false', kind: 'permission' });
  expect(within(first as HTMLElement).getByTestId('permission-decision').textContent).toContain('You answered');
  expect((first as HTMLElement).style.minHeight).not.toBe('');
  act(() => vi.advanceTimersByTime(3_100));
  expect((first as HTMLElement).style.minHeight).toBe('');
  const late = new StoryAgent({ name: 'Late', host: 'h', cwd: '/late', startMs: Date.now() })
    .prompt('Late')
    .ask({ toolCallId: 't', title: 'x', kind: 'execute', rawInput: { command: 'x' } }, [
      { optionId: 'a', name: 'Yes', kind: 'allow_once' },
    ]);
  act(() => tell(late.viewerEvents()));
  expect(cards()).toHaveLength(4);
  expect(cards()[3]?.textContent).toContain('Late wants to run');
  expect(screen.getByTestId('inbox-fresh').textContent).toContain('1 new');
  press('r');
  expect(document.activeElement).toBe(cards()[3]);
  expect(screen.queryByTestId('inbox-fresh')).toBeNull();
  fireEvent.click(screen.getByTestId('inbox-clear'));
  expect(cards().map(({ dataset }) => dataset.waiting)).toEqual(['true', 'true', 'true']);
});

test('DT121: an entry leads to its place in its session, and a failure can be put aside', () => {
  const { desktop } = show('permission');
  fireEvent.click(screen.getByTestId('open-inbox'));
  fireEvent.click(screen.getByTestId('put-aside'));
  expect(cards()[2]?.dataset.waiting).toBe('false');
  expect(screen.getByTestId('open-inbox').dataset.waiting).toBe('2');
  fireEvent.click(within(cards()[1] as HTMLElement).getByTestId('inbox-open'));
  expect(screen.queryByTestId('inbox')).toBeNull();
  expect(screen.getByTestId('session-title').textContent).toBe('Migrate billing to v3');
  expect(desktop.store.getState().reveal?.itemId).toContain('permission');
});

test('DT124: the count stands in the title and is said once things have settled, only when it became more', () => {
  const { rerender } = render(<WaitingCount waiting={0} />);
  const said = () => screen.getByTestId('waiting-count').textContent;
  const settleTo = (waiting: number) => {
    rerender(<WaitingCount waiting={waiting} />);
    act(() => vi.advanceTimersByTime(1_600));
  };
  rerender(<WaitingCount waiting={1} />);
  expect([document.title, said()]).toEqual(['(1) Heliograph', '']);
  settleTo(2);
  expect(said()).toBe('2 things wait for you');
  settleTo(1);
  expect([document.title, said()]).toEqual(['(1) Heliograph', '']);
  settleTo(0);
  settleTo(1);
  expect(said()).toBe('1 thing waits for you');
});

test('DT127: what came in a session nobody looks at is counted beside it, and remembered on this device', () => {
  const { tell } = show('permission');
  const rows = () => screen.getAllByTestId('session-row');
  const row = (title: string) => rows().find(({ textContent }) => textContent?.includes(title)) as HTMLElement;
  expect(rows().map(({ dataset }) => dataset.news)).toEqual(Array.from({ length: 7 }, () => '0'));
  const goose = gooseOf(NOW).wait(300_000).say('Nearly done.', 'm');
  act(() => tell([{ type: 'events', agent: goose.publicKey, events: goose.events }]));
  expect(row('Docs: self-hosting').dataset.news).toBe('1');
  fireEvent.click(row('Docs: self-hosting'));
  expect(row('Docs: self-hosting').dataset.news).toBe('0');
  act(() => vi.advanceTimersByTime(1_100));
  const kept = JSON.parse(localStorage.getItem(`heliograph.seen.${'a1'.repeat(32)}`) ?? 'null');
  expect(kept.at[`${goose.publicKey}/${goose.channelId}`]).toBeGreaterThan(Date.now());
});

test('DT137, DT138: a session is put aside from its row and taken back; a silent one says when it was last heard', () => {
  show('permission');
  const row = () => screen.getAllByTestId('session-row').find(({ textContent }) => textContent?.includes('Scratch'));
  expect(row()?.textContent).toContain('old-laptop does not answer · last heard 2 d ago');
  const button = () => row()?.parentElement?.querySelector('[data-testid="aside"]') as HTMLElement;
  fireEvent.click(button());
  expect(row()?.closest('[data-testid="put-aside-group"]')).not.toBeNull();
  fireEvent.click(button());
  expect(screen.queryByTestId('put-aside-group')).toBeNull();
  const asking = screen.getAllByTestId('session-row').find(({ dataset }) => dataset.status === 'needs');
  expect(asking?.parentElement?.querySelector('[data-testid="aside"]')).toBeNull();
});

test('DT192: every agent has a row that says how it is, whichever session is shown, and opens to its lights', () => {
  show('permission');
  const rows = screen.getAllByTestId('agent-row');
  expect(rows).toHaveLength(7);
  expect(rows.map(({ textContent, dataset }) => `${dataset.sign}: ${textContent}`)).toEqual(
    expect.arrayContaining(['ok: goose runs on laptop', 'bad: OpenCode no answer on old-laptop for 2 d']),
  );
  const silent = rows.find(({ dataset }) => dataset.sign === 'bad') as HTMLElement;
  fireEvent.click(silent);
  expect(silent.parentElement?.textContent).toContain('The harness on old-laptop does not answer; last heard 2 d ago.');
});

test('DT193: a session is headed by its owner’s name for the agent, and says for how long a question waits', () => {
  const { desktop, session } = show('permission');
  const { agent: publicKey } = desktop.store.getState().selected ?? expect.unreachable();
  act(() =>
    desktop.receive({
      type: 'session',
      session: { ...session, agents: [{ publicKey, name: 'Deploy bot' }] } as Session,
    }),
  );
  const header = screen.getByTestId('session-header');
  expect(header.textContent).toContain('Deploy bot on build-box');
  expect(within(header).getByTitle('It calls itself Claude')).toBeDefined();
  expect(screen.getByTestId('working').textContent).toMatch(
    /^Waits for your answer \d+ s|^Waits for your answer \d+ m/,
  );
});
