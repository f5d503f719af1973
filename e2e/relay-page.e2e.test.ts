import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/accessibility.ts';
import { DESKTOP, launchChromium, openPage, PHONE } from './support/chromium.ts';
import { PathProxy } from './support/path-proxy.ts';
import { demoAgent, Product } from './support/product.ts';

const PATH = '/team/agents';

/** A relay behind a proxy and below a path, over plain http: what a phone in the LAN meets. */
describe('the page of a relay', () => {
  const product = new Product();
  const passphrase = 'correct horse battery';
  let browser: Browser;
  let proxy: PathProxy;
  let port: string;
  /** As the phone knows it. */
  let address: string;
  let nsec: string;

  beforeAll(async () => {
    // A name that is not this machine's: browsers trust plain http on localhost, and nowhere else.
    browser = await launchChromium('MAP relay.test 127.0.0.1');
    proxy = await PathProxy.listen(PATH);
    address = `relay.test:${proxy.port}${PATH}`;
    const key = join(product.folder, 'owner.key');
    const home = product.home('owner');
    const npub = (await product.run(['keys', 'new', '--out', key], { home })).trim();
    nsec = readFileSync(key, 'utf8').trim();
    const flags = ['--owner', npub, '--name', 'Ours', '--public-url', `ws://${address}`];
    const relay = product.start(['relay', '--port', '0', '--trusted-proxy', '127.0.0.1', ...flags], {
      home: product.home('relay'),
    });
    expect((await relay.ready('relay')).url).toBe(`ws://${address}`);
    await relay.until(() => relay.stderr.includes('relay is listening'), 'where the relay listens');
    port = /"?port"?: ?(\d+)/.exec(relay.stderr)?.[1] ?? '';
    proxy.passTo(Number(port));
    const invite = ['invite', '--owner-key', key, '--relay', `ws://127.0.0.1:${port}`, '--name', 'build-box'];
    const file = join(product.folder, 'agent.invite');
    writeFileSync(file, await product.run(invite, { home }), { mode: 0o600 });
    const agent = product.start(['agent', '--invite', `@${file}`, '--', ...demoAgent], { home: product.home('agent') });
    await agent.ready('agent');
  });

  afterAll(async () => {
    await browser?.close();
    await product.close();
    proxy?.close();
  });

  it('DT60, DT65: without a key it says what this is and the ways in, to everyone, and makes no key', async () => {
    const { page, offences, context } = await openPage(browser, `http://${address}`, PHONE);
    await page.getByTestId('landing').waitFor();
    expect(page.url()).toBe(`http://${address}/`);
    expect(await page.getByTestId('connect-string').textContent()).toBe(`ws://${address}`);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Ours');
    expect(await readQr(page, 'page-qr')).toBe(`http://${address}/`);
    // No clipboard for pages of plain http: the older way copies all the same.
    await page.getByLabel('Copy the relay’s address').click();
    await page.getByTestId('show-import').click();
    await page.getByTestId('import-relays').focus();
    await page.keyboard.press('Control+V');
    expect(await page.getByTestId('import-relays').inputValue()).toBe(`ws://${address}`);
    await page.getByTestId('plain-http').waitFor();
    for (const view of [PHONE, DESKTOP]) {
      await page.emulateMedia({ colorScheme: view.dark ? 'dark' : 'light' });
      await page.setViewportSize(view);
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
    await page.reload();
    await page.getByTestId('landing').waitFor();
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
    expect(offences).toEqual([]);
    await context.close();

    // On the relay's own machine: a trusted place, with a clipboard, and an address that no phone reaches.
    const here = await openPage(browser, `http://127.0.0.1:${port}/`, DESKTOP);
    await here.page.getByTestId('loopback-only').waitFor();
    await here.page.getByLabel('Copy the relay’s address').waitFor();
    expect(await here.page.getByTestId('plain-http').count()).toBe(0);
    expect(here.offences).toEqual([]);
    await here.context.close();
  });

  it('DT61, DT63: with a key it is the whole desktop, and hands that key on to a phone', async () => {
    const { page, offences } = await openPage(browser, `http://${address}/`, DESKTOP);
    await page.getByTestId('show-import').click();
    await page.getByTestId('import-secret').fill(nsec);
    await page.getByTestId('import-passphrase').fill(passphrase);
    await page.getByTestId('import-submit').click();
    await page.getByTestId('session-row').first().click();
    await page.locator('[data-testid="session"][data-live="true"]').waitFor();
    await page.getByTestId('composer').fill('Show me everything');
    await page.getByTestId('composer').press('Enter');
    await page.locator('[data-answerable="true"] [data-testid="permission-option"]').first().click();
    await page.locator('[data-testid="turn-end"]').first().waitFor();
    await page.reload();
    await page.getByTestId('unlock-passphrase').fill(passphrase);
    await page.getByTestId('unlock-submit').click();
    await page.getByTestId('session-row').first().waitFor();

    await page.getByTestId('open-settings').click();
    await page.getByTestId('settings-key').click();
    await page.getByTestId('move-key').click();
    await page.getByTestId('move-passphrase').fill('another long one');
    await page.getByTestId('move-submit').click();
    const link = await readQr(page, 'move-qr');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toMatch(/nsec1|ncryptsec1/);

    const phone = await openPage(browser, link, PHONE);
    await phone.page.getByTestId('unlock-passphrase').fill('another long one');
    expect(phone.page.url()).toBe(`http://${address}/`);
    expect(await accessibilityFaults(phone.page)).toEqual([]);
    await phone.page.getByTestId('unlock-submit').click();
    await phone.page.getByTestId('session-row').first().click();
    await phone.page.locator('[data-testid="turn-end"]').first().waitFor();
    expect([...offences, ...phone.offences]).toEqual([]);
  });
});

/** What a camera reads on the screen. */
async function readQr(page: Page, testId: string): Promise<string> {
  const code = page.getByTestId(testId);
  await code.scrollIntoViewIfNeeded();
  const png = await code.screenshot();
  const { width, height, bytes } = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const paint = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    paint.drawImage(image, 0, 0);
    return {
      width: image.width,
      height: image.height,
      bytes: [...paint.getImageData(0, 0, image.width, image.height).data],
    };
  }, png.toString('base64'));
  return decodeQR({ width, height, data: Uint8Array.from(bytes) });
}
