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

/** Has the agent say more, and waits until the rail knows of it and all its rows have their lines. */
async function sayMore(lines: number): Promise<void> {
  const rail = page.getByTestId('raw-rail');
  const before = Number(await rail.getAttribute('data-count'));
  await page.getByTestId('composer').fill(JSON.stringify({ lines }));
  await page.getByTestId('send').click();
  await page.getByTestId('cancel').waitFor();
  await page.getByTestId('cancel').waitFor({ state: 'detached' });
  await expect
    .poll(async () => Number(await rail.getAttribute('data-count')), { timeout: 30_000 })
    .toBeGreaterThan(before + lines);
  await expect.poll(() => page.getByTestId('raw-line-awaited').count(), { timeout: 30_000 }).toBe(0);
}

/** The rail's rows as they stand: which, between which heights, and whether they were there when `data-was` was set. */
const railRows = () =>
  page.getByTestId('raw-line').evaluateAll((rows) =>
    rows.map((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return { seq: Number(row.dataset.seq), top, bottom, was: row.dataset.was !== undefined };
    }),
  );

it('DT176: under who follows the end of the lines the rows that are there show those that came, one below the other', async () => {
  await page.getByTestId('raw-line').evaluateAll((rows) => {
    for (const row of rows) row.dataset.was = '';
  });
  const [before] = await railRows();
  await sayMore(500);
  await expect
    .poll(async () => (await railRows()).filter(({ was }) => was).length, { timeout: 30_000 })
    .toBeGreaterThan(20);
  await expect
    .poll(
      async () => {
        const rows = await railRows();
        return rows.filter(({ top }, at) => at > 0 && Math.abs(top - (rows[at - 1]?.bottom ?? 0)) > 1);
      },
      { timeout: 30_000 },
    )
    .toEqual([]);
  expect((await railRows())[0]?.seq).toBeGreaterThan((before?.seq ?? 0) + 400);
  const end = () =>
    page.getByTestId('raw-lines').evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
  await expect.poll(end, { timeout: 30_000 }).toBeLessThan(2);
}, 120_000);

it('DT176: who went up in the lines sees none of them move for those that come', async () => {
  const rail = page.getByTestId('raw-lines');
  await rail.hover();
  await page.mouse.wheel(0, -1_500);
  const read = async () => (await railRows()).map(({ seq, top }) => `${seq} ${Math.round(top)}`);
  let last: readonly string[] = [];
  await expect
    .poll(
      async () => {
        const now = await read();
        const isStill = now.length > 0 && now.join() === last.join();
        last = now;
        return isStill;
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  await sayMore(500);
  expect(await read()).toEqual(last);
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
