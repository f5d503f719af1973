import workerUrl from './worker/worker.ts?worker&url';

/** What TypeScript's DOM does not know yet. */
interface TrustedTypePolicyFactory {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

/** In the page's own folder: that is what it may serve. */
const serviceWorkerUrl = () => new URL('service-worker.js', document.baseURI).href;

/**
 * The page's one Trusted Types policy, for the two script URLs it ever makes. No other policy exists, and the CSP lets none
 * be made: nothing can turn text into script or markup.
 */
const rules = {
  createScriptURL(url: string): string {
    if (url === workerUrl || url === serviceWorkerUrl()) return url;
    throw new TypeError(`the page has one worker and one service worker, and this is another: ${url}`);
  },
};
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypePolicyFactory };
const policy = trustedTypes?.createPolicy('heliograph-worker', rules) ?? rules;

/** Starts the worker that holds the key. */
export function startWorker(): Worker {
  return new Worker(policy.createScriptURL(workerUrl), { type: 'module', name: 'heliograph' });
}

/** Registers the service worker for a folder at or below the page's own; rejects where the browser refuses it. */
export function registerServiceWorker(
  container: ServiceWorkerContainer,
  scope: string,
): Promise<ServiceWorkerRegistration> {
  // Its list of files is what tells one build from the next: no cache may stand before it.
  return container.register(policy.createScriptURL(serviceWorkerUrl()), { scope, updateViaCache: 'none' });
}
