import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';

/** Nearer to the end than this, a reader is at the end. */
const END_THRESHOLD_PX = 32;

/**
 * Keeps a scrolling list at its end for a reader who is there, whatever grows in it or below it, and lets everybody else
 * read in peace. Tells whether the reader is away, and how many rows there were when they left.
 */
export function useFollowEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  rowCount: number,
): { readonly leftAtCount: number | undefined; readonly toEnd: () => void } {
  const [leftAtCount, setLeftAtCount] = useState<number>();
  const toEnd = () => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  };
  const keepEnd = useEffectEvent(() => {
    if (leftAtCount === undefined) toEnd();
  });
  const noteScroll = useEffectEvent(() => {
    const element = scroller.current;
    if (element === null) return;
    const isAway = element.scrollHeight - element.scrollTop - element.clientHeight > END_THRESHOLD_PX;
    setLeftAtCount((left) => (isAway ? (left ?? rowCount) : undefined));
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
  return { leftAtCount, toEnd };
}
