import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { descendants, isRunning } from '../apps/harness/test/support/processes.ts';
import { accessibilityFaults } from './support/accessibility.ts';
import { launchChromium, openPage, PHONE } from './support/chromium.ts';
import { Product, type Program } from './support/product.ts';

/** `npm start`: everything on one machine, with the demo agent. */
describe('up', () => {
  const product = new Product();
  let browser: Browser;
  let up: Program;
  let page: Page;
  let offences: readonly string[];

  beforeAll(async () => {
    browser = await launchChromium();
    up = product.start(['up', '--no-window'], { home: product.home('home') });
    for (const part of ['relay', 'agent', 'desktop']) await up.ready(part);
    const watched = await openPage(browser, (await up.ready('desktop')).url as string, { ...PHONE, dark: false });
    ({ page, offences } = watched);
  });

  afterAll(async () => {
    await browser?.close();
    await product.close();
  });

  it('WS4: is usable on a phone: a prompt, its answer, a permission in reach of a thumb', async () => {
    await page.getByTestId('session-row').first().click();
    await page.locator('[data-testid="session"][data-live="true"]').waitFor();
    await page.getByTestId('composer').fill('Show me what you can do');
    await page.getByTestId('send').click();
    const option = page.locator('[data-answerable="true"] [data-testid="permission-option"]').first();
    await option.waitFor();
    expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    await option.click();
    await page.locator('[data-testid="turn-end"][data-outcome="completed"]').first().waitFor();
  });

  it('WS5: can be read by everyone: no accessibility fault at either width, light or dark', async () => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const size of [PHONE, { width: 1_440, height: 900 }]) {
        await page.setViewportSize(size);
        expect(await accessibilityFaults(page)).toEqual([]);
      }
    }
    expect(offences).toEqual([]);
  });

  it('WS6: stays truthful when the page is opened while a turn runs', async () => {
    await page.getByTestId('composer').fill('slow');
    await page.getByTestId('composer').press('Enter');
    await page.getByTestId('cancel').waitFor();
    await page.reload();
    await page.getByTestId('session-row').first().click();
    await page.getByTestId('cancel').click();
    await page.locator('[data-testid="turn-end"][data-outcome="cancelled"]').waitFor();
    // What was said before the reload is here too.
    await page.locator('[data-testid="turn-end"][data-outcome="completed"]').first().waitFor({ state: 'attached' });
  });

  it('WS7: ends with everything it started', async () => {
    const children = descendants(up.pid);
    expect(children.length).toBeGreaterThan(0);
    expect(await up.stop()).toBe(0);
    // One that was killed takes a moment to be gone.
    await expect.poll(() => children.filter(isRunning), { timeout: 20_000 }).toEqual([]);
  });
});
