import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessibilityFaults } from './support/accessibility.ts';
import { DESKTOP, launchChromium, openPage, PHONE } from './support/chromium.ts';
import { fixtureAgent, Product } from './support/product.ts';

const product = new Product();
const home = product.home('home');
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await product.close();
});

/** The whole product, once more on the same home. */
async function startAgain(): Promise<{
  readonly page: Page;
  readonly offences: readonly string[];
  end(): Promise<unknown>;
}> {
  const up = product.start(['up', '--no-window', '--', ...fixtureAgent('tells-usage.mjs')], { home });
  for (const part of ['relay', 'agent', 'desktop']) await up.ready(part);
  const { url = '' } = await up.ready('desktop');
  const { page, offences } = await openPage(browser, url, DESKTOP);
  page.setDefaultTimeout(30_000);
  const end = async () => {
    await page.close();
    return up.stop();
  };
  return { page, offences, end };
}

const says = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

it('DT162, DT163, DT216, DT217, AR93, AR109: kept from the page on, what an agent said is found after everything was started anew, and opened where it stands', async () => {
  const first = await startAgain();
  const { page } = first;
  await page.getByTestId('session-row').first().click();
  await page.locator('[data-testid="session"][data-live="true"]').waitFor();
  await page.getByTestId('session-row').first().focus();
  await page.keyboard.press(',');
  await page.getByTestId('settings-archive').click();
  const choice = page.getByTestId('archive-choice');
  await choice.getByText('Nothing is kept.').waitFor();
  await page.getByTestId('archive-switch').check();
  await choice.getByText('This desktop keeps it while it runs.').waitFor();
  expect(await choice.getByText('It would lie in').count()).toBe(0);
  await page.getByTestId('archive-agent').uncheck();
  await choice.getByText('of all agents, but not of 1 are kept').waitFor();
  await page.getByTestId('archive-switch').uncheck();
  await choice.getByText('Nothing more is kept.').or(choice.getByText('Nothing is kept.')).waitFor();
  await page.getByTestId('archive-switch').check();
  await choice.getByText('of all agents, but not of 1 are kept').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByTestId('composer').fill(JSON.stringify({ updates: [says('a jackalope, which nobody keeps')] }));
  await page.getByTestId('send').click();
  await page.getByText('a jackalope, which nobody keeps').first().waitFor();
  await page.getByTestId('cancel').waitFor({ state: 'detached' });
  await page.getByTestId('session-row').first().focus();
  await page.keyboard.press(',');
  await page.getByTestId('settings-archive').click();
  await page.getByTestId('archive-agent').check();
  await choice.getByText('of all agents are kept').waitFor();
  await page.keyboard.press('Escape');
  const title = 'wipe \u202e<img src=x onerror=alert(1)>';
  const updates = [
    says('the wolpertinger is in the cellar'),
    {
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      kind: 'execute',
      status: 'completed',
      title,
      rawInput: { command: 'make hay' },
    },
  ];
  await page.getByTestId('composer').fill(JSON.stringify({ updates }));
  await page.getByTestId('send').click();
  await page.getByText('the wolpertinger is in the cellar').first().waitFor();
  await page.getByTestId('cancel').waitFor({ state: 'detached' });
  // What is kept of a line with a secret is a copy of the live one with a mark in it: no other content.
  const secret = `sk-ant-${'a1B2'.repeat(6)}`;
  await page.getByTestId('composer').fill(JSON.stringify({ updates: [says(`a nightjar with ${secret}`)] }));
  await page.getByTestId('send').click();
  await page.getByTestId('transcript').getByText(`a nightjar with ${secret}`).first().waitFor();
  await page.getByTestId('cancel').waitFor({ state: 'detached' });
  await page.getByTestId('session-row').first().focus();
  await page.keyboard.press('f');
  await page.getByTestId('archive-text').fill('nightjar');
  const nightjar = page.getByTestId('archive-hit').filter({ hasText: '[redacted:anthropic-key]' }).first();
  await expect
    .poll(async () => {
      await page.getByTestId('archive-ask').click();
      await page.getByTestId('archive-count').waitFor();
      return nightjar.count();
    })
    .toBe(1);
  await nightjar.click();
  await page.getByTestId('archive-search').waitFor({ state: 'detached' });
  await page.getByTestId('transcript').getByText(`a nightjar with ${secret}`).first().waitFor();
  expect(await page.getByText('One line came with two contents').count()).toBe(0);
  expect(first.offences).toEqual([]);
  await first.end();
  // What the agent's machine still holds goes: only the archive knows now.
  rmSync(join(home, 'state'), { recursive: true });

  const second = await startAgain();
  const again = second.page;
  await again.getByTestId('session-row').first().waitFor();
  await again.keyboard.press('f');
  await again.getByTestId('archive-question').selectOption('no-decision');
  await again.getByTestId('archive-ask').click();
  await again.getByTestId('archive-hit').filter({ hasText: 'wipe' }).waitFor();
  await again.getByTestId('archive-question').selectOption('');
  await again.getByTestId('archive-text').fill('jackalope');
  await again.keyboard.press('Enter');
  await again.getByText('Nothing is kept that fits.').waitFor();
  await again.getByTestId('archive-text').fill('wolpertinger cellar');
  await again.getByTestId('archive-until').fill('2001-01-01');
  await again.keyboard.press('Enter');
  await again.getByText('Nothing is kept that fits.').waitFor();
  await again.getByTestId('archive-until').fill('');
  await again.getByTestId('archive-from').fill('2001-01-01');
  await again.keyboard.press('Enter');
  const hit = again.getByTestId('archive-hit').filter({ hasText: 'wolpertinger' }).first();
  await hit.waitFor();
  for (const size of [DESKTOP, PHONE]) {
    await again.setViewportSize({ width: size.width, height: size.height });
    await again.emulateMedia({ colorScheme: size.dark ? 'dark' : 'light' });
    expect(await accessibilityFaults(again)).toEqual([]);
    expect(await again.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  }
  await hit.click();
  await again.getByTestId('archive-search').waitFor({ state: 'detached' });
  await again.locator('[data-led-to]').getByText('the wolpertinger is in the cellar').first().waitFor();
  await again.getByTestId('transcript').getByText('a nightjar with [redacted:anthropic-key]').first().waitFor();
  expect(second.offences).toEqual([]);
  await second.end();

  // Handed over as one page that reaches nothing: what the agent said is text in it, also what was meant to be more.
  const out = join(product.folder, 'replay.html');
  await product.run(['archive', 'export', out, '--format', 'html', '--session', '1'], { home });
  const replay = await browser.newPage();
  const asked: string[] = [];
  replay.on('request', (request) => asked.push(request.url()));
  const dialogs: string[] = [];
  replay.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await replay.goto(`file://${out}`);
  await replay.getByText('the wolpertinger is in the cellar').first().waitFor();
  await replay.getByText('<img src=x onerror=alert(1)>').first().waitFor();
  expect(await replay.locator('img').count()).toBe(0);
  expect([asked, dialogs]).toEqual([[`file://${out}`], []]);
  await replay.close();
}, 180_000);
