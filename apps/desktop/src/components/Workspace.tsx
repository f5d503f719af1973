import { Plus } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { DENSITIES, THEMES, writeLook } from '../look.ts';
import { ASIDE, withAside } from '../store/aside.ts';
import { findAgent } from '../store/desktop-store.ts';
import { selectFleet } from '../store/fleet.ts';
import { selectInbox } from '../store/inbox.ts';
import { type SessionRef, sameSession, sessionKey } from '../store/session-ref.ts';
import { useActions } from './actions/actions.ts';
import { Keyboard } from './actions/Keyboard.tsx';
import { ArchiveSearch } from './archive/ArchiveSearch.tsx';
import { CalledSession } from './CalledSession.tsx';
import { FleetList } from './fleet/FleetList.tsx';
import { Inbox } from './inbox/Inbox.tsx';
import { Notifications } from './Notifications.tsx';
import { PushKeeper } from './PushKeeper.tsx';
import { BrandMark } from './parts/Brand.tsx';
import { NARROW, useMedia } from './parts/use-media.ts';
import { SignerBanner } from './SignerBanner.tsx';
import { RelayBanner } from './session/ConnectionBanner.tsx';
import { SessionView } from './session/SessionView.tsx';
import { AddAgent } from './setup/AddAgent.tsx';
import { Settings } from './setup/Settings.tsx';
import { UsageDialog } from './usage/UsageDialog.tsx';
import { useDesktop, useDesktopState } from './use-desktop.ts';
import { useKeptSelection } from './use-kept-selection.ts';
import { useSeenMarks } from './use-seen-marks.ts';
import { WaitingCount } from './WaitingCount.tsx';
import { Warnings } from './Warnings.tsx';

