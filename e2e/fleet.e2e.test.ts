import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/accessibility.ts';
import { DESKTOP, launchChromium, openPage, PHONE, type View, type Watched } from './support/chromium.ts';
import { fixtureAgent, Product } from './support/product.ts';

/** A busy machine starts seven programs and a browser. */
const PATIENCE_MS = 240_000;
const SOON = { timeout: 20_000 };
const SECRET = `ghp_${'aB3'.repeat(12)}`;

/** Two machines whose agents ask for leave in every turn, and an owner at a desk and with a phone. */
describe('the fleet', () => {
  const product = new Product();
  let browser: Browser;
  let desk: Watched;
  let phone: Watched;

  beforeAll(async () => {
    browser = await launchChromium();
    const home = product.home('desk');
    const key = join(product.folder, 'owner.key');
    const npub = (await product.run(['keys', 'new', '--out', key], { home })).trim();
    const relay = product.start(['relay', '--port', '0', '--owner', npub], { home: product.home('relay') });
    const url = (await relay.ready('relay')).url as string;
    const machine = async (name: string) => {
      const file = join(product.folder, `${name}.invite`);
      const invite = ['invite', '--owner-key', key, '--relay', url, '--name', name];
      writeFileSync(file, await product.run(invite, { home }), { mode: 0o600 });
      const agent = ['agent', '--invite', `@${file}`, '--', ...fixtureAgent('asks-permission.mjs')];
      await product.start(agent, { home: product.home(name) }).ready('agent');
    };
    await Promise.all([machine('Alpha'), machine('Omega')]);
    const flags = ['--owner-key', key, '--relay', url, '--port', '0', '--no-window'];
    const desktop = product.start(['desktop', ...flags], { home });
    desk = await openPage(browser, (await desktop.ready('desktop')).url as string, DESKTOP);
    phone = await openPage(browser, url.replace(/^ws/, 'http'), PHONE);
    await phone.page.getByTestId('show-import').click();
    await phone.page.getByTestId('import-secret').fill(readFileSync(key, 'utf8').trim());
    await phone.page.getByTestId('import-passphrase').fill('correct horse battery');
    await phone.page.getByTestId('import-submit').click();
    await desk.page.getByTestId('session-row').nth(1).waitFor();
  }, PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await product.close();
  });

  it(
    'DT121, DT122, DT123, DT124, DT163: what waits on two machines is answered in the inbox of a desk and of a phone',
    async () => {
      const { page } = desk;
      await ask(page, 'Alpha', 'go');
      await ask(page, 'Omega', `go, with ${SECRET}`);
      await page.getByTestId('session-title').click();
      await page.keyboard.press('w');
      const cards = page.locator('[data-testid="inbox-card"][data-waiting="true"]');
      await expect.poll(() => cards.count(), SOON).toBe(2);
      expect(await page.title()).toBe('(2) Heliograph');
      await looksRight(page, DESKTOP);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await accessibilityFaults(page)).toEqual([]);

      const first = page.getByTestId('inbox-card').nth(0);
      await expect.poll(() => first.getAttribute('aria-current'), SOON).toBe('true');
      await pressUntil(page, '2', first.getByTestId('permission-confirm'));
      await first.getByTestId('permission-confirm-yes').click();
      await first.getByTestId('permission-decision').filter({ hasText: 'allow_always' }).waitFor();
      expect(await first.getAttribute('data-waiting')).toBe('false');

      // The other one is answered on the phone, where the inbox is a screen of its own.
      const small = phone.page;
      await small.getByTestId('open-inbox').click();
      const onPhone = small.locator('[data-testid="inbox-card"][data-waiting="true"]');
      await expect.poll(() => onPhone.count(), SOON).toBe(1);
      await looksRight(small, PHONE);
      await onPhone.locator('[data-option-kind="reject_once"]').click();
      const second = page.getByTestId('inbox-card').nth(1);
      await second.getByTestId('permission-decision').filter({ hasText: 'reject_once' }).waitFor();
      expect(await second.getAttribute('data-waiting')).toBe('false');
      await expect.poll(() => page.title(), SOON).toBe('Heliograph');
      await small.getByTestId('inbox-back').click();
      await small.getByTestId('session-row').first().waitFor();
      await looksRight(small, PHONE);

      // And its place in its session is one press away, marked until the next press there.
      await second.getByTestId('inbox-open').click();
      await page.locator('[data-testid="session"][data-live="true"]').waitFor();
      await page.getByTestId('turn-end').first().waitFor();
      const ledTo = page.locator('[data-testid="row"][data-led-to]');
      await ledTo.filter({ hasText: 'reject_once' }).waitFor();
      await looksRight(page, DESKTOP);
      await page.getByTestId('turn-end').first().click();
      await ledTo.waitFor({ state: 'detached' });
    },
    PATIENCE_MS,
  );

  it('DT127: what came where nobody looked is counted, over a reload, until it is looked at', async () => {
    const { page } = desk;
    const row = rowOf(page, 'Omega');
    await ask(page, 'Omega', 'once more');
    await rowOf(page, 'Alpha').click();
    await expect.poll(() => row.getAttribute('data-status'), SOON).toBe('needs');
    await page.getByTestId('open-inbox').click();
    const card = page.locator('[data-testid="inbox-card"][data-waiting="true"]');
    await card.locator('[data-option-kind="allow_once"]').click();
    await expect.poll(async () => Number(await row.getAttribute('data-news')), SOON).toBeGreaterThan(0);
    await rowOf(page, 'Alpha').click();
    await expect.poll(() => row.getAttribute('data-status'), SOON).toBe('quiet');
    await page.reload();
    await row.waitFor();
    await expect.poll(async () => Number(await row.getAttribute('data-news')), SOON).toBeGreaterThan(0);
    await row.click();
    await expect.poll(() => row.getAttribute('data-news'), SOON).toBe('0');
    await page.reload();
    await row.waitFor();
    await expect.poll(() => row.getAttribute('data-news'), SOON).toBe('0');
  });

  it('DT130, DT131, DT132: a session saved as lines has its secret listed and replaced', async () => {
    const { page } = desk;
    await rowOf(page, 'Omega').click();
    await page.getByTestId('turn-end').first().waitFor();
    await page.getByTestId('session-menu').click();
    await page.getByTestId('save-session').click();
    await page.getByTestId('save-as-jsonl').check();
    const secret = page.getByTestId('save-secret');
    await secret.filter({ hasText: 'github token' }).waitFor();
    await looksRight(page, DESKTOP);
    const download = page.waitForEvent('download');
    await page.getByTestId('save-go').click();
    const text = readFileSync(await (await download).path(), 'utf8');
    expect(text).toContain('[redacted:github-token]');
    expect(text).not.toContain(SECRET);
    const [head = '', ...lines] = text.trimEnd().split('\n');
    expect(JSON.parse(head)).toMatchObject({ type: 'heliograph-session', replaced: { 'github-token': 1 } });
    expect(lines.map((line) => JSON.parse(line).kind)).toEqual(
      expect.arrayContaining(['harness_started', 'acp_read', 'acp_write', 'permission_terminal', 'turn_completed']),
    );
  });

  it('DT120, DT133: settings: an agent’s own calls, compact rows in the dark, all over a reload', async () => {
    const { page } = desk;
    const height = async () => (await rowOf(page, 'Omega').boundingBox())?.height ?? 0;
    const before = await height();
    await page.getByTestId('open-settings').click();
    await page.getByTestId('density-compact').check({ force: true });
    await page.getByTestId('theme-dark').check({ force: true });
    await page.getByTestId('settings-calls').click();
    const choice = page.getByTestId('notify-agent');
    await choice.selectOption({ label: 'Omega' });
    await page.getByTestId('notify-ended').check();
    await looksRight(page, DESKTOP);
    await page.keyboard.press('Escape');
    expect(await height()).toBeLessThan(before);
    await page.reload();
    await rowOf(page, 'Omega').waitFor();
    expect(await page.evaluate(() => document.documentElement.className)).toBe('dark compact');
    await page.getByTestId('open-settings').click();
    await page.getByTestId('settings-calls').click();
    await choice.selectOption({ label: 'Omega (its own)' });
    expect(await page.getByTestId('notify-ended').isChecked()).toBe(true);
    await page.keyboard.press('Escape');
  });

  it('DT203: an agent that is renamed on the phone is called so on the desk, after a reload too', async () => {
    const small = phone.page;
    await small.getByTestId('open-settings').click();
    await small.getByTestId('settings-agents').click();
    const line = small.getByTestId('settings-agent').filter({ hasText: 'Alpha' });
    await line.getByTestId('rename').click();
    await small.getByTestId('new-name').fill('Alpha Centauri');
    await small.getByTestId('rename-go').click();
    await small.keyboard.press('Escape');
    for (const { page } of [phone, desk]) await rowOf(page, 'Alpha Centauri').waitFor(SOON);
    await desk.page.reload();
    await rowOf(desk.page, 'Alpha Centauri').waitFor(SOON);
    expect([...desk.offences, ...phone.offences]).toEqual([]);
  });
});

/** A session by its agent. */
function rowOf(page: Page, name: string): Locator {
  return page.getByTestId('session-row').filter({ hasText: name });
}

async function ask(page: Page, name: string, prompt: string): Promise<void> {
  await rowOf(page, name).click();
  await page.locator('[data-testid="session"][data-live="true"]').waitFor();
  await page.getByTestId('composer').fill(prompt);
  await page.getByTestId('composer').press('Enter');
  await page.locator('[data-testid="permission-card"][data-answerable="true"]').waitFor();
}

/** Keys answer a card a while after it was chosen, held: tried until it shows. */
async function pressUntil(page: Page, key: string, shown: Locator): Promise<void> {
  await expect
    .poll(async () => {
      if ((await shown.count()) === 0) await page.keyboard.press(key, { delay: 600 });
      return shown.count();
    }, SOON)
    .toBe(1);
}

async function looksRight(page: Page, { width, height }: View): Promise<void> {
  await page.setViewportSize({ width, height });
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}
