/**
 * The service worker's entry. Registered for the page's folder it keeps the page's own files for when its server is away; for an
 * agent's folder below, it shows that agent's calls. It never sees a key or an event.
 */
import { openNotice } from './page-windows.ts';
import { PushRegistration } from './push-registration.ts';
import { handlingOf, type Shell } from './shell.ts';
import { ShellCache } from './shell-cache.ts';

declare const self: ServiceWorkerGlobalScope & {
  /** Put in front of this script when it is built. */
  readonly HELIOGRAPH_SHELL: Shell;
};

const shell = self.HELIOGRAPH_SHELL;
const scope = new URL('.', self.location.href).href;
const push = PushRegistration.of(self, scope);
const cache = new ShellCache({
  shell,
  scope,
  caches: self.caches,
  fetch: self.fetch.bind(self),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});

self.addEventListener('install', (event) => event.waitUntil(push === undefined ? cache.fill() : self.skipWaiting()));

self.addEventListener('activate', (event) => {
  if (push === undefined) event.waitUntil(cache.removeOthers().then(() => self.clients.claim()));
});

self.addEventListener('message', (event) => {
  const { type, name } = (event.data ?? {}) as { type?: unknown; name?: unknown };
  // A newer build waits until its owner wants it: it would take away the files of a page that is open.
  if (type === 'take-over') event.waitUntil(self.skipWaiting());
  if (type === 'name' && push !== undefined) event.waitUntil(push.keepName(name));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const handling = push === undefined ? handlingOf(request, scope, shell) : 'pass';
  if (handling === 'page') event.respondWith(cache.page(request));
  else if (handling === 'file') event.respondWith(cache.file(request));
});

self.addEventListener('push', (event) => {
  if (push !== undefined) event.waitUntil(push.show(event.data?.text()));
});

self.addEventListener('notificationclick', (event) => {
  const opened = push === undefined ? openNotice(self, scope, event.notification) : push.open(event.notification);
  event.waitUntil(opened);
});
