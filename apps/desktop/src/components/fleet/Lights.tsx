import { RefreshCw } from 'lucide-react';
import type { AgentRecord } from '../../store/desktop-store.ts';
import { type Light, readLights, readRelays } from '../../store/lights.ts';
import { useNow } from '../parts/use-now.ts';
import { usePopover } from '../parts/use-popover.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

type NamedLight = readonly [name: string, light: Light];

/** An agent's three lights as signs, and in words what each means when they are pointed at or tapped. */
export function Lights({ agent }: { readonly agent: AgentRecord }) {
  const relays = useDesktopState((state) => state.relays);
  const lights = readLights(relays, agent, useNow());
  const entries: readonly NamedLight[] = [
    ['relay', lights.relay],
    ['harness', lights.harness],
    ['agent', lights.agent],
  ];
  const { isOpen, place, button, panelId } = usePopover();
  return (
    <div className="relative" {...place}>
      <button type="button" className="tab gap-1.5" {...button} title={titleOf(entries)} data-testid="lights">
        {entries.map(([name, light]) => (
          <Sign key={name} name={name} light={light} />
        ))}
      </button>
      {isOpen && (
        <div id={panelId} className="popover top-11 left-0 grid w-72 gap-2 p-3 text-s text-ink-2">
          <LightWords entries={entries} agent={agent.publicKey} />
        </div>
      )}
    </div>
  );
}

/** The relay's light, which all agents have in common. */
export function RelayLight() {
  const relays = useDesktopState((state) => state.relays);
  const entries: readonly NamedLight[] = [['relay', readRelays(relays, useNow())]];
  const { isOpen, place, button, panelId } = usePopover();
  return (
    <div className="relative" {...place}>
      <button type="button" className="tab" {...button} title={titleOf(entries)} data-testid="relay-light">
        {entries.map(([name, light]) => (
          <span key={name} className="inline-flex items-center gap-1.5">
            <span className={`sign ${light.sign}`} aria-hidden="true" />
            {name}
            <span className="sr-only">: {light.words}</span>
          </span>
        ))}
      </button>
      {isOpen && (
        <div id={panelId} className="popover right-0 bottom-9 grid w-72 gap-2 p-3 text-s text-ink-2">
          <LightWords entries={entries} agent={undefined} />
        </div>
      )}
    </div>
  );
}

/** What lights mean, and the way to ask anew: one agent, or all. */
export function LightWords(props: { readonly entries: readonly NamedLight[]; readonly agent: string | undefined }) {
  const desktop = useDesktop();
  return (
    <>
      {props.entries.map(([name, light]) => (
        <p key={name} className="flex gap-2.5">
          <span className="grid h-4 w-2.5 flex-none place-items-center">
            <span className={`sign ${light.sign}`} aria-hidden="true" />
          </span>
          <span className="min-w-0 wrap-anywhere">{light.words}</span>
        </p>
      ))}
      <button type="button" className="btn mt-1" onClick={() => desktop.resync(props.agent)}>
        <RefreshCw size={13} strokeWidth={1.6} aria-hidden="true" />
        Ask how things are
      </button>
    </>
  );
}

function Sign({ name, light }: { readonly name: string; readonly light: Light }) {
  return (
    <span className="inline-flex items-center" data-testid={`light-${name}`} data-sign={light.sign}>
      <span className={`sign ${light.sign}`} aria-hidden="true" />
      <span className="sr-only">
        {name}: {light.words}
      </span>
    </span>
  );
}

function titleOf(entries: readonly NamedLight[]): string {
  return entries.map(([, light]) => light.words).join('\n');
}
