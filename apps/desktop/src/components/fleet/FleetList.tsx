import { ChartNoAxesColumn, Plus, Settings2 } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { type AgentRecord, findAgent, type RelayRecord } from '../../store/desktop-store.ts';
import { ageOf, type FleetEntry, selectFleet, selectSilentAgents } from '../../store/fleet.ts';
import { readLights } from '../../store/lights.ts';
import { sameSession, sessionKey } from '../../store/session-ref.ts';
import { VisibleText } from '../content/VisibleText.tsx';
import { BrandMark } from '../parts/Brand.tsx';
import { useNow } from '../parts/use-now.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { Lights } from './Lights.tsx';

/** Every session of every agent, those that need somebody first. */
export function FleetList(props: {
  readonly onAddAgent: () => void;
  readonly onSettings: () => void;
  readonly onUsage: () => void;
  readonly onSelect: () => void;
}) {
  const agents = useDesktopState((state) => state.agents);
  const relays = useDesktopState((state) => state.relays);
  const selected = useDesktopState((state) => state.selected);
  const strangers = useDesktopState((state) => state.strangers.length);
  const groups = useMemo(() => selectFleet(agents), [agents]);
  const silent = useMemo(() => selectSilentAgents(agents), [agents]);
  const now = useNow();
  const waiting = groups.find(({ name }) => name === 'Needs you')?.entries.length ?? 0;
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Heliograph` : 'Heliograph';
  }, [waiting]);
  const current = useDesktopState((state) => findAgent(state, state.selected?.agent)) ?? agents.find((a) => !a.revoked);
  return (
    <nav className="flex h-full min-h-0 flex-col bg-sunken" aria-label="Sessions" data-testid="fleet">
      <div className="flex items-center gap-2.5 px-4 pt-4 pb-2 text-h font-semibold tracking-[-0.01em]">
        <BrandMark />
        Heliograph
        <button
          type="button"
          className="tab ml-auto"
          aria-label="Usage"
          title="Usage"
          data-testid="open-usage"
          onClick={props.onUsage}
        >
          <ChartNoAxesColumn size={16} strokeWidth={1.5} />
        </button>
        <button
          type="button"
          className="tab -mr-2 -ml-2"
          aria-label="Settings"
          title="Settings"
          data-testid="open-settings"
          onClick={props.onSettings}
        >
          <Settings2 size={16} strokeWidth={1.5} />
        </button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-3">
        {groups.map((group) => (
          <section key={group.name} aria-label={group.name}>
            <h2 className="fleet-heading">
              {group.name} <span>{group.entries.length}</span>
            </h2>
            <ul>
              {group.entries.map((entry) => (
                <SessionRow
                  key={sessionKey(entry.ref)}
                  entry={entry}
                  age={ageOf(entry, now)}
                  isSelected={sameSession(entry.ref, selected)}
                  onSelect={props.onSelect}
                />
              ))}
            </ul>
          </section>
        ))}
        {groups.length === 0 && silent.length === 0 && (
          // A wide screen says it beside the list.
          <p className="px-4 py-6 text-l text-ink-2 md:hidden" data-testid="no-agent-yet">
            No agent yet. Make an invite and take it to the machine where the agent lives: its session appears here
            while it happens.
          </p>
        )}
        {silent.length > 0 && (
          <section aria-label="Agents without a session">
            <h2 className="fleet-heading">Agents</h2>
            <ul>
              {silent.map((agent) => (
                <AgentRow key={agent.publicKey} agent={agent} relays={relays} now={now} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <div className="stack gap-1 border-t border-line px-4 py-2.5 text-s text-ink-2">
        {strangers > 0 && (
          <p data-testid="strangers">
            {strangers === 1
              ? 'A key that you have not vouched for sends'
              : `${strangers} keys that you have not vouched for send`}{' '}
            frames to you; nothing of it is shown.
          </p>
        )}
        <button type="button" className="tab -ml-2 w-fit" data-testid="add-agent" onClick={props.onAddAgent}>
          <Plus size={14} strokeWidth={1.7} aria-hidden="true" />
          Add an agent
        </button>
        <Lights agent={current} look="words" />
      </div>
    </nav>
  );
}

const SPOKEN: Readonly<Record<FleetEntry['status'], string>> = {
  needs: 'waits for you',
  running: 'running',
  failed: 'failed',
  quiet: 'quiet',
  off: 'offline',
};

function SessionRow(props: {
  readonly entry: FleetEntry;
  readonly age: string;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const { entry } = props;
  const desktop = useDesktop();
  return (
    <li>
      <button
        type="button"
        className="fleet-row"
        aria-current={props.isSelected ? 'true' : undefined}
        data-testid="session-row"
        data-status={entry.status}
        data-agent={entry.ref.agent}
        data-channel={entry.ref.channelId ?? ''}
        onClick={() => {
          desktop.select(entry.ref);
          props.onSelect();
        }}
      >
        <span className="grid w-4 place-items-center">
          <span className={`sign ${entry.status}`} />
          <span className="sr-only">{SPOKEN[entry.status]}</span>
        </span>
        <span className={`truncate ${entry.status === 'needs' ? 'font-semibold' : 'font-medium'}`}>
          <VisibleText text={entry.title} max={160} />
        </span>
        <span className="text-s text-ink-3 tabular-nums">{props.age}</span>
        <span className="col-start-2 col-end-4 truncate text-s text-ink-2">
          <VisibleText text={entry.words} max={200} />
          {entry.code !== undefined && ' '}
          {entry.code !== undefined && (
            <span className="font-mono text-[0.71875rem]">
              <VisibleText text={entry.code} max={120} />
            </span>
          )}
        </span>
      </button>
    </li>
  );
}

function AgentRow(props: {
  readonly agent: AgentRecord;
  readonly relays: readonly RelayRecord[];
  readonly now: number;
}) {
  const { agent } = props;
  const { harness } = readLights(props.relays, agent, props.now);
  return (
    <li className="fleet-row" data-testid="agent-row" data-agent={agent.publicKey}>
      <span className="grid w-4 place-items-center">
        <span className={`sign ${harness.sign === 'bad' ? 'off' : 'quiet'}`} />
      </span>
      <span className="col-span-2 truncate font-medium">
        <VisibleText text={agent.name} max={80} />
      </span>
      <span className="col-start-2 col-end-4 text-s text-ink-2">{harness.words}</span>
    </li>
  );
}
