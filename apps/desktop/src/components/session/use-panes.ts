import type { SeqRange } from '@heliograph/transcript';
import { type RefObject, useCallback, useRef, useState } from 'react';
import type { RawRailHandle } from '../rail/RawRail.tsx';
import type { TranscriptListHandle } from '../transcript/TranscriptList.tsx';

/** Widths at which lines stand beside the transcript; below, they cover it. */
const WIDE = '(min-width: 70rem)';

/** The two things a session is read in: what was made of its lines, and the lines. */
export interface Panes {
  readonly list: RefObject<TranscriptListHandle | null>;
  readonly rail: RefObject<RawRailHandle | null>;
  readonly isRailOpen: boolean;
  readonly setRailOpen: (isOpen: boolean) => void;
  /** Opens the lines and marks these; the same function for as long as the session is shown. */
  readonly showLines: (refs: readonly SeqRange[]) => void;
  readonly findLines: () => void;
  /** Nothing happens for −1. */
  readonly showRow: (at: number) => void;
}

export function usePanes(): Panes {
  const list = useRef<TranscriptListHandle>(null);
  const rail = useRef<RawRailHandle>(null);
  const [isRailOpen, setRailOpen] = useState(() => matchMedia(WIDE).matches);
  /** The rail may only come into being with what asks for it. */
  const withRail = useCallback((act: (rail: RawRailHandle) => void) => {
    setRailOpen(true);
    requestAnimationFrame(() => rail.current !== null && act(rail.current));
  }, []);
  return {
    list,
    rail,
    isRailOpen,
    setRailOpen,
    showLines: useCallback((refs) => withRail((opened) => opened.show(refs)), [withRail]),
    findLines: () => withRail((opened) => opened.find()),
    showRow(at) {
      if (at < 0) return;
      if (!matchMedia(WIDE).matches) setRailOpen(false);
      list.current?.showRow(at);
    },
  };
}
