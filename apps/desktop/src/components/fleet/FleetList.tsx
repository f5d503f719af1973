import { ArrowDownUp, ChartNoAxesColumn, Inbox, Plus, RefreshCw, Settings2 } from 'lucide-react';
import { type ReactNode, useMemo, useState } from 'react';
import { ASIDE, canBeAside, putAside, takeBack, withAside } from '../../store/aside.ts';
import { selectFleet } from '../../store/fleet.ts';
import { filterAgents, filterFleet, MAX_UNFILTERED_ROWS } from '../../store/fleet-filter.ts';
import { readAgentState } from '../../store/lights.ts';
import { countNews } from '../../store/seen.ts';
import { type SessionRef, sameSession, sessionKey } from '../../store/session-ref.ts';
import { BrandMark } from '../parts/Brand.tsx';
import { NARROW, useMedia } from '../parts/use-media.ts';
import { useNow } from '../parts/use-now.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';
import { AgentRow } from './AgentRow.tsx';
import { FleetFilter } from './FleetFilter.tsx';
import { RelayLight } from './Lights.tsx';
import { SessionRow } from './SessionRow.tsx';
import { useHold } from './use-hold.ts';

/** Every session of every agent, those that need somebody first. */
export function FleetList(props: {
  readonly onAddAgent: () => void;
  readonly onSettings: () => void;
  readonly onUsage: () => void;
  /** How much waits in the inbox, and whether it is what is shown. */
  readonly waiting: number;
  readonly isInboxShown: boolean;
  readonly onInbox: () => void;
  readonly onSelect: (ref: SessionRef) => void;
}) {
  const desktop = useDesktop();
  const agents = useDesktopState((state) => state.agents);
  const relays = useDesktopState((state) => state.relays);
  const selected = useDesktopState((state) => state.selected);
  const strangers = useDesktopState((state) => state.strangers.length);
  const groups = useMemo(() => selectFleet(agents), [agents]);
  const trusted = useMemo(() => agents.filter(({ revoked }) => !revoked), [agents]);
  const now = useNow();
  const seen = useDesktopState((state) => state.seen);
  const placed = useMemo(() => withAside(groups, seen), [groups, seen]);
  const held = useHold(placed);
  const [filter, setFilter] = useState('');
  const shown = filterFleet(held.groups, agents, filter);
  const shownAgents = filterAgents(trusted, filter, (agent) => readAgentState(relays, agent, now).words);
  const rows = placed.reduce((sum, { entries }) => sum + entries.length, trusted.length);
  const newsOf = ({ agent, channelId }: SessionRef) => {
    const told = agents.find(({ publicKey }) => publicKey === agent)?.told;
    return told === undefined ? 0 : countNews(seen, sessionKey({ agent, channelId }), told.transcript(channelId));
  };
  return (
    <nav className="flex h-full min-h-0 flex-col bg-sunken" aria-label="Sessions" data-testid="fleet">
      <div className="flex items-center gap-2.5 px-4 pt-4 pb-2 text-h font-semibold tracking-[-0.01em]">
        <BrandMark />
        {useMedia(NARROW) ? <h1>Heliograph</h1> : 'Heliograph'}
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
      <button
        type="button"
        className="fleet-row inbox-row"
        aria-current={props.isInboxShown ? 'true' : undefined}
        data-testid="open-inbox"
        data-waiting={props.waiting}
        onClick={props.onInbox}
      >
        <span className="grid w-4 place-items-center text-ink-2">
          <Inbox size={15} strokeWidth={1.6} aria-hidden="true" />
        </span>
        <span className={props.waiting > 0 ? 'font-semibold' : 'font-medium'}>Inbox</span>
        <span className={props.waiting > 0 ? 'waits' : 'text-s text-ink-3'}>
          {props.waiting > 0 ? props.waiting : 'nothing waits'}
        </span>
      </button>
      {(rows > MAX_UNFILTERED_ROWS || filter !== '') && (
        <FleetFilter
          value={filter}
          onChange={setFilter}
          onEnter={() => {
            const first = shown[0]?.entries[0];
            if (first !== undefined) props.onSelect(first.ref);
          }}
        />
      )}
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain pb-3" {...held.on}>
        {shown.map((group) => (
          <Group key={group.name} name={group.name} count={group.entries.length} isOpen={filter !== ''}>
            {group.entries.map((entry) => (
              <SessionRow
                key={sessionKey(entry.ref)}
                entry={entry}
                now={now}
                news={newsOf(entry.ref)}
                isSelected={!props.isInboxShown && sameSession(entry.ref, selected)}
                isAside={group.name === ASIDE}
                onSelect={() => props.onSelect(entry.ref)}
                onAside={
                  canBeAside(entry)
                    ? () =>
                        desktop.setSeen((marks) =>
                          group.name === ASIDE ? takeBack(marks, entry.ref) : putAside(marks, entry.ref, entry.at ?? 0),
                        )
                    : undefined
                }
              />
            ))}
          </Group>
        ))}
        {trusted.length === 0 && (
          // A wide screen says it beside the list.
          <p className="px-4 py-6 text-l text-ink-2 md:hidden" data-testid="no-agent-yet">
            No agent yet. Make an invite and take it to the machine where the agent lives: its session appears here
            while it happens.
          </p>
        )}
        {filter !== '' && shown.length + shownAgents.length === 0 && (
          <p className="px-4 py-6 text-ink-2" role="status" data-testid="nothing-left">
            No session and no agent has these words in its title, name, machine, folder or state.
          </p>
        )}
        {shownAgents.length > 0 && (
          <section aria-label="Agents">
            <h2 className="fleet-heading">
              Agents <span>{shownAgents.length}</span>
            </h2>
            <ul>
              {shownAgents.map((agent) => (
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
        {held.moved > 0 && (
          <button type="button" className="tab -ml-2 w-fit" data-testid="sort-list" onClick={held.release}>
            <ArrowDownUp size={14} strokeWidth={1.7} aria-hidden="true" />
            {held.moved === 1 ? 'One would stand' : `${held.moved} would stand`} elsewhere: sort now
          </button>
        )}
        <div className="flex flex-wrap items-center">
          <button type="button" className="tab -ml-2" data-testid="add-agent" onClick={props.onAddAgent}>
            <Plus size={14} strokeWidth={1.7} aria-hidden="true" />
            Add an agent
          </button>
          <span className="ml-auto">
            <RelayLight />
          </span>
          <button
            type="button"
            className="tab -mr-2"
            title="Ask every harness how things are"
            data-testid="resync"
            onClick={() => desktop.resync()}
          >
            <RefreshCw size={13} strokeWidth={1.7} aria-hidden="true" />
            Resync
          </button>
        </div>
      </div>
    </nav>
  );
}

/** What was put aside is there, folded unless somebody looks for something. */
function Group(props: {
  readonly name: string;
  readonly count: number;
  readonly isOpen: boolean;
  readonly children: ReactNode;
}) {
  const list = <ul>{props.children}</ul>;
  if (props.name === ASIDE) {
    return (
      <details data-testid="put-aside-group" {...(props.isOpen ? { open: true } : {})}>
        <summary className="fleet-heading cursor-pointer">
          {props.name} <span>{props.count}</span>
        </summary>
        {list}
      </details>
    );
  }
  return (
    <section aria-label={props.name}>
      <h2 className="fleet-heading">
        {props.name} <span>{props.count}</span>
      </h2>
      {list}
    </section>
  );
}
