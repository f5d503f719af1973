import { type RefObject, useEffect } from 'react';
import type { Row } from '../../store/rows.ts';
import { type SessionRef, sameSession } from '../../store/session-ref.ts';
import type { TranscriptListHandle } from '../transcript/TranscriptList.tsx';
import { useDesktop, useDesktopState } from '../use-desktop.ts';

/** Brings the item into view that somebody came to this session for, once. */
export function useReveal(
  session: SessionRef,
  rows: readonly Row[],
  list: RefObject<TranscriptListHandle | null>,
): void {
  const desktop = useDesktop();
  const reveal = useDesktopState((state) => state.reveal);
  useEffect(() => {
    if (reveal === undefined || !sameSession(reveal.ref, session)) return undefined;
    const at = rows.findLastIndex((row) => row.type === 'item' && row.item.id === reveal.itemId);
    // After the list has followed to its end, which it does when it opens.
    const frame = requestAnimationFrame(() => {
      if (at >= 0) list.current?.showRow(at);
      desktop.reveal(undefined);
    });
    return () => cancelAnimationFrame(frame);
  }, [desktop, reveal, session, rows, list]);
}
