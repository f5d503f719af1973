import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Calls } from '../installed/calls.ts';
import { usePageDevice } from '../installed/page-device.ts';
import { calledSession } from '../store/called-session.ts';
import { selectFleet } from '../store/fleet.ts';
import type { SessionRef } from '../store/session-ref.ts';
import { useDesktopState } from './use-desktop.ts';

/** Brings the owner to the session they were called for, as soon as it is known. Draws nothing. */
export function CalledSession(props: { readonly onOpen: (ref: SessionRef) => void }) {
  const calls = usePageDevice()?.calls;
  return calls === undefined ? null : <Answer calls={calls} onOpen={props.onOpen} />;
}

function Answer({ calls, onOpen }: { readonly calls: Calls; readonly onOpen: (ref: SessionRef) => void }) {
  const call = useSyncExternalStore(
    (listener) => calls.subscribe(listener),
    () => calls.newest,
  );
  const agents = useDesktopState((state) => state.agents);
  const entry = useMemo(
    () => (call === undefined ? undefined : calledSession(selectFleet(agents), call)),
    [agents, call],
  );
  const isKnown = agents.some(({ publicKey, presence }) => publicKey === call?.agent && presence?.harness === 'live');
  useEffect(() => {
    // Before its harness has said how things are, which session asks is not known.
    if (entry === undefined || !isKnown) return;
    calls.answered();
    onOpen(entry.ref);
  }, [calls, entry, isKnown, onOpen]);
  return null;
}
