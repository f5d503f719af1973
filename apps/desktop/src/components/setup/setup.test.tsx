// @vitest-environment happy-dom
import { encodeNpub } from '@heliograph/wire/nostr';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import decodeQR from 'qr/decode.js';
import { afterEach, expect, test, vi } from 'vitest';
import { STORIES, type Story } from '../../dev/stories.ts';
import { openStory } from '../../dev/story-desktop.ts';
import { readNotifySettings } from '../../notify-settings.ts';
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
  fireEvent.change(field('import-relays'), { target: { value: 'ws://a:1, wss://b' } });
  field('import-secret').value = 'nsec1secret';
  field('import-passphrase').value = 'short';
  fireEvent.submit(screen.getByTestId('import-form'));
  expect(screen.getByRole('alert').textContent).toContain('at least 8 characters');
  expect(posted).toEqual([]);

  field('import-passphrase').value = 'long enough';
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
  expect(screen.getByTestId('no-agent-yet').textContent).toContain('Make an invite');
});

test('DT43: revoking tells first what it does and what it does not, and keeps the name beside the word revoked', () => {
  const { desktop, posted } = show('permission');
  fireEvent.click(screen.getByTestId('open-settings'));
  const line = () => screen.getAllByTestId('settings-agent').at(-1) as HTMLElement;
  const key = line().dataset.agent as string;
  const name = line().textContent?.split(' ')[0] as string;
  fireEvent.click(within(line()).getByTestId('revoke'));
  expect(line().textContent).toContain('On this device its sessions vanish');
  expect(line().textContent).toContain('Your other devices go on showing it');
  expect(line().textContent).toContain(`heliograph relay deny ${encodeNpub(key)}`);
  fireEvent.click(within(line()).getByTestId('revoke-confirm'));
  // The dialog asks of the archive too.
  expect(posted.at(-1)).toMatchObject({ type: 'change-agent', change: { publicKey: key, name, revoked: true } });
  const { session } = desktop.store.getState();
  if (session.phase !== 'ready') throw new TypeError('the story has a key');
  const agents = [{ publicKey: key, name, revoked: true }];
  act(() => desktop.receive({ type: 'session', session: { ...session, agents } }));
  const revoked = screen.getAllByTestId('settings-agent').find(({ dataset }) => dataset.agent === key);
  expect(revoked?.textContent).toContain(name);
  expect(revoked?.textContent).toContain('revoked');
});

test('DT44: a spent link is told with what stopping ends; the relay of an imported key is asked for', () => {
  show('first-run');
  const text = screen.getByTestId('first-run').textContent;
  expect(text).toContain('works once');
  expect(text).toContain('after a reload');
  expect(text).toContain('ends its agent too');
  fireEvent.click(screen.getByTestId('show-import'));
  expect([field('import-relays').value, field('import-relays').placeholder]).toEqual(['', 'ws://HOST:7447']);
  fireEvent.submit(screen.getByTestId('import-form'));
  expect(screen.getAllByRole('alert').at(-1)?.textContent).toContain('Name a relay');
});

test('DT45: an invite through an address of this machine is warned of', () => {
  show('empty');
  fireEvent.click(screen.getByTestId('add-agent'));
  expect(screen.queryByTestId('loopback-relay')).toBeNull();
  fireEvent.change(field('agent-relays'), { target: { value: 'ws://127.0.0.1:7447, ws://box:1' } });
  expect(screen.getAllByTestId('loopback-relay').map(({ textContent }) => textContent)).toEqual([
    'ws://127.0.0.1:7447: only agents on this machine can reach it.',
  ]);
});

test('DT41: where no session is shown, a relay that refuses the key is told of with its mend', () => {
  const { desktop } = show('empty');
  expect(screen.queryAllByTestId('connection-banner')).toEqual([]);
  const state = {
    phase: 'waiting',
    reason: 'restricted: run heliograph relay --owner npub1',
    retryAtMs: 0,
    sinceMs: 0,
  } as const;
  act(() => desktop.receive({ type: 'events', events: [{ type: 'relay', url: 'ws://build-box:7447', state }] }));
  for (const banner of screen.getAllByTestId('connection-banner')) {
    expect(banner.textContent).toContain('ws://build-box:7447 refuses your key: run heliograph relay --owner npub1.');
  }
});

