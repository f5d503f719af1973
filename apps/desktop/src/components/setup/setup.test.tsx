// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { App } from '../App.tsx';
import { DesktopProvider } from '../use-desktop.ts';

afterEach(cleanup);

function show(name: string) {
  const world = openStory((STORIES[name] as (nowMs: number) => Story)(Date.now()), (fire) => fire());
  render(
    <DesktopProvider value={world.desktop}>
      <App />
    </DesktopProvider>,
  );
  return world;
}

const field = (testId: string) => screen.getByTestId(testId) as HTMLInputElement;

test('DT37: a key is typed into fields that forget it at once and goes to the worker alone', () => {
  const { posted } = show('import');
  field('import-secret').value = 'nsec1secret';
  field('import-passphrase').value = 'short';
  fireEvent.submit(screen.getByTestId('import-form'));
  expect(screen.getByRole('alert').textContent).toContain('at least 8 characters');
  expect(posted).toEqual([]);

  field('import-passphrase').value = 'long enough';
  fireEvent.change(field('import-relays'), { target: { value: 'ws://a:1, wss://b' } });
  fireEvent.submit(screen.getByTestId('import-form'));
  expect(posted).toEqual([
    { type: 'import', secret: 'nsec1secret', passphrase: 'long enough', relays: ['ws://a:1', 'wss://b'] },
  ]);
  expect([field('import-secret').value, field('import-passphrase').value]).toEqual(['', '']);
  expect(document.body.innerHTML).not.toContain('nsec1secret');
});

test('DT37: a relay that is none is refused by name', () => {
  const { posted } = show('import');
  fireEvent.change(field('import-relays'), { target: { value: 'http://a' } });
  fireEvent.submit(screen.getByTestId('import-form'));
  expect(screen.getByRole('alert').textContent).toBe('“http://a” is no relay: it must start with ws:// or wss://.');
  expect(posted).toEqual([]);
});

test('DT37: a page whose link is spent says how to get another', () => {
  show('first-run');
  expect(screen.getByTestId('problem').textContent).toContain('used before');
  expect(screen.getByTestId('first-run').textContent).toContain('heliograph desktop');
  expect(screen.queryByTestId('import-form')).toBeNull();
  fireEvent.click(screen.getByTestId('show-import'));
  expect(screen.getByTestId('import-form')).toBeDefined();
});

test('DT37: an encrypted key asks for its passphrase; removing it asks twice', () => {
  const { posted } = show('locked');
  field('unlock-passphrase').value = 'open sesame';
  fireEvent.click(screen.getByTestId('unlock-submit'));
  expect(posted).toEqual([{ type: 'unlock', passphrase: 'open sesame' }]);
  expect(field('unlock-passphrase').value).toBe('');
  fireEvent.click(screen.getByText('Remove the key from this device'));
  expect(posted).toHaveLength(1);
  fireEvent.click(screen.getByText('Remove it from this device'));
  expect(posted[1]).toEqual({ type: 'forget-key' });
});

test('DT38: an invite is named, made and handed over without ever being in the page', async () => {
  const { posted } = show('empty');
  fireEvent.click(screen.getByTestId('add-agent'));
  fireEvent.click(screen.getByTestId('make-invite'));
  expect(screen.getByRole('alert').textContent).toContain('Give it a name');
  fireEvent.change(field('agent-name'), { target: { value: ' Clàude on box ' } });
  fireEvent.click(screen.getByTestId('make-invite'));
  expect((await screen.findByTestId('agent-command')).textContent).toBe(
    'heliograph agent --invite @claude-on-box.invite -- claude-agent-acp',
  );
  expect(posted).toMatchObject([{ type: 'invite', name: 'Clàude on box', relays: ['ws://build-box:7447'] }]);
  expect(document.documentElement.outerHTML).not.toContain('helio1');
});

test('DT38: with no agent the page says what to do next', () => {
  show('empty');
  expect(screen.getByTestId('nothing-chosen').textContent).toContain('No agent yet');
});
