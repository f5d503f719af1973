import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PushService } from '../apps/harness/test/support/push-service.ts';
import { accessibilityFaults } from './support/accessibility.ts';
import { launchChromium, openPage, PHONE } from './support/chromium.ts';
import { PathProxy } from './support/path-proxy.ts';
import { demoAgent, Product } from './support/product.ts';

const PATH = '/team/agents';
const PASSPHRASE = 'correct horse battery';

/** A phone, the page of a relay below a path, and a push service of the test's own in the place of the browser maker's. */
describe('calls by Web Push', () => {
  const product = new Product();
  let browser: Browser;
  let proxy: PathProxy;
  let service: PushService;
  let address: string;
  let key: string;
  let agent: string;

  beforeAll(async () => {
    browser = await launchChromium();
    service = await PushService.listen();
    proxy = await PathProxy.listen(PATH);
    address = `http://127.0.0.1:${proxy.port}${PATH}/`;
    key = join(product.folder, 'owner.key');
    const home = product.home('owner');
    const npub = (await product.run(['keys', 'new', '--out', key], { home })).trim();
    const url = `ws${address.slice(4, -1)}`;
    const relay = product.start(
      ['relay', '--port', '0', '--owner', npub, '--trusted-proxy', '127.0.0.1', '--public-url', url],
      { home: product.home('relay') },
    );
    await relay.ready('relay');
    await relay.until(() => relay.stderr.includes('relay is listening'), 'where the relay listens');
    proxy.passTo(Number(/"?port"?: ?(\d+)/.exec(relay.stderr)?.[1]));
    const invite = join(product.folder, 'agent.invite');
    const made = await product.run(['invite', '--owner-key', key, '--relay', url, '--name', 'build-box'], { home });
    writeFileSync(invite, made, { mode: 0o600 });
    const flags = ['--invite', `@${invite}`, '--push-subject', 'mailto:me@heliograph.dev'];
    const harness = product.start(['agent', ...flags, '--', ...demoAgent], { home: product.home('agent') });
    agent = (await harness.ready('agent')).agent as string;
  });

  afterAll(async () => {
    await browser?.close();
    await product.close();
    service?.close();
    proxy?.close();
  });

  it('PU24, PU30, DT140: a phone is subscribed in the settings, called by the agent’s own machine, and brought to what asks', async () => {
    const { page, context, offences } = await openPage(browser, 'about:blank', PHONE);
    await standInForBrowserMaker(context, service);
    await context.grantPermissions(['notifications'], { origin: new URL(address).origin });
    offences.length = 0;
    await page.goto(address);
    await page.getByTestId('show-import').click();
    await page.getByTestId('import-secret').fill(readFileSync(key, 'utf8').trim());
    await page.getByTestId('import-passphrase').fill(PASSPHRASE);
    await page.getByTestId('import-submit').click();
    await page.getByTestId('session-row').first().waitFor();

    await page.getByTestId('open-settings').click();
    await page.getByTestId('settings-calls').click();
    // As on Android, where only service workers may show notifications.
    await page.evaluate(() => {
      const { Notification: given } = globalThis;
      class Refusing {
        static readonly permission = given.permission;
        static readonly requestPermission = () => given.requestPermission();
        constructor() {
          throw new TypeError('Illegal constructor. Use ServiceWorkerRegistration.showNotification() instead.');
        }
      }
      Object.assign(globalThis, { Notification: Refusing });
    });
    await page.getByTestId('notify-test').click();
    await page.getByTestId('notify-outcome').filter({ hasText: 'The browser showed it' }).waitFor();
    const shownTags = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      return (await registration?.getNotifications())?.map(({ tag }) => tag);
    });
    expect(shownTags).toEqual(['heliograph-test']);
    await page.getByTestId('push-wanted').check();
    await page.getByTestId('push-nothing').waitFor();
    await page.getByTestId('notify-permission').check();
    const row = page.locator(`[data-testid="push-agent"][data-agent="${agent}"]`);
    await row.and(page.locator('[data-phase="on"]')).waitFor();
    await row.getByTestId('push-test').click();
    await row.locator('[data-testid="order-push_test"][data-phase="done"]').waitFor();
    expect(service.received.map(({ text }) => JSON.parse(text))).toEqual([{ agent, reason: 'test' }]);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await row.scrollIntoViewIfNeeded();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
    const phone = await Deliveries.of(context, page, `${address}push/${agent}/`);
    expect(await phone.deliver(service.received[0]?.text ?? '')).toEqual(['build-box can call this device']);
    await page.keyboard.press('Escape');

    await page.getByTestId('session-row').first().click();
    await page.getByTestId('composer').fill('Show me everything');
    await page.getByTestId('composer').press('Enter');
    await expect.poll(() => service.received.length, { timeout: 20_000 }).toBe(2);
    const { text, headers } = service.received[1] as (typeof service.received)[number];
    expect(JSON.parse(text)).toEqual({ agent, reason: 'permission' });
    expect(headers.urgency).toBe('high');
    expect(await phone.deliver(text)).toContain('build-box asks for permission');
    expect(await phone.deliver('{"agent":"another","reason":"<b>"}')).toContain('build-box calls you');

    // The list covers the session on a phone; the notification brings it back.
    await page.getByTestId('back').click();
    await page.getByTestId('composer').waitFor({ state: 'hidden' });
    await phone.click('build-box asks for permission');
    await page.locator('[data-answerable="true"]').first().waitFor();

    const later = await context.newPage();
    await later.goto(`${address}#agent=${agent}&reason=permission`);
    await later.getByTestId('unlock-passphrase').fill(PASSPHRASE);
    await later.getByTestId('unlock-submit').click();
    await later.locator('[data-answerable="true"]').first().waitFor();
    expect(later.url()).toBe(address);
    await later.close();

    await page.getByTestId('back').click();
    await page.getByTestId('open-settings').click();
    await page.getByTestId('settings-calls').click();
    await page.getByTestId('push-wanted').uncheck();
    await expect.poll(() => page.getByTestId('push-agent').count(), { timeout: 20_000 }).toBe(0);
    const scopes = await page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
    );
    expect(scopes).toEqual([address]);
    await page.getByTestId('settings-key').click();
    await page.getByTestId('lock').click();
    await page.getByTestId('unlock-passphrase').waitFor();
    expect(await page.getByTestId('session-row').count()).toBe(0);
    expect(offences.filter((what) => !what.startsWith('request:'))).toEqual([]);
    expect(offences.filter((what) => !what.includes(new URL(address).host))).toEqual([]);
  });
});

