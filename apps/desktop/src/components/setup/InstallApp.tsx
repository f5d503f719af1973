import { useSyncExternalStore } from 'react';
import type { InstallPrompt, InstallState } from '../../installed/install-prompt.ts';
import { usePageDevice } from '../../installed/page-device.ts';

const WORDS: Readonly<Record<InstallState, string>> = {
  offered: 'As an app of its own, with its icon and window. It is this same page.',
  'by-hand': 'In the browser’s share menu choose “Add to Home Screen”. Notifications need that on this device.',
  installed: 'This page is installed on this device.',
  browser: 'This browser offers no installing here, or only in its own menu.',
};

/** Makes the page an app of the device, in the way this browser has for it. */
export function InstallApp() {
  const device = usePageDevice();
  // Over plain http browsers have none; the note below says so.
  if (device === undefined || !globalThis.isSecureContext) return null;
  return <Install install={device.install} />;
}

function Install({ install }: { readonly install: InstallPrompt }) {
  const state = useSyncExternalStore(
    (listener) => install.subscribe(listener),
    () => install.state,
  );
  return (
    <section data-testid="install-app" data-state={state}>
      <h3 className="mb-1.5 font-medium">Install</h3>
      <p className="text-s text-ink-2">{WORDS[state]}</p>
      {state === 'offered' && (
        <button
          type="button"
          className="btn mt-2 max-md:w-full"
          data-testid="install"
          onClick={() => void install.ask()}
        >
          Install the page
        </button>
      )}
    </section>
  );
}
