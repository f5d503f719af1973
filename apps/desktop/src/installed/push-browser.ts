import { err, hexEncode, ok, type Result, type PushSubscription as Subscription } from '@heliograph/wire';
import { registerServiceWorker } from '../trusted-scripts.ts';

/** This browser's subscription to one agent's calls. */
export interface LocalSubscription {
  readonly subscription: Subscription;
  readonly endpointSha256: string;
}

/** What this browser can do about Web Push; handed in, so that tests need no browser. */
export interface PushBrowser {
  /** A subscription made for this key of the agent's harness, an earlier one where it fits. */
  subscribe(agent: string, key: string, name: string): Promise<Result<LocalSubscription, { readonly message: string }>>;
  /** Ends it: from then on the push service refuses calls for it. */
  unsubscribe(agent: string): Promise<void>;
  /** Asks the owner's leave to show notifications; must come from a press. */
  askLeave(): Promise<boolean>;
}

/** Web Push as this browser has it; undefined where it has none. */
export function openPushBrowser(page: string): PushBrowser | undefined {
  const container = (navigator as Partial<Pick<Navigator, 'serviceWorker'>>).serviceWorker;
  if (container === undefined || !('PushManager' in globalThis) || !('Notification' in globalThis)) return undefined;
  const scopeOf = (agent: string) => `${page}push/${agent}/`;
  return {
    askLeave: async () => (await Notification.requestPermission()) === 'granted',
    async subscribe(agent, key, name) {
      if (Notification.permission !== 'granted') return err({ message: 'This browser may not show notifications.' });
      try {
        const registration = await registerServiceWorker(container, scopeOf(agent));
        (await activeWorker(registration)).postMessage({ type: 'name', name });
        return ok(await subscription(registration.pushManager, key));
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        return err({ message: `This browser could not subscribe: ${reason}` });
      }
    },
    async unsubscribe(agent) {
      const registration = await container.getRegistration(scopeOf(agent));
      if (registration?.scope !== scopeOf(agent)) return;
      await (await registration.pushManager.getSubscription())?.unsubscribe();
      await registration.unregister();
    },
  };
}

async function subscription(manager: PushManager, key: string): Promise<LocalSubscription> {
  const known = await manager.getSubscription();
  const isFit = known !== null && toBase64Url(known.options.applicationServerKey) === key;
  if (known !== null && !isFit) await known.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const made = known !== null && isFit ? known : await manager.subscribe(options);
  const { endpoint = '', keys = {} } = made.toJSON();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint));
  return {
    subscription: { endpoint, keys: { p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' } },
    endpointSha256: hexEncode(new Uint8Array(digest)),
  };
}

/** The worker of a registration, once it can be told something. */
async function activeWorker(registration: ServiceWorkerRegistration): Promise<ServiceWorker> {
  const worker = registration.active ?? registration.waiting ?? registration.installing;
  if (worker === null) throw new Error('its service worker did not start');
  if (worker.state === 'activated') return worker;
  return new Promise((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve(worker);
      else if (worker.state === 'redundant') reject(new Error('its service worker did not start'));
    });
  });
}

function toBase64Url(bytes: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
