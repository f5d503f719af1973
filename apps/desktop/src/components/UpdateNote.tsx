import { usePageDevice, useUpdateState } from '../installed/page-device.ts';

/** A newer page has been fetched: it is loaded when the owner says so, not under their hands. */
export function UpdateNote() {
  const update = usePageDevice()?.update;
  const state = useUpdateState(update);
  if (state === 'current') return null;
  return (
    <div
      className="flex flex-none items-center gap-3 border-b border-line bg-sunken px-3.5 py-1.5 text-s text-ink-2"
      role="status"
      data-testid="update-note"
    >
      <p className="min-w-0 flex-1">A newer version of this page is here.</p>
      <button type="button" className="btn" data-testid="update-reload" onClick={() => update?.accept()}>
        Reload to update
      </button>
    </div>
  );
}
