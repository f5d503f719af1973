import { expect, test } from 'vitest';
import { installHint } from './install-hint.ts';
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

test('PU31: without an offer each browser is told of by its own words', () => {
  const like = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
  const android = 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko)';
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  expect(installHint(`${iphone} CriOS/150.0 Mobile/15E148 Safari/604.1`)).toContain('share button');
  expect(installHint('Mozilla/5.0 (Android 16; Mobile; rv:150.0) Gecko/150.0 Firefox/150.0')).toContain('Add app');
  expect(installHint(`${android} SamsungBrowser/29.0 Chrome/136.0 Mobile Safari/537.36`)).toContain('Add page to');
  expect(installHint(`${android} Chrome/150.0 Mobile Safari/537.36`)).toContain('Add to Home screen');
  expect(installHint(`${like} Chrome/150.0 Safari/537.36 Edg/150.0`)).toContain('Apps');
  expect(installHint(`${like} Chrome/150.0 Safari/537.36`)).toContain('Install page as app');
  expect(installHint('Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0')).toContain(
    'Firefox installs no',
  );
  expect(installHint(`${mac} Version/26.0 Safari/605.1.15`)).toContain('Add to Dock');
  expect(installHint('curl/8')).toContain('its own menu');
});
