import { createContext, useContext } from 'react';

/** Asks for more of what is missing before an item; undefined where there is no way to it, as in a past. */
export const MoreContext = createContext<
  ((before: { readonly turnId: string; readonly itemId: string }) => void) | undefined
>(undefined);

export const useMore = () => useContext(MoreContext);
