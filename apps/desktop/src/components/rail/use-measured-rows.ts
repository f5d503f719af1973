import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffectEvent, useLayoutEffect, useState } from 'react';

/**
 * Tells a virtual list how tall its rows are, where an element of it is shown other rows than it came into being for:
 * `data-index` says which. Returns the ref of each row.
 */
export function useMeasuredRows(
  content: RefObject<HTMLElement | null>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): (row: HTMLElement | null) => (() => void) | undefined {
  const measure = useEffectEvent(() => {
    const rows = [...(content.current?.children ?? [])] as HTMLElement[];
    // All are read before anything moves: the page is laid out once.
    const sizes = rows.map((row) => [Number(row.dataset.index), row.offsetHeight] as const);
    for (const [index, size] of sizes)
      if (size > 0 && virtualizer.measurementsCache[index]?.size !== size) virtualizer.resizeItem(index, size);
  });
  useLayoutEffect(() => measure());
  const [observer] = useState(() => new ResizeObserver(() => measure()));
  const [observe] = useState(() => (row: HTMLElement | null) => {
    if (row === null) return undefined;
    observer.observe(row);
    return () => observer.unobserve(row);
  });
  return observe;
}