test('DT60: without a key a relay’s page says what it is, its address, how to bring an agent, and the ways in', () => {
  const { posted } = show('landing');
  const page = screen.getByTestId('landing');
  expect(within(page).getByRole('heading', { level: 1 }).textContent).toBe('Our relay');
  expect(field('connect-string').textContent).toBe('wss://relay.example.org/agents');
  expect(field('desktop-command').textContent).toBe('heliograph desktop --relay wss://relay.example.org/agents');
  expect(field('invite-command').textContent).toContain('invite --relay wss://relay.example.org/agents');
  expect(readQr('page-qr')).toBe('https://relay.example.org/agents/');
  expect(screen.queryByTestId('import-form')).toBeNull();
  fireEvent.click(screen.getByTestId('show-import'));
  expect(screen.getByTestId('trust').textContent).toContain('could read a key');
  field('import-secret').value = 'nsec1secret';
  field('import-passphrase').value = 'long enough';
  fireEvent.submit(screen.getByTestId('import-form'));
  expect(posted).toEqual([{ type: 'import', secret: 'nsec1secret', passphrase: 'long enough', relays: [] }]);
  expect(screen.getByTestId('import-submit').textContent).toBe('Encrypting the key');
});

test('DT60: an address that only this machine reaches has no code to scan, but the flags that mend it', () => {
  show('landing-here');
  expect(screen.queryByTestId('page-qr')).toBeNull();
  expect(screen.getByTestId('loopback-only').textContent).toContain('--host 0.0.0.0 --public-url');
});

test('DT61: relays are added and removed where the browser keeps the key; the one that serves the page stays', () => {
  const { posted } = show('device');
  fireEvent.click(screen.getByTestId('open-settings'));
  fireEvent.click(screen.getByTestId('settings-relays'));
  const [home, other] = screen.getAllByTestId('settings-relay') as [HTMLElement, HTMLElement];
  expect(home.textContent).toContain('serves this page');
  expect(within(home).queryByTestId('remove-relay')).toBeNull();
  fireEvent.click(within(other).getByTestId('remove-relay'));
  fireEvent.change(field('relay-url'), { target: { value: 'http://x' } });
  fireEvent.click(screen.getByTestId('add-relay'));
  expect(screen.getByRole('alert').textContent).toContain('“http://x” is no relay');
  fireEvent.change(field('relay-url'), { target: { value: ' wss://x ' } });
  fireEvent.click(screen.getByTestId('add-relay'));
  expect(posted).toEqual([
    { type: 'set-relays', relays: ['ws://build-box:7447'] },
    { type: 'set-relays', relays: ['ws://build-box:7447', 'wss://relay.example.org', 'wss://x'] },
  ]);
});

