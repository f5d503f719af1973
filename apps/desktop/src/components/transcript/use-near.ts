import { type SyntheticEvent, useState } from 'react';

/** Which of a list's rows somebody points at or is in, by their `data-index`, and what to listen to in the list to know. */
export function useNear(keyOf: (index: number) => string | undefined) {
  const [pointed, setPointed] = useState<string>();
  const [entered, setEntered] = useState<string>();
  const rowOf = ({ target }: SyntheticEvent) => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
    return row === null ? undefined : keyOf(Number(row.dataset.index));
  };
  return {
    isNear: (key: string) => key === pointed || key === entered,
    listeners: {
      onPointerOver: (event: SyntheticEvent) => setPointed(rowOf(event)),
      onPointerLeave: () => setPointed(undefined),
      onFocus: (event: SyntheticEvent) => setEntered(rowOf(event)),
      onBlur: () => setEntered(undefined),
    },
  };
}
