import { useEffect } from 'react';
import { selectFleet } from '../store/fleet.ts';
import { markSeen, mergeSeen, parseSeen } from '../store/seen.ts';
import { type SessionRef, sessionKey } from '../store/session-ref.ts';
import { useDesktop } from './use-desktop.ts';

const ENTRY = 'heliograph.seen.';
/** A session at work is looked at all the time: it is written down once in so long, and when the page is left. */
const WRITE_MS = 1_000;

/** Remembers on this device what of each session was looked at, for each owner apart; pages of one browser know it together. */
export function useSeenMarks(owner: string, shown: SessionRef | undefined): void {
  const desktop = useDesktop();
  const entry = `${ENTRY}${owner}`;
  useEffect(() => {
    desktop.setSeen(() => readMarks(entry) ?? { sinceMs: desktop.nowMs(), at: {} });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const write = () => {
      clearTimeout(timer);
      timer = undefined;
      const { seen } = desktop.store.getState();
      const kept = readMarks(entry);
      localStorage.setItem(entry, JSON.stringify(kept === undefined ? seen : mergeSeen(kept, seen)));
    };
    write();
    const unsubscribe = desktop.store.subscribe((state, before) => {
      if (state.seen !== before.seen) timer ??= setTimeout(write, WRITE_MS);
    });
    const onStorage = (event: StorageEvent) => {
      const others = event.key === entry ? readMarks(entry) : undefined;
      if (others !== undefined) desktop.setSeen((marks) => mergeSeen(marks, others));
    };
    const onHide = () => timer !== undefined && write();
    addEventListener('storage', onStorage);
    addEventListener('pagehide', onHide);
    document.addEventListener('visibilitychange', onHide);
    return () => {
      onHide();
      unsubscribe();
      removeEventListener('storage', onStorage);
      removeEventListener('pagehide', onHide);
      document.removeEventListener('visibilitychange', onHide);
    };
  }, [desktop, entry]);

  const key = shown === undefined ? undefined : sessionKey(shown);
  useEffect(() => {
    if (key === undefined) return undefined;
    const look = () => {
      if (document.visibilityState !== 'visible') return;
      const entries = selectFleet(desktop.store.getState().agents).flatMap((group) => group.entries);
      const newestMs = entries.find(({ ref }) => sessionKey(ref) === key)?.at;
      if (newestMs !== undefined) desktop.setSeen((marks) => markSeen(marks, key, newestMs));
    };
    look();
    // With what came and not after it was drawn: a session at work is drawn once for both.
    const unsubscribe = desktop.store.subscribe((state, before) => {
      if (state.agents !== before.agents) look();
    });
    document.addEventListener('visibilitychange', look);
    return () => {
      unsubscribe();
      document.removeEventListener('visibilitychange', look);
    };
  }, [desktop, key]);
}

function readMarks(entry: string) {
  try {
    return parseSeen(JSON.parse(localStorage.getItem(entry) ?? 'null'));
  } catch {
    return undefined;
  }
}