/** Subscriptions of a real browser are its maker's, on the internet: here this test's service makes them. */
async function standInForBrowserMaker(context: BrowserContext, service: PushService): Promise<void> {
  await context.exposeBinding('makeSubscription', (_source, key: string) => service.subscribe(key));
  await context.addInitScript(() => {
    const made = new Map<string, object>();
    const { makeSubscription } = window as unknown as { makeSubscription(key: string): Promise<object> };
    const proto = PushManager.prototype as unknown as Record<string, unknown>;
    const bytes = (key: string) =>
      Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0)).buffer;
    proto.getSubscription = async () => made.get('one') ?? null;
    proto.subscribe = async ({ applicationServerKey }: { applicationServerKey: string }) => {
      const json = await makeSubscription(applicationServerKey);
      const subscription = {
        options: { applicationServerKey: bytes(applicationServerKey) },
        toJSON: () => json,
        unsubscribe: async () => made.delete('one'),
      };
      made.set('one', subscription);
      return subscription;
    };
  });
}

/** As far as it is asked inside a service worker. */
interface WorkerScope extends EventTarget {
  readonly registration: ServiceWorkerRegistration;
}

/** The browser's end of the push service: gives messages to the service worker of one scope. */
class Deliveries {
  readonly #context: BrowserContext;
  readonly #cdp: CDPSession;
  readonly #scope: string;
  readonly #registrationId: string;

  static async of(context: BrowserContext, page: Page, scope: string): Promise<Deliveries> {
    const cdp = await context.newCDPSession(page);
    const registration = new Promise<string>((resolve) => {
      cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const found = registrations.find(({ scopeURL, isDeleted }) => scopeURL === scope && !isDeleted);
        if (found !== undefined) resolve(found.registrationId);
      });
    });
    await cdp.send('ServiceWorker.enable');
    return new Deliveries(context, cdp, scope, await registration);
  }

  private constructor(context: BrowserContext, cdp: CDPSession, scope: string, registrationId: string) {
    this.#context = context;
    this.#cdp = cdp;
    this.#scope = scope;
    this.#registrationId = registrationId;
  }

  /**
   * Gives the worker a decrypted message until it has shown one notification more; the titles of all of them. Push services
   * repeat what a worker that was just ending did not take.
   */
  async deliver(data: string): Promise<readonly string[]> {
    const before = (await this.#titles()).join('\n');
    const { origin } = new URL(this.#scope);
    const isShown = async () => {
      await this.#cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId: this.#registrationId, data });
      const look = async () => (await this.#titles()).join('\n');
      return expect
        .poll(look, { timeout: 5_000 })
        .not.toBe(before)
        .then(
          () => true,
          () => false,
        );
    };
    await expect.poll(isShown, { timeout: 40_000 }).toBe(true);
    return this.#titles();
  }

  /** Presses a notification, as far as a test can: without the owner's hand no window comes to the front. */
  async click(title: string): Promise<void> {
    const worker = await this.#worker();
    await worker.evaluate(async (wanted) => {
      const scope = self as unknown as WorkerScope;
      const shown = await scope.registration.getNotifications();
      const notification = shown.find((one) => one.title === wanted) as Notification;
      const { NotificationEvent } = globalThis as unknown as { NotificationEvent: typeof Event };
      scope.dispatchEvent(new NotificationEvent('notificationclick', { notification } as EventInit));
    }, title);
  }

  async #titles(): Promise<readonly string[]> {
    const worker = await this.#worker();
    return worker.evaluate(async () => {
      const scope = self as unknown as WorkerScope;
      return (await scope.registration.getNotifications()).map(({ title }) => title);
    });
  }

  async #worker() {
    const find = async () => {
      for (const worker of this.#context.serviceWorkers()) {
        // One that has just ended answers nothing.
        const scope = await worker
          .evaluate(() => (self as unknown as WorkerScope).registration.scope)
          .catch(() => undefined);
        if (scope === this.#scope) return worker;
      }
      return undefined;
    };
    await expect.poll(find, { timeout: 20_000 }).toBeDefined();
    return (await find()) as NonNullable<Awaited<ReturnType<typeof find>>>;
  }
}
