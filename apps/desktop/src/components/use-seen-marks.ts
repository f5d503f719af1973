import { useEffect, useEffectEvent } from 'react';
import { selectFleet } from '../store/fleet.ts';
import { markSeen, mergeSeen, parseSeen } from '../store/seen.ts';
import { type SessionRef, sessionKey } from '../store/session-ref.ts';
import { useDesktop, useDesktopState } from './use-desktop.ts';

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
  const newestMs = useDesktopState((state) =>
    key === undefined
      ? undefined
      : selectFleet(state.agents)
          .flatMap(({ entries }) => entries)
          .find(({ ref }) => sessionKey(ref) === key)?.at,
  );
  const look = useEffectEvent(() => {
    if (key === undefined || newestMs === undefined || document.visibilityState !== 'visible') return;
    desktop.setSeen((marks) => markSeen(marks, key, newestMs));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at anew whenever these change
  useEffect(() => {
    look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [key, newestMs]);
}

function readMarks(entry: string) {
  try {
    return parseSeen(JSON.parse(localStorage.getItem(entry) ?? 'null'));
  } catch {
    return undefined;
  }
}
