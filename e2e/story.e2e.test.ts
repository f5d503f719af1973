import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DESKTOP, launchChromium, openPage, PHONE } from './support/chromium.ts';
import { everyFile } from './support/every-file.ts';
import { demoAgent, Product, type Program, tee } from './support/product.ts';

const CANARY = 'canary-7f3a9c51';

/** The story of the README: a relay on one machine, an agent on another, its owner at a third. */
describe('three machines', () => {
  const product = new Product();
  const [ownerHome, relayHome, agentHome] = ['owner', 'relay', 'agent'].map((name) => product.home(name)) as [
    string,
    string,
    string,
  ];
  const teed = join(product.folder, 'teed');
  let browser: Browser;
  let relay: Program;
  let agent: Program;
  let desktop: Program;
  let relayUrl: string;

  beforeAll(async () => {
    browser = await launchChromium();
    const key = join(product.folder, 'owner.key');
    const npub = (await product.run(['keys', 'new', '--out', key], { home: ownerHome })).trim();
    expect(statSync(key).mode & 0o777).toBe(0o600);
    relay = product.start(['relay', '--port', '0', '--owner', npub], { home: relayHome });
    relayUrl = (await relay.ready('relay')).url as string;
    desktop = product.start(['desktop', '--owner-key', key, '--relay', relayUrl, '--port', '0', '--no-window'], {
      home: ownerHome,
    });
    const invite = await product.run(['invite', '--owner-key', key, '--relay', relayUrl, '--name', 'build-box'], {
      home: ownerHome,
    });
    const inviteFile = join(product.folder, 'agent.invite');
    writeFileSync(inviteFile, invite, { mode: 0o600 });
    agent = product.start(['agent', '--invite', `@${inviteFile}`, '--', ...tee(teed, demoAgent)], { home: agentHome });
    await agent.ready('agent');
  });

  afterAll(async () => {
    await browser?.close();
    await product.close();
  });

  it('WS1: shows a session, answers a permission, cancels a turn, and downloads the very bytes that went by', async () => {
    const { page, offences } = await openPage(browser, (await desktop.ready('desktop')).url as string, DESKTOP);
    await page.getByTestId('session-row').first().click();
    await page.getByTestId('session').waitFor();
    for (const light of ['relay', 'harness', 'agent']) {
      await page.locator(`[data-testid="light-${light}"][data-sign="ok"]`).first().waitFor();
    }
    await page.getByTestId('composer').fill(`Show me everything ${CANARY}`);
    await page.getByTestId('composer').press('Enter');
    const card = page.locator('[data-testid="permission-card"][data-answerable="true"]');
    await card.getByTestId('permission-option').first().click();
    await page.locator('[data-testid="turn-end"]').first().waitFor();
    expect(await page.getByTestId('transcript').textContent()).toContain('demo');
    await page.getByTestId('plan').first().waitFor();

    await page.getByTestId('composer').fill('slow please');
    await page.getByTestId('composer').press('Enter');
    await page.getByTestId('cancel').click();
    await page.locator('[data-testid="turn-end"][data-outcome="cancelled"]').waitFor();

    if (!(await page.getByTestId('raw-rail').isVisible())) await page.getByTestId('toggle-lines').click();
    for (const direction of ['read', 'write'] as const) {
      const wentBy = () => sha256(readFileSync(join(teed, `${direction}.bytes`)));
      const isSame = async () => sha256(await download(page, direction)) === wentBy();
      await expect.poll(isSame, { timeout: 30_000 }).toBe(true);
    }
    await page.reload();
    await page.getByTestId('session-row').first().waitFor();
    expect(offences).toEqual([]);
  });

  it('WS2: leaves nothing readable behind: not in the relay’s data and logs, not with the harness', async () => {
    await agent.stop();
    await relay.stop();
    const forms = [CANARY, Buffer.from(CANARY).toString('hex')];
    // Base64 of the canary at each of the three alignments it can have.
    for (const lead of ['', 'x', 'xx']) forms.push(Buffer.from(`${lead}${CANARY}xx`).toString('base64').slice(4, -4));
    const places = [...everyFile(relayHome), ...everyFile(agentHome)];
    expect(places.length).toBeGreaterThan(1);
    for (const form of forms) {
      for (const [path, bytes] of places) expect(bytes.includes(form), `${path} holds ${form}`).toBe(false);
      for (const program of [relay, agent]) {
        expect(program.stderr.includes(form)).toBe(false);
        expect(program.stdout.join('\n').includes(form)).toBe(false);
      }
    }
    // The viewer did receive it.
    expect(readFileSync(join(teed, 'write.bytes')).includes(CANARY)).toBe(true);
  });

  it('WS3: opens a page for its address once: a second visitor learns what to do, and gets no key', async () => {
    const { page } = await openPage(browser, (await desktop.ready('desktop')).url as string, PHONE);
    await page.getByText('heliograph desktop').first().waitFor();
    expect(await page.getByTestId('session-row').count()).toBe(0);
  });
});

async function download(page: Page, selection: 'read' | 'write'): Promise<Buffer> {
  await page.getByTestId('raw-download').click();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId(`raw-download-${selection}`).click(),
  ]);
  return readFileSync(await saved.path());
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
