import { useId, useState } from 'react';
import type { AgentRecord, RelayRecord } from '../../store/desktop-store.ts';
import { readAgentState, readLights } from '../../store/lights.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { LightWords } from './Lights.tsx';

/** One agent: how it is, whatever session is looked at; opened, its lights in whole sentences. */
export function AgentRow(props: {
  readonly agent: AgentRecord;
  readonly relays: readonly RelayRecord[];
  readonly now: number;
}) {
  const { agent, relays, now } = props;
  const [isOpen, setOpen] = useState(false);
  const panelId = useId();
  const state = readAgentState(relays, agent, now);
  const { harness, agent: process } = readLights(relays, agent, now);
  return (
    <li>
      <button
        type="button"
        className="fleet-row agent-row"
        aria-expanded={isOpen}
        aria-controls={panelId}
        data-testid="agent-row"
        data-agent={agent.publicKey}
        data-sign={state.sign}
        onClick={() => setOpen(!isOpen)}
      >
        <span className="grid w-4 place-items-center">
          <span className={`sign ${state.sign}`} aria-hidden="true" />
        </span>
        <span className="truncate">
          <span className="font-medium">
            <VisibleText text={agent.name} max={80} />
          </span>{' '}
          <span className="text-s text-ink-2">{state.words}</span>
        </span>
      </button>
      {isOpen && (
        <div id={panelId} className="grid gap-2 pt-1 pr-4 pb-3 pl-10 text-s text-ink-2">
          <LightWords
            entries={[
              ['harness', harness],
              ['agent', process],
            ]}
            agent={agent.publicKey}
          />
        </div>
      )}
    </li>
  );
}
