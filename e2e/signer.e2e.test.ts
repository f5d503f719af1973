import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { localSigner, parseSecretKey } from '@heliograph/wire';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/accessibility.ts';
import { DESKTOP, launchChromium, openPage, PHONE } from './support/chromium.ts';
import { demoAgent, Product } from './support/product.ts';

/** An owner whose key never enters the page. */
describe('a signer elsewhere', () => {
  const product = new Product();
  const relayHome = product.home('relay');
  const bunkers: BunkerProcess[] = [];
  let browser: Browser;
  let keyFile: string;
  let relayUrl: string;
  let address: string;

  beforeAll(async () => {
    browser = await launchChromium();
    keyFile = join(product.folder, 'owner.key');
    const home = product.home('owner');
    const npub = (await product.run(['keys', 'new', '--out', keyFile], { home })).trim();
    const relay = product.start(['relay', '--port', '0', '--owner', npub], { home: relayHome });
    relayUrl = (await relay.ready('relay')).url as string;
    address = `${relayUrl.replace(/^ws/, 'http')}/`;
    const invite = join(product.folder, 'agent.invite');
    const made = await product.run(['invite', '--owner-key', keyFile, '--relay', relayUrl, '--name', 'build-box'], {
      home,
    });
    writeFileSync(invite, made, { mode: 0o600 });
    const agent = product.start(['agent', '--invite', `@${invite}`, '--', ...demoAgent], {
      home: product.home('agent'),
    });
    await agent.ready('agent');
  });

  afterAll(async () => {
    await browser?.close();
    for (const bunker of bunkers) bunker.kill();
    await product.close();
  });

  it('PU29: by a remote signer over this relay sessions are seen and steered, met at its address', async () => {
    const bunker = await BunkerProcess.start([keyFile, relayUrl]);
    bunkers.push(bunker);
    const { page, offences } = await openPage(browser, address, DESKTOP);
    await page.getByTestId('show-signers').click();
    await page.getByTestId('bunker-address').fill('nonsense');
    await page.getByTestId('bunker-connect').click();
    await page.getByTestId('bunker-problem').waitFor();
    await page.getByTestId('bunker-address').fill(bunker.address);
    await page.getByTestId('bunker-connect').click();
    await letIn(page);
    await page.getByTestId('session-row').first().click();
    await page.locator('[data-testid="session"][data-live="true"]').waitFor();
    await say(page, 'an error please');
    await page.locator('[data-testid="turn-end"]').first().waitFor();
    expect(new Set(bunker.asked)).toEqual(
      new Set(['connect', 'get_public_key', 'sign_event', 'nip44_encrypt', 'nip44_decrypt']),
    );

    bunker.say('silent');
    await say(page, 'and again');
    await page.locator('[data-testid="signer-banner"]:visible', { hasText: 'has not answered yet' }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    bunker.say('refuse');
    await page.getByTestId('open-settings').click();
    await page.getByTestId('settings-key').click();
    await page.getByText('at your remote signer').waitFor();
    expect(await page.getByTestId('move-key').count()).toBe(0);
    await page.getByTestId('leave-signer-settings').click();
    await page.getByTestId('leave-confirm').click();
    await page.getByTestId('landing').waitFor();
    expect(offences).toEqual([]);
    bunker.kill();
  });

  it('PU29: and found by it through a code of the page’s', async () => {
    const { page, offences } = await openPage(browser, address, PHONE);
    await page.getByTestId('show-signers').click();
    await page.getByTestId('show-connect-code').click();
    const link = (await page.getByTestId('connect-link').textContent()) ?? '';
    expect(link).toMatch(/^nostrconnect:\/\/[0-9a-f]{64}\?relay=/);
    await page.getByTestId('connect-qr').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    const linkFile = join(product.folder, 'link');
    writeFileSync(linkFile, link);
    bunkers.push(await BunkerProcess.start([keyFile, relayUrl, linkFile]));
    await letIn(page);
    await page.getByTestId('session-row').first().click();
    await page.locator('[data-testid="session"][data-live="true"]').waitFor();
    expect(offences).toEqual([]);
  });

  it('PU28: by this browser’s extension sessions are seen and steered; a refusal stops the asking, and one too slow is told of', async () => {
    const { page, context, offences } = await openPage(browser, 'about:blank', PHONE);
    const extension = await installExtension(context, keyFile);
    await page.goto(address);
    await page.getByTestId('show-signers').click();
    await page.getByTestId('signers').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    extension.mode = 'refuse';
    await page.getByTestId('use-extension').click();
    await page.getByTestId('problem').waitFor();
    expect(await page.getByTestId('problem').textContent()).toBe('User rejected.');
    extension.mode = 'allow';
    await page.getByTestId('show-signers').click();
    await page.getByTestId('use-extension').click();
    await page.getByTestId('session-row').first().click();
    await say(page, 'Show me everything');
    await page.locator('[data-answerable="true"] [data-testid="permission-option"]').first().click();
    await page.locator('[data-testid="turn-end"]').first().waitFor();

    // It is there again without a passphrase, and nothing of the key is kept.
    await page.reload();
    await page.getByTestId('session-row').first().click();
    await page.locator('[data-testid="session"][data-live="true"]').waitFor();
    extension.mode = 'refuse';
    await say(page, 'an error please');
    await page.getByTestId('retry-signer').first().waitFor();
    expect(await page.locator('[data-testid="signer-banner"]:visible').textContent()).toContain('User rejected');
    expect(await accessibilityFaults(page)).toEqual([]);
    const asked = extension.asked;
    const ends = await page.getByTestId('turn-end').count();
    extension.mode = 'allow';
    await page.locator('[data-testid="retry-signer"]:visible').click();
    await expect.poll(() => page.getByTestId('turn-end').count(), { timeout: 30_000 }).toBeGreaterThan(ends);
    expect(extension.asked).toBeGreaterThan(asked);

    await say(page, 'slow');
    await page.getByTestId('cancel').waitFor();
    extension.slowMs = 1_500;
    await page
      .locator('[data-testid="signer-banner"]:visible', { hasText: 'falls behind' })
      .waitFor({ timeout: 60_000 });
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.locator('[data-testid="leave-signer"]:visible').click();
    await page.locator('[data-testid="leave-signer"]:visible').click();
    await page.getByTestId('landing').waitFor();
    expect(offences.filter((what) => !what.includes(new URL(address).host))).toEqual([]);
  });

  /** Does what the page says is to be done where the relay is. */
  async function letIn(page: Page): Promise<void> {
    const command = (await page.getByTestId('allow-client').textContent()) ?? '';
    const [, npub = ''] = /^heliograph relay allow (npub1\w+)$/.exec(command) ?? [];
    await product.run(['relay', 'allow', npub], { home: relayHome });
  }
});

async function say(page: Page, words: string): Promise<void> {
  await page.getByTestId('composer').fill(words);
  await page.getByTestId('composer').press('Enter');
}

/** A NIP-07 extension as a page meets it; its key stays in this process. */
async function installExtension(context: BrowserContext, keyFile: string) {
  const secret = parseSecretKey(readFileSync(keyFile, 'utf8'));
  if (!secret.ok) throw new Error(secret.error.message);
  const signer = localSigner(secret.value, nobleCrypto);
  const extension = { mode: 'allow' as 'allow' | 'refuse', slowMs: 0, asked: 0 };
  await context.exposeBinding('askExtension', async (_source, method: string, params: readonly string[]) => {
    extension.asked++;
    if (extension.mode === 'refuse') throw new Error('User rejected');
    if (extension.slowMs > 0) await new Promise((resolve) => setTimeout(resolve, extension.slowMs));
    const [first = '', second = ''] = params;
    if (method === 'key') return signer.publicKey;
    if (method === 'sign') return { ...signer.sign(JSON.parse(first)) };
    if (method === 'encrypt') return signer.encrypt(first, second);
    const opened = signer.decrypt(first, second);
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  });
  await context.addInitScript(() => {
    const ask = (method: string, ...params: string[]) =>
      (window as unknown as { askExtension(method: string, params: string[]): Promise<unknown> }).askExtension(
        method,
        params,
      );
    Object.assign(window, {
      nostr: {
        getPublicKey: () => ask('key'),
        signEvent: (event: object) => ask('sign', JSON.stringify(event)),
        nip44: {
          encrypt: (peer: string, text: string) => ask('encrypt', peer, text),
          decrypt: (peer: string, text: string) => ask('decrypt', peer, text),
        },
      },
    });
  });
  return extension;
}

/** A remote signer in a process of its own. */
class BunkerProcess {
  address = '';
  readonly asked: string[] = [];
  readonly #child: ChildProcess;

  static async start(args: readonly string[]): Promise<BunkerProcess> {
    const bunker = new BunkerProcess(args);
    await expect.poll(() => bunker.address, { timeout: 30_000 }).not.toBe('');
    return bunker;
  }

  private constructor(args: readonly string[]) {
    const script = join(import.meta.dirname, 'support/bunker.mjs');
    this.#child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const { ready, asked } = JSON.parse(line) as { ready?: string; asked?: string };
      if (ready !== undefined) this.address = ready;
      if (asked !== undefined) this.asked.push(asked);
    });
  }

  say(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
