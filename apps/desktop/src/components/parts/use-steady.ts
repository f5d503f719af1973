import { useCallback, useLayoutEffect, useRef } from 'react';

/** The same function for as long as the component is there, doing what the one of the last render does: who gets it is not drawn again for it. */
export function useSteady<Args extends readonly unknown[], Result>(
  act: (...args: Args) => Result,
): (...args: Args) => Result {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
