import { pageWindows } from './page-windows.ts';
import { agentOfScope, noticeTitle, pageFor, readMessage } from './push-notice.ts';

/** Names of agents, by the scopes of their registrations: what a notification calls them. */
const NAMES = 'heliograph names';
const MAX_NAME_LENGTH = 64;

/** Shows an agent's calls as notifications, and opens the page where they lead. */
export class PushRegistration {
  readonly #worker: ServiceWorkerGlobalScope;
  readonly #page: string;
  readonly #agent: string;

  constructor(worker: ServiceWorkerGlobalScope, page: string, agent: string) {
    this.#worker = worker;
    this.#page = page;
    this.#agent = agent;
  }

  /** Of a registration of an agent's below the page's folder; undefined for the page's own. */
  static of(worker: ServiceWorkerGlobalScope, page: string): PushRegistration | undefined {
    const agent = agentOfScope(worker.registration.scope, page);
    return agent === undefined ? undefined : new PushRegistration(worker, page, agent);
  }

  /** Remembers what the owner calls the agent. */
  async keepName(name: unknown): Promise<void> {
    if (typeof name !== 'string') return;
    const names = await this.#worker.caches.open(NAMES);
    await names.put(this.#worker.registration.scope, new Response(name.slice(0, MAX_NAME_LENGTH)));
  }

  /** Every message is shown: browsers take the subscription from a page that keeps one to itself. */
  async show(text: string | undefined): Promise<void> {
    const { registration, caches } = this.#worker;
    const call = readMessage(text, this.#agent);
    const name = await (await caches.match(registration.scope, { cacheName: NAMES }))?.text();
    const windows = await pageWindows(this.#worker, this.#page);
    const isSeen = windows.some(({ visibilityState }) => visibilityState === 'visible');
    const options = {
      body: call?.reason === 'test' ? 'Web Push works on this device.' : '',
      tag: `${this.#agent} ${call?.reason}`,
      renotify: !isSeen,
      // Who looks at the page knows already.
      silent: isSeen,
      icon: new URL('icon-192.png', this.#page).href,
      badge: new URL('badge-96.png', this.#page).href,
      data: call,
    };
    await registration.showNotification(noticeTitle(call, name), options);
  }

  /** Brings the page that is open to where it was called from, or opens it there. */
  async open(notification: Notification): Promise<void> {
    notification.close();
    const call = readMessage(JSON.stringify(notification.data), this.#agent);
    const [open] = await pageWindows(this.#worker, this.#page);
    if (open === undefined) {
      await this.#worker.clients.openWindow(pageFor(this.#page, call));
      return;
    }
    open.postMessage({ type: 'call', call });
    await open.focus();
  }
}
