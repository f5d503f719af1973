import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium, openPage } from './support/chromium.ts';
import { fixtureAgent, Product } from './support/product.ts';

const product = new Product();
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await product.close();
});

it('US16: what turns used is on the screen when they end, and again when the page is loaded anew', async () => {
  const agent = fixtureAgent('tells-usage.mjs');
  const up = product.start(['up', '--no-window', '--', ...agent], { home: product.home('home') });
  for (const part of ['relay', 'agent', 'desktop']) await up.ready(part);
  const { page, offences } = await openPage(browser, (await up.ready('desktop')).url as string);
  await page.getByTestId('session-row').first().click();
  await page.locator('[data-testid="session"][data-live="true"]').waitFor();
  for (const [inputTokens, cost] of [
    [1_200, 0.01],
    [900, 0.04],
  ]) {
    const update = { sessionUpdate: 'usage_update', used: 9, size: 99, cost: { amount: cost, currency: 'USD' } };
    const told = { updates: [update], result: { usage: { inputTokens, outputTokens: 50 } } };
    await page.getByTestId('composer').fill(JSON.stringify(told));
    await page.getByTestId('send').click();
    await page
      .getByTestId('cost')
      .filter({ hasText: `$${(cost as number).toFixed(4)}` })
      .waitFor();
  }
  await page.getByTestId('session-tokens').filter({ hasText: '2.1 k in · 100 out' }).waitFor();
  for (const load of ['first', 'second']) {
    await page.getByTestId('open-usage').click();
    const row = page.getByTestId('usage-agent').filter({ hasText: '2 turns · 2.1 k in · 100 out' });
    await row.waitFor();
    expect(await row.textContent(), load).toContain('$0.0400');
    if (load === 'first') await page.reload();
  }
  expect(offences).toEqual([]);
});
