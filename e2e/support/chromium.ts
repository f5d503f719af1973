import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** The Chromium the tests use: CHROMIUM_PATH, the usual places, or Playwright's own. */
function executable(): { executablePath: string } | Record<string, never> {
  const path = [process.env.CHROMIUM_PATH, ...PLACES].find((place) => place !== undefined && existsSync(place));
  return path === undefined ? {} : { executablePath: path };
}

/** `rules` send host names elsewhere, as `MAP relay.test 127.0.0.1` does. */
export function launchChromium(rules?: string): Promise<Browser> {
  return chromium.launch({
    ...executable(),
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(rules === undefined ? [] : [`--host-resolver-rules=${rules}`]),
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
}

export type View = { readonly width: number; readonly height: number; readonly dark: boolean };
export const DESKTOP: View = { width: 1440, height: 900, dark: false };
export const PHONE: View = { width: 360, height: 740, dark: true };

/** A page and everything in it that must not happen: policy violations, errors, requests to other hosts. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly offences: string[];
}

export async function openPage(browser: Browser, url: string, view: View = DESKTOP): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.height },
    colorScheme: view.dark ? 'dark' : 'light',
    acceptDownloads: true,
  });
  const offences: string[] = [];
  await context.exposeBinding('heliographOffence', (_source, what: string) => void offences.push(what));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report = (window as unknown as { heliographOffence(what: string): void }).heliographOffence;
      report(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  const page = await context.newPage();
  const { host } = new URL(url);
  page.on('pageerror', (error) => offences.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') offences.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const target = new URL(request.url());
    const inside = target.protocol === 'data:' || target.protocol === 'blob:' || target.host === host;
    if (!inside) offences.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, offences };
}
