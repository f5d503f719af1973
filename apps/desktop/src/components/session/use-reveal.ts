import { useEffect, useEffectEvent } from 'react';
import { type SessionRef, sameSession } from '../../store/session-ref.ts';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** Brings the item into view that somebody came to this session for, once. */
export function useReveal(session: SessionRef, show: (itemId: string) => void): void {
  const desktop = useDesktop();
  const reveal = useDesktopState((state) => state.reveal);
  const showIt = useEffectEvent(show);
  useEffect(() => {
    if (reveal === undefined || !sameSession(reveal.ref, session)) return undefined;
    // After the list has followed to its end, which it does when it opens.
    const frame = requestAnimationFrame(() => {
      showIt(reveal.itemId);
      desktop.reveal(undefined);
    });
    return () => cancelAnimationFrame(frame);
  }, [desktop, reveal, session]);
}
