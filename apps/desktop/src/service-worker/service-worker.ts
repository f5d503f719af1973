/** The service worker's entry: keeps the page's own files for when its server is away. It never sees a key or an event. */
import { handlingOf, type Shell } from './shell.ts';
import { ShellCache } from './shell-cache.ts';

declare const self: ServiceWorkerGlobalScope & {
  /** Put in front of this script when it is built. */
  readonly HELIOGRAPH_SHELL: Shell;
};

const shell = self.HELIOGRAPH_SHELL;
const scope = new URL('.', self.location.href).href;
const cache = new ShellCache({
  shell,
  scope,
  caches: self.caches,
  fetch: self.fetch.bind(self),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
});

self.addEventListener('install', (event) => event.waitUntil(cache.fill()));

self.addEventListener('activate', (event) => {
  event.waitUntil(cache.removeOthers().then(() => self.clients.claim()));
});

// A newer build waits until its owner wants it: it would take away the files of a page that is open.
self.addEventListener('message', (event) => {
  if ((event.data as { type?: unknown } | null)?.type === 'take-over') event.waitUntil(self.skipWaiting());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const handling = handlingOf(request, scope, shell);
  if (handling === 'page') event.respondWith(cache.page(request));
  else if (handling === 'file') event.respondWith(cache.file(request));
});
