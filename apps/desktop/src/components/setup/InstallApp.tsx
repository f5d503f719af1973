import { useSyncExternalStore } from 'react';
import { installHint } from '../../installed/install-hint.ts';
import type { InstallPrompt, InstallState } from '../../installed/install-prompt.ts';
import { usePageDevice } from '../../installed/page-device.ts';

const WORDS: Readonly<Record<'offered' | 'installed', string>> = {
  offered: 'As an app of its own, with its icon and window. It is this same page.',
  installed: 'This page is installed on this device.',
};

function wordsFor(state: InstallState): string {
  if (state === 'offered' || state === 'installed') return WORDS[state];
  const hint = installHint(navigator.userAgent);
  return state === 'by-hand' ? `${hint} Notifications need that on this device.` : hint;
}

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
      <p className="text-s text-ink-2">{wordsFor(state)}</p>
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
