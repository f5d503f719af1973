/** A page that was out of sight for longer may have missed much: browsers put sleeping tabs and their sockets to rest. */
const LONG_MS = 30_000;

/** Calls back when the page is looked at again after a while, or its machine is on the network again. */
export function onReturn(page: Document, nowMs: () => number, fire: () => void): void {
  let hiddenAtMs: number | undefined;
  page.addEventListener('visibilitychange', () => {
    if (page.visibilityState === 'hidden') hiddenAtMs = nowMs();
    else if (hiddenAtMs !== undefined && nowMs() - hiddenAtMs > LONG_MS) fire();
  });
  page.defaultView?.addEventListener('online', fire);
}
