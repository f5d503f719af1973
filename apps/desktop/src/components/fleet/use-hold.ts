import { useEffect, useRef, useState } from 'react';
import type { FleetGroup } from '../../store/fleet.ts';
import { keepPlaces, type SteadyList } from '../../store/steady-order.ts';

/** Who does not move for so long has stopped reading. */
const IDLE_MS = 20_000;
/** A finger that has just left the list may come back for what it saw. */
const TOUCH_MS = 3_000;

/** Keeps every row of the list in its place while somebody is over it or in it, and lets go after that. */
export function useHold(groups: readonly FleetGroup[]): SteadyList & {
  readonly release: () => void;
  readonly on: React.HTMLAttributes<HTMLElement>;
} {
  const [kept, setKept] = useState<readonly FleetGroup[]>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const release = () => setKept(undefined);
  const holdFor = (ms: number) => {
    setKept((before) => before ?? groups);
    clearTimeout(timer.current);
    timer.current = setTimeout(release, ms);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  const list = kept === undefined ? { groups, moved: 0 } : keepPlaces(kept, groups);
  const hold = () => holdFor(IDLE_MS);
  return {
    ...list,
    release,
    on: {
      onPointerMove: hold,
      onPointerDown: hold,
      onWheel: hold,
      onKeyDown: hold,
      onPointerLeave: (event) => (event.pointerType === 'mouse' ? release() : holdFor(TOUCH_MS)),
      onFocus: (event) => event.target.matches(':focus-visible') && hold(),
      onBlur: (event) => !event.currentTarget.contains(event.relatedTarget) && release(),
    },
  };
}
