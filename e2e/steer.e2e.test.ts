import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityFaults } from './support/accessibility.ts';
import { DESKTOP, launchChromium, openPage, PHONE } from './support/chromium.ts';
import { fixtureAgent, Product } from './support/product.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

const say = async (page: Page, text: string) => {
  await page.getByTestId('composer').fill(text);
  await page.getByTestId('composer').press('Enter');
};
const said = (page: Page, text: string) => page.locator('[data-testid="agent-message"]', { hasText: text }).waitFor();
const order = (page: Page, testId: string, phase: string) =>
  page.locator(`[data-testid="${testId}"][data-phase="${phase}"]`).waitFor();

it('WS10, DT85: the owner steers from the page: model, another session, the queue, a command and a picture, and saves a replay', async () => {
  const product = new Product();
  try {
    const up = product.start(['up', '--no-window', '--cwd', product.folder, '--', ...fixtureAgent('has-options.mjs')], {
      home: product.home('home'),
    });
    await up.ready('agent');
    const { page, offences } = await openPage(browser, (await up.ready('desktop')).url as string, DESKTOP);
    await page.getByTestId('session-row').first().click();
    await page.locator('[data-testid="session"][data-live="true"]').waitFor();

    await say(page, 'go');
    await said(page, 'on text go with small');
    await page.getByTestId('setting-model').selectOption('large');
    await page.locator('[data-testid="notice"]', { hasText: 'Model: small → large' }).waitFor();
    expect(await page.getByTestId('setting-model').inputValue()).toBe('large');

    await say(page, 'first thought');
    await page.getByTestId('queued-edit').click();
    await page.getByTestId('queued-text').fill('second thought');
    await page.getByTestId('queued-save').click();
    await page.getByTestId('queued-prompt').getByText('second thought').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByTestId('cancel').click();
    await said(page, 'on text second thought with large');
    await page.getByTestId('cancel').click();
    await page.locator('[data-testid="turn-end"]').nth(1).waitFor();

    await page.getByTestId('composer').pressSequentially('/com');
    await page.getByTestId('suggestions').getByText('/compact').waitFor();
    await page.getByTestId('composer').press('Enter');
    expect(await page.getByTestId('composer').inputValue()).toBe('/compact ');
    const picture = await page.screenshot();
    await page.getByTestId('attach-input').setInputFiles({ name: 'shot.png', mimeType: 'image/png', buffer: picture });
    await page.getByTestId('attachment').waitFor();
    await page.getByTestId('composer').press('Enter');
    await said(page, 'on text /compact and image with large');

    await page.keyboard.press('Control+k');
    await page.keyboard.type('model small');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.locator('[data-testid="notice"]', { hasText: 'Model: large → small' }).waitFor();

    await page.getByTestId('session-menu').click();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByTestId('save-session').click();
    await page.getByTestId('save-as-html').check();
    const download = page.waitForEvent('download');
    await page.getByTestId('save-go').click();
    const replay = await browser.newPage({ javaScriptEnabled: true });
    await replay.goto(`file://${await (await download).path()}`);
    await replay.getByText('second thought').first().waitFor();
    await replay.close();
    await page.getByTestId('session-menu').click();
    await page.getByTestId('policy-agent').selectOption('reject');
    await order(page, 'order-set_policy', 'done');
    await page.getByTestId('new-session').click();
    await page.getByTestId('open-session-go').click();
    await page.getByTestId('open-session').waitFor({ state: 'detached' });
    await page.locator('[data-testid="session-row"]').nth(1).waitFor();
    await page.setViewportSize(PHONE);
    await say(page, 'beside it');
    await said(page, 'on text beside it with small');
    await page.getByTestId('session-menu').click();
    await page.getByTestId('restart-agent').click();
    await page.getByTestId('restart-agent').click();
    await order(page, 'order-restart_agent', 'done');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(offences).toEqual([]);
  } finally {
    await product.close();
  }
}, 240_000);
