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
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await product.close();
});

/** The message that ends with this word. */
const words = (n: number) => page.getByTestId('agent-message').filter({ hasText: new RegExp(`word ${n}\\b`) });
const away = () => page.getByTestId('away');
const missing = () =>
  page.evaluate(() => Number(document.querySelector<HTMLElement>('[data-testid="away"]')?.dataset.items ?? 0));

it('DT172: read back, a long session comes piece by piece, and what is read stays where it is', async () => {
  const transcript = page.getByTestId('transcript');
  const scroll = (top: number) => transcript.evaluate((box, to) => box.scrollTo({ top: to }), top);
  await scroll(0);
  await away().waitFor({ state: 'attached' });
  const first = await missing();
  expect(first).toBeGreaterThan(0);
  // A row of the middle of the view: it stays when more comes before it.
  const anchor = await transcript.evaluate((box) => {
    const middle = box.getBoundingClientRect().top + box.clientHeight / 2;
    const rows = [...box.querySelectorAll('[data-testid="row"]')];
    const row = rows.find((one) => one.getBoundingClientRect().bottom > middle);
    return { text: row?.textContent ?? '', top: row?.getBoundingClientRect().top ?? 0 };
  });
  await expect.poll(missing, { timeout: 30_000 }).toBeLessThan(first);
  const row = page
    .getByTestId('row')
    .filter({ hasText: anchor.text.slice(0, 20) })
    .first();
  await row.waitFor();
  await expect
    .poll(async () => Math.abs(((await row.boundingBox())?.y ?? 0) - anchor.top), { timeout: 20_000 })
    .toBeLessThan(60);
}, 120_000);

it('DT172: its beginning, what is found far away, and its end are a key away', async () => {
  await page.getByTestId('transcript').focus();
  await page.keyboard.press('g');
  await words(0).waitFor();
  await page.keyboard.press('/');
  await page.getByTestId('find-needle').fill('word 3001 ');
  await words(3_001).waitFor();
  await expect.poll(() => words(3_001).isVisible(), { timeout: 30_000 }).toBe(true);
  await page.keyboard.press('Escape');
  await page.getByTestId('transcript').focus();
  await page.keyboard.press('G');
  await words(LINES - 1).waitFor();
}, 120_000);

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
