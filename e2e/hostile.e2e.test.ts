import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DESKTOP, launchChromium, openPage, PHONE } from './support/chromium.ts';
import { fixtureAgent, Product, tee } from './support/product.ts';

/** Short, for lines of megabytes. */
const sha256 = (lines: readonly string[]) => createHash('sha256').update(lines.join('\n')).digest('hex');

/** Agents whose output is an attack: on the page, and on the mirror itself. */
describe('hostile agents', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function session(product: Product, command: readonly string[], cwd = product.folder) {
    const up = product.start(['up', '--no-window', '--cwd', cwd, '--', ...command], {
      home: product.home('home'),
    });
    await up.ready('agent');
    const watched = await openPage(browser, (await up.ready('desktop')).url as string, DESKTOP);
    await watched.page.getByTestId('session-row').first().click();
    await watched.page.locator('[data-testid="session"][data-live="true"]').waitFor();
    return { up, ...watched };
  }

  it('WS8: shows agent content as text only: no markup, no script, no request elsewhere, no false permission card', async () => {
    const product = new Product();
    try {
      const folder = join(product.folder, 'a-folder-whose-name-nothing-breaks-'.repeat(3).replaceAll('-', ''));
      mkdirSync(folder);
      const { page, offences } = await session(product, fixtureAgent('hostile-content.mjs'), folder);
      await page.getByTestId('composer').fill('go');
      await page.getByTestId('composer').press('Enter');
      const card = page.locator('[data-testid="permission-card"][data-answerable="true"]');
      await card.waitFor();
      expect(await card.count()).toBe(1);
      // The command in the request is shown in full and capped in height: the buttons stay in reach, on a phone too.
      await page.setViewportSize(PHONE);
      const options = card.getByTestId('permission-option');
      expect(await options.count()).toBe(3);
      for (const option of await options.all()) {
        await option.scrollIntoViewIfNeeded();
        expect((await option.textContent())?.includes('\u202E')).toBe(false);
      }
      // A folder with a long name pushes none of them off the edge.
      const beyond = await card.evaluate((form) => {
        const edge = form.getBoundingClientRect().right;
        return Math.max(
          ...[...form.querySelectorAll('button, span')].map((part) => part.getBoundingClientRect().right - edge),
        );
      });
      expect(beyond).toBeLessThanOrEqual(0);
      await page.setViewportSize(DESKTOP);
      await options.last().click();
      await page.getByText('outcome {"outcome":"selected","optionId":"no"}').first().waitFor();
      await page.locator('[data-testid="turn-end"]').first().waitFor();
      const found = await page.evaluate(() => ({
        hacked: 'hacked' in window,
        scripts: [...document.scripts].filter((script) => !script.src.startsWith(location.origin)).length,
        frames: document.querySelectorAll('iframe, object, embed, base, form[action]').length,
        links: [...document.querySelectorAll('a[href]')].map((link) => (link as HTMLAnchorElement).protocol),
        remote: [...document.images].filter(
          (image) => /^https?:/.test(image.src) && !image.src.startsWith(location.origin),
        ).length,
      }));
      expect(found).toMatchObject({ hacked: false, scripts: 0, frames: 0, remote: 0 });
      expect(found.links.filter((protocol) => !['http:', 'https:', 'mailto:'].includes(protocol))).toEqual([]);
      expect(offences).toEqual([]);
    } finally {
      await product.close();
    }
  });

  it('WS9: mirrors lines that break mirrors, byte for byte, and forges nothing from them', async () => {
    const product = new Product();
    const teed = join(product.folder, 'teed');
    try {
      const { page, offences } = await session(product, tee(teed, fixtureAgent('hostile-lines.mjs')));
      await page.getByTestId('composer').fill('go');
      await page.getByTestId('composer').press('Enter');
      if (!(await page.getByTestId('raw-rail').isVisible())) await page.getByTestId('toggle-lines').click();
      // Lines of white space are forwarded, but they say nothing and are not mirrored.
      const wentBy = () => {
        const lines = readFileSync(join(teed, 'read.bytes')).toString('latin1').split('\n');
        return lines.filter((line) => !/^[ \t\r]*$/.test(line));
      };
      const saved = async () => {
        await page.getByTestId('raw-download').click();
        const pick = page.getByTestId('raw-download-read');
        const [file] = await Promise.all([page.waitForEvent('download'), pick.click()]);
        const lines = readFileSync(await file.path())
          .toString('latin1')
          .split('\n');
        if (lines.at(-1) === '') lines.pop();
        return lines;
      };
      await page.locator('[data-testid="light-agent"][data-sign="bad"]').first().waitFor({ timeout: 40_000 });
      await expect.poll(async () => (await saved()).length, { timeout: 20_000 }).toBe(wentBy().length);
      expect(sha256(await saved())).toBe(sha256(wentBy()));
      expect(await page.locator('[data-testid="permission-card"]').count()).toBe(0);
      expect(offences).toEqual([]);
    } finally {
      await product.close();
    }
  });
});
