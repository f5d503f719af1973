import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DESKTOP, launchChromium, openPage } from './support/chromium.ts';
import { fixtureAgent, Product } from './support/product.ts';

const LINES = 6_000;

const product = new Product();
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  const up = product.start(['up', '--no-window', '--', ...fixtureAgent('says-much.mjs')], {
    home: product.home('home'),
  });
  for (const part of ['relay', 'agent', 'desktop']) await up.ready(part);
  const { url = '' } = await up.ready('desktop');
  ({ page } = await openPage(browser, url, DESKTOP));
  page.setDefaultTimeout(60_000);
  await page.getByTestId('session-row').first().click();
  await page.locator('[data-testid="session"][data-live="true"]').waitFor();
  await page.getByTestId('composer').fill(JSON.stringify({ lines: LINES }));
  await page.getByTestId('send').click();
  await words(LINES - 1).waitFor();
  await page.getByTestId('cancel').waitFor({ state: 'detached' });
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await product.close();
});

/** The message that ends with this word. */
const words = (n: number) => page.getByTestId('agent-message').filter({ hasText: new RegExp(`word ${n}\\b`) });

it('DT171: any of its lines is read where it is scrolled to, found in it or asked for by its number', async () => {
  const rail = page.getByTestId('raw-lines');
  const count = Number(await page.getByTestId('raw-rail').getAttribute('data-count'));
  expect(count).toBeGreaterThan(LINES);
  await rail.evaluate((box) => box.scrollTo({ top: box.scrollHeight / 2 }));
  await expect
    .poll(
      async () => {
        const seqs = await page
          .getByTestId('raw-line')
          .evaluateAll((rows) => rows.map((row) => Number(row.dataset.seq)));
        return seqs.filter((seq) => Math.abs(seq - count / 2) < 200).length;
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(5);
  await expect.poll(() => page.getByTestId('raw-line-awaited').count(), { timeout: 30_000 }).toBe(0);
  await page.getByTestId('toggle-find-lines').click();
  await page.getByTestId('find-lines-needle').fill('word 1234 ');
  await page.getByTestId('raw-line-open').filter({ hasText: 'word 1234 ' }).waitFor();
}, 120_000);