test('DT63: the key is shown for a phone as a code, encrypted under a passphrase that the field forgets', async () => {
  const { posted } = show('empty');
  fireEvent.click(screen.getByTestId('open-settings'));
  fireEvent.click(screen.getByTestId('settings-key'));
  fireEvent.click(screen.getByTestId('move-key'));
  field('move-passphrase').value = 'short';
  fireEvent.click(screen.getByTestId('move-submit'));
  expect(screen.getByRole('alert').textContent).toContain('at least 8 characters');
  field('move-passphrase').value = 'long enough';
  fireEvent.click(screen.getByTestId('move-submit'));
  await screen.findByTestId('move-qr');
  const moved = posted.filter(({ type }) => type === 'move-key');
  expect(moved).toMatchObject([{ type: 'move-key', passphrase: 'long enough' }]);
  expect(readQr('move-qr')).toMatch(/^http:\/\/build-box:7447\/#key=ncryptsec1q+$/);
  expect(document.documentElement.outerHTML).not.toMatch(/ncryptsec1q|long enough/);
});

test('DT63: a key that came with a link says what unlocking does, and that it takes another’s place', () => {
  show('moved');
  expect(screen.getByTestId('unlock').textContent).toMatch(/came with the link.*takes its place/);
});

test('DT65: over plain http one line says what the browser withholds, and copying is offered all the same', () => {
  show('landing');
  expect(screen.getByTestId('plain-http').textContent).toContain('no notifications');
  expect(screen.getByLabelText('Copy the relay’s address')).toBeDefined();
  cleanup();
  vi.stubGlobal('isSecureContext', true);
  try {
    show('landing');
    expect(screen.queryByTestId('plain-http')).toBeNull();
    expect(screen.getByLabelText('Copy the relay’s address')).toBeDefined();
  } finally {
    vi.unstubAllGlobals();
  }
});

/** What a camera would read: the drawing's path, painted and decoded. */
function readQr(testId: string): string {
  const svg = screen.getByTestId(testId);
  const size = Number(svg.getAttribute('viewBox')?.split(' ')[2]);
  const scale = 4;
  const width = size * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  const path = svg.querySelector('path')?.getAttribute('d') ?? '';
  for (const [, x = 0, y = 0, run = 0] of [...path.matchAll(/M(\d+) (\d+)h(\d+)/g)].map((m) => m.map(Number))) {
    for (let row = y * scale; row < (y + 1) * scale; row += 1) {
      for (let at = x * scale; at < (x + run) * scale; at += 1)
        data.fill(0, (row * width + at) * 4, (row * width + at) * 4 + 3);
    }
  }
  return decodeQR({ width, height: width, data });
}

test('DT120: an agent gets its own choice of what it calls for, and a press shows one call', async () => {
  const shown: string[] = [];
  class Shown {
    static permission = 'granted';
    onshow: (() => void) | null = null;
    constructor(title: string) {
      shown.push(title);
      queueMicrotask(() => this.onshow?.());
    }
  }
  vi.stubGlobal('Notification', Shown);
  vi.stubGlobal('isSecureContext', true);
  try {
    show('permission');
    fireEvent.click(screen.getByTestId('open-settings'));
    const settings = within(screen.getByTestId('settings-dialog'));
    const tick = (kind: string) => settings.getByTestId(`notify-${kind}`) as HTMLInputElement;
    await act(async () => void fireEvent.click(tick('failed')));
    const choice = settings.getByTestId('notify-agent') as HTMLSelectElement;
    const agent = [...choice.options].find(({ text }) => text === 'Codex')?.value as string;
    fireEvent.change(choice, { target: { value: agent } });
    expect(tick('failed').checked).toBe(true);
    await act(async () => void fireEvent.click(tick('ended')));
    const { on, agents } = readNotifySettings();
    expect([on, agents[agent]]).toEqual([['failed'], ['failed', 'ended']]);
    fireEvent.click(settings.getByTestId('notify-as-every'));
    expect([readNotifySettings().agents, tick('ended').checked]).toEqual([{}, false]);
    await act(async () => void fireEvent.click(settings.getByTestId('notify-test')));
    expect(shown).toEqual(['Heliograph can call you']);
    expect(settings.getByTestId('notify-outcome').textContent).toContain('The browser showed it');
    cleanup();
    vi.stubGlobal('Notification', { permission: 'denied' });
    show('permission');
    fireEvent.click(screen.getByTestId('open-settings'));
    expect((screen.getByTestId('notify-test') as HTMLButtonElement).disabled).toBe(true);
  } finally {
    vi.unstubAllGlobals();
    localStorage.clear();
  }
});

test('DT138: each relay says how it is', () => {
  const { desktop } = show('device');
  act(() => {
    const state = {
      phase: 'waiting',
      reason: 'connection refused',
      retryAtMs: Date.now() + 8_000,
      sinceMs: 0,
    } as const;
    desktop.receive({ type: 'events', events: [{ type: 'relay', url: 'wss://relay.example.org', state }] });
  });
  fireEvent.click(screen.getByTestId('open-settings'));
  const [one, other] = screen.getAllByTestId('relay-words');
  expect([one?.dataset.sign, one?.textContent]).toEqual(['ok', 'Connected.']);
  expect(other?.dataset.sign).toBe('bad');
  expect(other?.textContent).toContain('connection refused');
});

test('DT194: the settings are parts of which one is shown; arrows go through their names, which are one stop of the Tab key', () => {
  show('permission');
  fireEvent.click(screen.getByTestId('open-settings'));
  const dialog = within(screen.getByTestId('settings-dialog'));
  const shown = () => dialog.getAllByRole('tabpanel').map(({ id }) => id.split('-').at(-1));
  const stops = () => dialog.getAllByRole('tab').filter(({ tabIndex }) => tabIndex === 0);
  expect([shown(), stops().map(({ textContent }) => textContent)]).toEqual([['look'], ['Look']]);
  fireEvent.keyDown(dialog.getByRole('tablist'), { key: 'ArrowDown' });
  expect([shown(), document.activeElement?.textContent]).toEqual([['calls'], 'Calls']);
  fireEvent.keyDown(dialog.getByRole('tablist'), { key: 'ArrowLeft' });
  fireEvent.keyDown(dialog.getByRole('tablist'), { key: 'ArrowLeft' });
  expect([shown(), stops().map(({ textContent }) => textContent)]).toEqual([['key'], ['Key']]);
  fireEvent.click(dialog.getByTestId('settings-relays'));
  expect(shown()).toEqual(['relays']);
});
