import type { ControlDraft } from '@heliograph/client';
import type { PushCall } from '@heliograph/wire';
import { createContext, useContext, useSyncExternalStore } from 'react';
import { readNotifySettings, reasonsFor, wantsPush } from '../notify-settings.ts';
import { onReturn } from '../on-return.ts';
import { registerServiceWorker } from '../trusted-scripts.ts';
import { Calls } from './calls.ts';
import { InstallPrompt } from './install-prompt.ts';
import { PageUpdate, type UpdateState } from './page-update.ts';
import { openPushBrowser } from './push-browser.ts';
import { type CallWishes, PushLink } from './push-link.ts';

/** What this browser does for the page beyond showing it; absent where it does none of that. */
export interface PageDevice {
  readonly install: InstallPrompt;
  /** Absent over plain http from another machine, where browsers have no service workers. */
  readonly update: PageUpdate | undefined;
  /** Absent where the browser has no Web Push. */
  readonly push: PushLink | undefined;
  /** Asks the owner's leave for notifications; from a press. */
  readonly askLeave: () => Promise<boolean>;
  readonly calls: Calls;
}

export interface PageDeviceOptions {
  /** The page's folder. */
  readonly base: string;
  readonly nowMs: () => number;
  /** Where a notification opened the page from. */
  readonly call: PushCall | undefined;
  readonly send: (agent: string, draft: ControlDraft) => void;
}

/** Puts the page on its device: its files kept for when the server is away, newer ones noticed. */
export function openPageDevice({ base, nowMs, call, send }: PageDeviceOptions): PageDevice {
  const install = new InstallPrompt({
    events: globalThis.window,
    matches: (query) => matchMedia(query).matches,
    standalone: (navigator as { standalone?: boolean }).standalone,
  });
  const container = (navigator as Partial<Pick<Navigator, 'serviceWorker'>>).serviceWorker;
  const calls = new Calls(call, container);
  const browser = openPushBrowser(base);
  const push = browser && new PushLink({ browser, send, wishes, isWanted: wantsPush });
  const askLeave = async () => (await browser?.askLeave()) ?? false;
  if (container === undefined) return { install, calls, push, askLeave, update: undefined };
  container.startMessages();
  const update = new PageUpdate({ container, reload: () => location.reload(), nowMs });
  onReturn(document, nowMs, () => update.look());
  // Refused by a browser's settings, say: the page works as it does without.
  registerServiceWorker(container, base).then(
    (registration) => update.watch(registration),
    () => undefined,
  );
  return { install, calls, push, askLeave, update };
}

/** What this browser's notification settings mean for an agent's calls. */
function wishes(agent: string): CallWishes {
  const settings = readNotifySettings();
  const { quietFrom: from, quietTo: to } = settings;
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return { reasons: reasonsFor(settings, agent), quiet: from === to ? undefined : { from, to, timeZone } };
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
