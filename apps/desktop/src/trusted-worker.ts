import workerUrl from './worker/worker.ts?worker&url';

/** What TypeScript's DOM does not know yet. */
interface TrustedTypePolicyFactory {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

/**
 * The page's one Trusted Types policy, for the one script URL it ever makes. No other policy exists, and the CSP lets none
 * be made: nothing can turn text into script or markup.
 */
export function startWorker(): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypePolicyFactory };
  const rules = {
    createScriptURL(url: string): string {
      if (url !== workerUrl) throw new TypeError(`the page has one worker, and this is another: ${url}`);
      return url;
    },
  };
  const policy = trustedTypes?.createPolicy('heliograph-worker', rules) ?? rules;
  return new Worker(policy.createScriptURL(workerUrl), { type: 'module', name: 'heliograph' });
}