/** The page at work: sessions on the left, one conversation or the inbox, its lines. On a phone one of them at a time. */
export function Workspace(props: { readonly owner: string }) {
  const selected = useDesktopState((state) => state.selected);
  const agent = useDesktopState((state) => findAgent(state, state.selected?.agent));
  const [dialog, setDialog] = useState<'add-agent' | 'archive' | 'settings' | 'usage'>();
  // Only a phone tells the two apart: it shows the list until a session is chosen.
  const [isListShown, setListShown] = useState(true);
  const [isInboxShown, setInboxShown] = useState(false);
  const hasSession = selected !== undefined && agent !== undefined;
  const desktop = useDesktop();
  const showSession = useCallback(() => {
    setInboxShown(false);
    setListShown(false);
  }, []);
  const showInbox = () => {
    setInboxShown(true);
    setListShown(false);
  };
  const open = (ref: SessionRef) => {
    desktop.select(ref);
    showSession();
  };
  const agents = useDesktopState((state) => state.agents);
  const seen = useDesktopState((state) => state.seen);
  const inbox = useMemo(() => selectInbox(agents, seen), [agents, seen]);
  const isNarrow = useMedia(NARROW);
  const isOnScreen = !isInboxShown && !(isListShown && isNarrow);
  // Where it is the whole screen it is what the screen is about.
  const FleetPane = isNarrow ? 'main' : 'div';
  useKeptSelection(props.owner, selected);
  useSeenMarks(props.owner, isOnScreen ? selected : undefined);
  /** The session before or after this one, as the list has them. */
  const step = (by: 1 | -1) => {
    const groups = withAside(selectFleet(agents), seen).filter(({ name }) => name !== ASIDE);
    const refs = groups.flatMap(({ entries }) => entries.map(({ ref }) => ref));
    const at = refs.findIndex((ref) => sameSession(ref, selected));
    const next = refs[at < 0 ? 0 : at + by];
    if (next !== undefined) open(next);
  };
  useActions([
    // The inbox has steps of its own.
    ...(isInboxShown
      ? []
      : [
          { id: 'next', label: 'Next session', group: 'Page' as const, key: 'j', run: () => step(1) },
          { id: 'previous', label: 'Session before', group: 'Page' as const, key: 'k', run: () => step(-1) },
        ]),
    {
      id: 'inbox',
      label: isInboxShown ? 'Back from the inbox' : 'Inbox: what waits for me',
      group: 'Page',
      key: 'w',
      run: isInboxShown ? showSession : showInbox,
    },
    { id: 'add-agent', label: 'Add an agent', group: 'Page', run: () => setDialog('add-agent') },
    { id: 'usage', label: 'Usage', group: 'Page', key: 'u', run: () => setDialog('usage') },
    { id: 'archive', label: 'Search the archive', group: 'Page', key: 'f', run: () => setDialog('archive') },
    { id: 'settings', label: 'Settings', group: 'Page', key: ',', run: () => setDialog('settings') },
    ...THEMES.map((theme) => ({
      id: `theme-${theme}`,
      label: `Look: ${theme}`,
      group: 'Page' as const,
      run: () => writeLook({ theme }),
    })),
    ...DENSITIES.map((density) => ({
      id: `density-${density}`,
      label: `Rows: ${density}`,
      group: 'Page' as const,
      run: () => writeLook({ density }),
    })),
  ]);
  return (
    <div className={`workspace ${isListShown || !(hasSession || isInboxShown) ? 'list' : 'session'}`}>
      <FleetPane className="fleet-pane">
        <div className="md:hidden">{!hasSession && <SignerBanner />}</div>
        {!hasSession && (
          <div className="md:hidden">
            <RelayBanner />
          </div>
        )}
        <FleetList
          onAddAgent={() => setDialog('add-agent')}
          onSettings={() => setDialog('settings')}
          onUsage={() => setDialog('usage')}
          waiting={inbox.length}
          isInboxShown={isInboxShown}
          onInbox={showInbox}
          onSelect={open}
        />
      </FleetPane>
      <div className="session-pane">
        <Warnings />
        <SignerBanner />
        {!hasSession && <RelayBanner />}
        <div className="flex min-h-0 flex-1">
          {isInboxShown ? (
            <Inbox entries={inbox} onBack={() => setListShown(true)} onOpened={showSession} />
          ) : hasSession ? (
            <SessionView
              key={sessionKey(selected)}
              agent={agent}
              session={selected}
              onBack={() => setListShown(true)}
            />
          ) : (
            <NothingChosen onAddAgent={() => setDialog('add-agent')} />
          )}
        </div>
      </div>
      <WaitingCount waiting={inbox.length} />
      <Keyboard onSelect={showSession} />
      <Notifications onSelect={showSession} />
      <PushKeeper />
      <CalledSession onOpen={open} />
      {dialog === 'add-agent' && <AddAgent onClose={() => setDialog(undefined)} />}
      {dialog === 'usage' && <UsageDialog onClose={() => setDialog(undefined)} />}
      {dialog === 'archive' && <ArchiveSearch onClose={() => setDialog(undefined)} onOpened={showSession} />}
      {dialog === 'settings' && <Settings onClose={() => setDialog(undefined)} />}
    </div>
  );
}

/** No session to show: what there is instead, and what to do. */
function NothingChosen(props: { readonly onAddAgent: () => void }) {
  const hasAgents = useDesktopState((state) => state.agents.some((agent) => !agent.revoked));
  const hasRelay = useDesktopState((state) => state.relays.length > 0);
  return (
    <main
      className="grid min-h-0 flex-1 place-items-center overflow-y-auto bg-surface p-6"
      data-testid="nothing-chosen"
    >
      <div className="max-w-md">
        <BrandMark size={32} />
        {hasAgents ? (
          <>
            <h1 className="mt-4 mb-1.5 text-xl font-semibold tracking-[-0.015em]">No session yet</h1>
            <p className="text-l text-ink-2">
              Your agents are known, and none has reported a session. They appear here by themselves as soon as their
              harness runs and answers.
            </p>
          </>
        ) : (
          <>
            <h1 className="mt-4 mb-1.5 text-xl font-semibold tracking-[-0.015em]">No agent yet</h1>
            <p className="text-l text-ink-2">
              {hasRelay
                ? 'Make an invite, take it to the machine where the agent lives, and run one command there. Its session appears here while it happens.'
                : 'First a place to meet: start a relay with heliograph relay, then this desktop with --relay and its address.'}
            </p>
            <button type="button" className="btn go mt-5" onClick={props.onAddAgent}>
              <Plus size={14} strokeWidth={1.8} aria-hidden="true" />
              Add an agent
            </button>
          </>
        )}
      </div>
    </main>
  );
}
