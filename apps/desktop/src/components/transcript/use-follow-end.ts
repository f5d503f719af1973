import { elementScroll, type Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';

/** Nearer to the end than this, a reader is at the end. */
const END_THRESHOLD_PX = 32;
/** Browsers round what is written. */
const ROUNDING_PX = 2;

export interface FollowEnd {
  /** How many rows there were when the reader left the end; undefined while they are there. */
  readonly leftAtCount: number | undefined;
  readonly toEnd: () => void;
  /** The reader is led elsewhere; they are back at the end when they are seen there. */
  readonly leave: () => void;
  /** How the virtual list is to write its place: so that its corrections are not taken for the reader's scrolling. */
  readonly scrollToFn: (
    offset: number,
    options: { adjustments?: number; behavior?: ScrollBehavior },
    instance: Virtualizer<HTMLDivElement, Element>,
  ) => void;
}

/**
 * Keeps a scrolling list at its end for a reader who is there, whatever grows in it or below it, and lets everybody else
 * read in peace. A reader leaves by scrolling, never by what grows.
 */
export function useFollowEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  rowCount: number,
): FollowEnd {
  const [leftAtCount, setLeftAtCount] = useState<number>();
  const written = useRef(0);
  /** Known before anything is drawn for it: what grows in the same frame must not take a reader back who just left. */
  const isAtEnd = useRef(true);
  /** How tall it was when it was seen at its end: another height, and the end went away from the reader. */
  const endedAt = useRef(0);
  const toEnd = () => {
    const element = scroller.current;
    if (element === null) return;
    element.scrollTop = element.scrollHeight;
    written.current = element.scrollTop;
    endedAt.current = element.scrollHeight;
    isAtEnd.current = true;
    setLeftAtCount(undefined);
  };
  const keepEnd = useEffectEvent(() => {
    if (isAtEnd.current) toEnd();
  });
  const noteScroll = useEffectEvent(() => {
    const element = scroller.current;
    if (element === null) return;
    const isAway = element.scrollHeight - element.scrollTop - element.clientHeight > END_THRESHOLD_PX;
    if (!isAway) {
      isAtEnd.current = true;
      endedAt.current = element.scrollHeight;
      setLeftAtCount(undefined);
      return;
    }
    // What grew since is followed as soon as its size is told.
    if (isAtEnd.current && element.scrollHeight !== endedAt.current) return;
    if (Math.abs(element.scrollTop - written.current) > ROUNDING_PX) {
      isAtEnd.current = false;
      setLeftAtCount((left) => left ?? rowCount);
    }
  });
  // A list opens at its newest row.
  useLayoutEffect(() => keepEnd(), []);
  useEffect(() => {
    const [box, inner] = [scroller.current, content.current];
    if (box === null || inner === null) return undefined;
    // Captured, so that it reads before the list draws its new rows: a read after that would lay the page out twice.
    box.addEventListener('scroll', noteScroll, { passive: true, capture: true });
    // Fires after layout and before paint: the end never shows late.
    const observer = new ResizeObserver(keepEnd);
    observer.observe(box);
    observer.observe(inner);
    return () => {
      box.removeEventListener('scroll', noteScroll, { capture: true });
      observer.disconnect();
    };
  }, [scroller, content]);
  return {
    leftAtCount,
    toEnd,
    leave() {
      isAtEnd.current = false;
      setLeftAtCount((left) => left ?? rowCount);
      // Led to what is at the end, they have not left it, and nothing scrolls to say so.
      requestAnimationFrame(noteScroll);
    },
    scrollToFn(offset, options, instance) {
      elementScroll(offset, options, instance);
      written.current = scroller.current?.scrollTop ?? 0;
    },
  };
}
