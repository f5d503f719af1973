import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRelayClient, openSocketWith } from '@heliograph/client';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { localSigner, parseInvite, parseSecretKey } from '@heliograph/wire';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { DESKTOP, launchChromium, openPage } from './support/chromium.ts';
import { demoAgent, Product } from './support/product.ts';

/** An owner's key was stolen: everything goes on under a new one. */
describe('a new owner key', () => {
  const product = new Product();
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await product.close();
  });

  it('PU18: sees and steers the agents after what `keys rotate` says; the old one and what it vouched for are not let in', async () => {
    const [home, relayHome, agentHome] = ['owner', 'relay', 'agent'].map((name) => product.home(name)) as [
      string,
      string,
      string,
    ];
    const oldKey = join(product.folder, 'old.key');
    const old = (await product.run(['keys', 'new', '--out', oldKey], { home })).trim();
    const before = product.start(['relay', '--port', '0', '--owner', old], { home: relayHome });
    const url = (await before.ready('relay')).url as string;
    const oldInvite = await product.run(['invite', '--owner-key', oldKey, '--relay', url, '--name', 'build-box'], {
      home,
    });
    expect(await admitted(url, secretOf(oldKey))).toBe('ready');
    await before.stop();

    const out = join(product.folder, 'new');
    const guide = await product.run(
      ['keys', 'rotate', '--old', old, '--out', out, '--relay', url, '--agent', 'build-box'],
      { home },
    );
    const [, fresh = ''] = /heliograph relay --owner (npub1\w+)/.exec(guide) ?? [];
    const relay = product.start(['relay', '--port', new URL(url).port, '--owner', fresh], { home: relayHome });
    await relay.ready('relay');
    const invite = join(out, '1-build-box.invite');
    expect(guide).toContain(invite);
    const agent = product.start(['agent', '--invite', `@${invite}`, '--', ...demoAgent], { home: agentHome });
    await agent.ready('agent');
    const desktop = product.start(
      ['desktop', '--owner-key', join(out, 'owner.key'), '--relay', url, '--port', '0', '--no-window'],
      { home },
    );
    const { page } = await openPage(browser, (await desktop.ready('desktop')).url as string, DESKTOP);
    await page.getByTestId('session-row').first().click();
    await page.getByTestId('composer').fill('an error please');
    await page.getByTestId('composer').press('Enter');
    await page.locator('[data-testid="turn-end"]').first().waitFor();

    const invited = parseInvite(oldInvite.trim(), nobleCrypto);
    if (!invited.ok) throw new Error(invited.error.message);
    expect(await admitted(url, secretOf(oldKey))).toContain('is not admitted to this relay');
    expect(await admitted(url, invited.value.secretKey, invited.value.authTag)).toContain('no owner of this relay');
  });
});

function secretOf(file: string): Uint8Array {
  const secret = parseSecretKey(readFileSync(file, 'utf8'));
  if (!secret.ok) throw new Error(secret.error.message);
  return secret.value;
}

/** What the relay makes of a key: `ready`, or why not. */
function admitted(url: string, secret: Uint8Array, authTag?: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const client = createRelayClient({
      url,
      signer: localSigner(secret, nobleCrypto),
      ...(authTag === undefined ? {} : { authTag: () => authTag as never }),
      openSocket: openSocketWith(WebSocket),
      clock: {
        nowMs: () => Date.now(),
        setTimer: (ms, fire) => {
          const timer = setTimeout(fire, ms);
          return () => clearTimeout(timer);
        },
      },
      random: Math.random,
      onState(state) {
        if (state.phase !== 'ready' && state.phase !== 'waiting') return;
        resolve(state.phase === 'ready' ? 'ready' : (state.reason ?? ''));
        queueMicrotask(() => client.close());
      },
    });
  });
}
