import { createContext, useContext } from 'react';

/** What is looked for, in the one item that was jumped to. */
export interface FoundHere {
  readonly needle: string;
  readonly itemId: string;
}

/** Set around the row that was jumped to: what is folded in it opens, what is cut shows the place. */
export const FoundHereContext = createContext<FoundHere | undefined>(undefined);

/** What was found in the item around; undefined in every other. */
export const useFoundHere = () => useContext(FoundHereContext);
