import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/accessibility.ts';
import { DESKTOP, launchChromium, openPage, PHONE } from './support/chromium.ts';
import { PathProxy } from './support/path-proxy.ts';
import { Product, type Program } from './support/product.ts';

const PATH = '/team/agents';
const PASSPHRASE = 'correct horse battery';

/** A relay below a path, on a name that browsers trust: its page can be put on the device. */
describe('the installed page', () => {
  const product = new Product();
  let browser: Browser;
  let proxy: PathProxy;
  let relay: Program;
  let port: string;
  let address: string;
  let key: string;
  let npub: string;

  beforeAll(async () => {
    browser = await launchChromium();
    proxy = await PathProxy.listen(PATH);
    address = `http://127.0.0.1:${proxy.port}${PATH}/`;
    key = join(product.folder, 'owner.key');
    npub = (await product.run(['keys', 'new', '--out', key], { home: product.home('owner') })).trim();
    await startRelay('0');
  });

  afterAll(async () => {
    await browser?.close();
    await product.close();
    proxy?.close();
  });

  async function startRelay(at: string): Promise<void> {
    const flags = ['--owner', npub, '--trusted-proxy', '127.0.0.1', '--public-url', `ws${address.slice(4, -1)}`];
    relay = product.start(['relay', '--port', at, ...flags], { home: product.home('relay') });
    await relay.ready('relay');
    await relay.until(() => relay.stderr.includes('relay is listening'), 'where the relay listens');
    port = /"?port"?: ?(\d+)/.exec(relay.stderr)?.[1] ?? '';
    proxy.passTo(Number(port));
  }

  it('PU1: below a path or at a host’s root the page can be installed, and its folder is its scope', async () => {
    const desktop = product.start(
      ['desktop', '--owner-key', key, '--relay', address.replace('http', 'ws'), '--port', '0', '--no-window'],
      { home: product.home('owner') },
    );
    const root = new URL((await desktop.ready('desktop')).url as string);
    for (const [url, folder] of [
      [address, address],
      [root.href, `${root.origin}/`],
    ] as const) {
      const { page, offences, context } = await openPage(browser, url, PHONE);
      await served(page);
      expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).scope)).toBe(folder);
      const cdp = await context.newCDPSession(page);
      const { url: manifest, errors, data = '' } = await cdp.send('Page.getAppManifest');
      expect({ manifest, errors }).toEqual({ manifest: `${folder}manifest.webmanifest`, errors: [] });
      for (const { src, sizes, type } of (JSON.parse(data) as { icons: readonly Record<string, string>[] }).icons) {
        const [size, kind] = await page.evaluate(async (icon) => {
          const response = await fetch(icon);
          const image = new Image();
          image.src = URL.createObjectURL(await response.blob());
          await image.decode();
          return [`${image.naturalWidth}x${image.naturalHeight}`, response.headers.get('content-type')];
        }, src as string);
        expect(kind).toBe(type);
        if (sizes !== 'any') expect(size).toBe(sizes);
      }
      const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
      // Playwright’s contexts are private windows, where nothing is installed whatever it is.
      expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual([]);
      expect(offences).toEqual([]);
      await context.close();
    }
    await desktop.stop();
  });

  it('PU2, PU5: with its server away it opens from the browser, says so, and nothing but its own files was kept', async () => {
    const { page, context } = await openPage(browser, address, PHONE);
    await served(page);
    await relay.stop();
    await page.reload();
    await page.getByTestId('server-away').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);

    await startRelay(port);
    await page.getByText('Try again').click();
    await page.getByTestId('show-import').click();
    await page.getByTestId('import-secret').fill(readFileSync(key, 'utf8').trim());
    await page.getByTestId('import-passphrase').fill(PASSPHRASE);
    await page.getByTestId('import-submit').click();
    await page.getByTestId('nothing-chosen').waitFor({ state: 'attached' });
    await relay.stop();
    await page.reload();
    await page.getByTestId('unlock-passphrase').fill(PASSPHRASE);
    await page.getByTestId('unlock-submit').click();
    await page.locator('[data-testid="connection-banner"]:visible').first().waitFor();
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const opened = await Promise.all(names.map((name) => caches.open(name)));
      return (await Promise.all(opened.map((cache) => cache.keys()))).flat().map(({ url }) => url);
    });
    expect(kept).toContain(address);
    for (const url of kept) expect(url.slice(address.length)).toMatch(/^(|icon\.svg|assets\/[\w.-]+)$/);
    await context.close();
    await startRelay(port);
  });

  it('PU3: a newer page is told of, and loaded when its owner says so', async () => {
    const { page, offences, context } = await openPage(browser, address, DESKTOP);
    await served(page);
    const script = await (await fetch(`${address}service-worker.js`)).text();
    const newer = script.replace(/"build":"\w+"/, '"build":"another-build"');
    expect(newer).not.toBe(script);
    proxy.answers.set(`${PATH}/service-worker.js`, { type: 'text/javascript', body: newer });
    await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
    await page.getByTestId('update-note').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const reloaded = page.waitForEvent('load');
    await page.getByTestId('update-reload').click();
    await reloaded;
    await page.getByTestId('landing').waitFor();
    expect(await page.getByTestId('update-note').count()).toBe(0);
    await expect
      .poll(() => page.evaluate(() => caches.keys()), { timeout: 20_000 })
      .toEqual([`heliograph shell ${address} another-build`]);
    expect(offences).toEqual([]);
    await context.close();
  });
});

/** Waits until the service worker has everything and answers for the page. */
async function served(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
}
