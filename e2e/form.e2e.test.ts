import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/accessibility.ts';
import { DESKTOP, launchChromium, openPage, PHONE } from './support/chromium.ts';
import { fixtureAgent, Product, tee } from './support/product.ts';

/** An agent that asks its user something, and the owner who answers from the page. */
describe('forms', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  it('HA157, DT190: a form that is gone to on a phone and filled in reaches the agent exactly as it stands in the page', async () => {
    const product = new Product();
    const teed = join(product.folder, 'teed');
    try {
      const command = tee(teed, fixtureAgent('asks-form.mjs'));
      const up = product.start(['up', '--no-window', '--cwd', product.folder, '--', ...command], {
        home: product.home('home'),
      });
      await up.ready('agent');
      const { page, offences } = await openPage(browser, (await up.ready('desktop')).url as string, DESKTOP);
      await page.getByTestId('session-row').first().click();
      await page.locator('[data-testid="session"][data-live="true"]').waitFor();
      await page.getByTestId('composer').fill(`go\n\n${'and take your time\n\n'.repeat(30)}`);
      await page.getByTestId('composer').press('Enter');
      const card = page.locator('[data-testid="elicitation-card"][data-answerable="true"]');
      await card.waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      // On a phone the lines lie over the conversation.
      await page.getByTestId('toggle-lines').click();
      await page.setViewportSize(PHONE);
      const transcript = page.getByTestId('transcript');
      await transcript.evaluate((list) => {
        list.scrollTop = 0;
      });
      const bar = page.getByTestId('permission-bar');
      await bar.getByRole('button', { name: 'Show' }).click();
      await bar.waitFor({ state: 'detached' });
      const topOf = async (of: Locator) => (await of.boundingBox())?.y ?? Number.NaN;
      await expect.poll(async () => (await topOf(card)) - (await topOf(transcript))).toBeLessThan(40);
      expect((await topOf(card)) - (await topOf(transcript))).toBeGreaterThanOrEqual(0);
      await card.getByTestId('elicitation-accept').click();
      await card.getByTestId('field-fault').waitFor();
      await card.getByLabel('Branch').fill('release/ä');
      await card.getByLabel('Replicas').fill('3');
      await card.getByTestId('elicitation-accept').click();
      await card.getByText('Expected: text that fits').waitFor();
      await card.getByLabel('Branch').fill('release/one');
      await card.getByLabel('Only pretend').uncheck();
      await card.getByLabel('America').check();
      await card.getByLabel('canary').check();
      await card.getByLabel('green').check();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await card.getByTestId('elicitation-accept').click();
      await page.locator('[data-testid="turn-end"]').first().waitFor();
      const content = { branch: 'release/one', replicas: 3, dryRun: false, region: 'us', labels: ['canary', 'green'] };
      const answers = readFileSync(join(teed, 'write.bytes'), 'utf8')
        .split('\n')
        .filter((line) => line.includes('"action"'));
      expect(answers).toEqual([
        `{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":${JSON.stringify(content)}}}`,
      ]);
      await page.getByTestId('elicitation-decision').filter({ hasText: 'You answered' }).waitFor();
      expect(offences).toEqual([]);
    } finally {
      await product.close();
    }
  });
});
