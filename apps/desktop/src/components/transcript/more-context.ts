import { createContext, useContext } from 'react';

/** Asks for more of what is missing before an item; undefined outside a conversation. */
export const MoreContext = createContext<
  ((before: { readonly turnId: string; readonly itemId: string }) => void) | undefined
>(undefined);

export const useMore = () => useContext(MoreContext);
