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

/** Scrolls near to the top of what is here, waits until more has come before it, and says what became of a row that was read. */
async function readBack(box: Element) {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const until = async <T>(what: string, look: () => T | undefined): Promise<T> => {
    for (const endMs = Date.now() + 30_000; Date.now() < endMs; ) {
      const seen = look();
      if (seen !== undefined) return seen;
      await frame();
    }
    throw new Error(`waited 30 s for ${what}`);
  };
  const away = () => box.querySelector<HTMLElement>('[data-testid="away"]')?.dataset.items;
  const rows = () => [...box.querySelectorAll<HTMLElement>('[data-testid="row"]')];
  const topOf = (row: HTMLElement) => row.getBoundingClientRect().top - box.getBoundingClientRect().top;
  box.scrollTo({ top: 350 });
  const missing = await until('what is missing', away);
  const read = await until('a row to read', () => rows().find((row) => topOf(row) > box.clientHeight / 2));
  const [text, top, index] = [read.textContent, topOf(read), Number(read.dataset.index)];
  const same = await until(`the row ${text} with more before it`, () =>
    rows().find((row) => row.textContent === text && Number(row.dataset.index) > index + 50),
  );
  return { missing: Number(missing), moved: Math.abs(topOf(same) - top) };
}

it('DT172: read back, a long session comes piece by piece, and what is read stays where it is', async () => {
  await page.getByTestId('transcript').focus();
  await page.keyboard.press('G');
  await words(LINES - 1).waitFor();
  // Its 900 items are not all here at its end.
  const newest = page.getByTestId('row').last();
  await expect.poll(async () => Number(await newest.getAttribute('data-index')), { timeout: 30_000 }).toBeLessThan(810);
  const { missing, moved } = await page.getByTestId('transcript').evaluate(readBack);
  expect(missing).toBeGreaterThan(100);
  // Rows that were never drawn are not as tall as they were taken for; a screen is some 600 pixels.
  expect(moved).toBeLessThan(200);
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
