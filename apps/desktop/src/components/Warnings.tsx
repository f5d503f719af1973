import { X } from 'lucide-react';
import { VisibleText } from './content/VisibleText.tsx';
import { useDesktop, useDesktopState } from './use-desktop.ts';

/** Things a viewer must be told that belong to no session: broken chains, second runs, clocks. The newest is shown. */
export function Warnings() {
  const desktop = useDesktop();
  const warnings = useDesktopState((state) => state.warnings);
  const agents = useDesktopState((state) => state.agents);
  const newest = warnings.at(-1);
  if (newest === undefined) return null;
  const name = agents.find((agent) => agent.publicKey === newest.agent)?.name;
  return (
    <div
      className="flex items-center gap-3 border-b border-line bg-sunken py-1 pr-2 pl-6 text-s text-ink-2 max-md:pl-3.5"
      role="status"
      data-testid="warning"
      data-code={newest.code}
    >
      <p className="min-w-0 flex-1">
        {name !== undefined && (
          <b>
            <VisibleText text={name} max={64} />:{' '}
          </b>
        )}
        <VisibleText text={newest.message} max={400} />
        {warnings.length > 1 && <span className="text-ink-3"> · {warnings.length - 1} more</span>}
      </p>
      <button type="button" className="tab" aria-label="Dismiss" onClick={() => desktop.dismissWarning(newest.id)}>
        <X size={14} strokeWidth={1.6} />
      </button>
    </div>
  );
}
