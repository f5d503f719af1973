import { expect, test } from 'vitest';
import { InstallPrompt } from './install-prompt.ts';

const place = (over: { standalone?: boolean; shown?: string } = {}) => ({
  events: new EventTarget(),
  matches: (query: string) => query === over.shown,
  standalone: over.standalone,
});

test('PU4: the browser’s offer is kept until it is asked for, once', async () => {
  const here = place();
  const install = new InstallPrompt(here);
  const told: string[] = [];
  install.subscribe(() => told.push(install.state));
  expect(install.state).toBe('browser');
  let asked = 0;
  const offer = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), { prompt: async () => asked++ });
  here.events.dispatchEvent(offer);
  expect(offer.defaultPrevented).toBe(true);
  expect(install.state).toBe('offered');
  await install.ask();
  await install.ask();
  expect(asked).toBe(1);
  here.events.dispatchEvent(new Event('appinstalled'));
  expect(told).toEqual(['offered', 'browser', 'browser', 'installed']);
});

test('PU4: an installed page says so, and iOS how it is done there', () => {
  expect(new InstallPrompt(place({ shown: '(display-mode: standalone)' })).state).toBe('installed');
  expect(new InstallPrompt(place({ standalone: true })).state).toBe('installed');
  expect(new InstallPrompt(place({ standalone: false })).state).toBe('by-hand');
});
