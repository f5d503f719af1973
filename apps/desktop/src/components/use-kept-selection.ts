import { useEffect } from 'react';
import { parseSessionRef, type SessionRef } from '../store/session-ref.ts';
import { useDesktop } from './use-desktop.ts';

const ENTRY = 'heliograph.selected.';
/** What has not come by then will not: its agent is silent, or it is gone. */
const WAIT_MS = 4_000;

/** Comes back after a reload of this tab to the session that was looked at, if it is still there. */
export function useKeptSelection(owner: string, selected: SessionRef | undefined): void {
  const desktop = useDesktop();
  const entry = `${ENTRY}${owner}`;
  useEffect(() => {
    desktop.want(parseSessionRef(sessionStorage.getItem(entry)));
    const timer = setTimeout(() => desktop.want(undefined), WAIT_MS);
    return () => clearTimeout(timer);
  }, [desktop, entry]);
  useEffect(() => {
    if (selected !== undefined) sessionStorage.setItem(entry, JSON.stringify(selected));
  }, [entry, selected]);
}
