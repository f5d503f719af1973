import { RefreshCw } from 'lucide-react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { type Light, readLights } from '../../store/lights.ts';
import { useNow } from '../parts/use-now.ts';
import { usePopover } from '../parts/use-popover.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** Three lights, and in words what each means when they are pointed at or tapped. */
export function Lights(props: { readonly agent: AgentRecord | undefined; readonly look: 'words' | 'signs' }) {
  const { agent, look } = props;
  const desktop = useDesktop();
  const relays = useDesktopState((state) => state.relays);
  const now = useNow();
  const lights = readLights(relays, agent, now);
  const { isOpen, place, button, panelId } = usePopover();
  const entries = [
    ['relay', lights.relay],
    ['harness', lights.harness],
    ['agent', lights.agent],
  ] as const satisfies readonly (readonly [string, Light])[];
  return (
    <div className="relative" {...place}>
      <button
        type="button"
        className={look === 'words' ? 'tab -ml-2 gap-3' : 'tab gap-1.5'}
        {...button}
        title={entries.map(([, light]) => light.words).join('\n')}
        data-testid="lights"
      >
        {entries.map(([name, light]) => (
          <span
            key={name}
            className="inline-flex items-center gap-1.5"
            data-testid={`light-${name}`}
            data-sign={light.sign}
          >
            <span className={`sign ${light.sign}`} aria-hidden="true" />
            <span className={look === 'words' ? '' : 'sr-only'}>
              {name}
              <span className="sr-only">: {light.words}</span>
            </span>
          </span>
        ))}
      </button>
      {isOpen && (
        <div
          id={panelId}
          className={`popover grid w-72 gap-2 p-3 text-s text-ink-2 ${look === 'words' ? 'bottom-9 left-0' : 'top-11 left-0'}`}
        >
          {entries.map(([name, light]) => (
            <p key={name} className="flex gap-2.5">
              <span className="grid h-4 w-2.5 flex-none place-items-center">
                <span className={`sign ${light.sign}`} aria-hidden="true" />
              </span>
              <span className="min-w-0 wrap-anywhere">{light.words}</span>
            </p>
          ))}
          {agent !== undefined && (
            <button type="button" className="btn mt-1" onClick={() => desktop.resync(agent.publicKey)}>
              <RefreshCw size={13} strokeWidth={1.6} aria-hidden="true" />
              Ask how things are
            </button>
          )}
        </div>
      )}
    </div>
  );
}
