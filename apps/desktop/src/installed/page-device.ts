import { createContext, useContext, useSyncExternalStore } from 'react';
import { onReturn } from '../on-return.ts';
import { registerServiceWorker } from '../trusted-scripts.ts';
import { InstallPrompt } from './install-prompt.ts';
import { PageUpdate, type UpdateState } from './page-update.ts';

/** What this browser does for the page beyond showing it; absent where it does none of that. */
export interface PageDevice {
  readonly install: InstallPrompt;
  /** Absent over plain http from another machine, where browsers have no service workers. */
  readonly update: PageUpdate | undefined;
}

/** Puts the page on its device: its files kept for when the server is away, newer ones noticed. */
export function openPageDevice(base: string, nowMs: () => number): PageDevice {
  const install = new InstallPrompt({
    events: globalThis.window,
    matches: (query) => matchMedia(query).matches,
    standalone: (navigator as { standalone?: boolean }).standalone,
  });
  const container = (navigator as Partial<Pick<Navigator, 'serviceWorker'>>).serviceWorker;
  if (container === undefined) return { install, update: undefined };
  const update = new PageUpdate({ container, reload: () => location.reload(), nowMs });
  onReturn(document, nowMs, () => update.look());
  // Refused by a browser's settings, say: the page works as it does without.
  registerServiceWorker(container, base).then(
    (registration) => update.watch(registration),
    () => undefined,
  );
  return { install, update };
}

const DeviceContext = createContext<PageDevice | undefined>(undefined);

export const DeviceProvider = DeviceContext.Provider;

/** The page's device; undefined in tests and stories. */
export function usePageDevice(): PageDevice | undefined {
  return useContext(DeviceContext);
}

/** Whether a newer page waits. */
export function useUpdateState(update: PageUpdate | undefined): UpdateState {
  return useSyncExternalStore(
    (listener) => update?.subscribe(listener) ?? (() => undefined),
    () => update?.state ?? 'current',
  );
}
