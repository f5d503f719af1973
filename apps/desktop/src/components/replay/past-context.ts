import { createContext, useContext } from 'react';

/** Whether what is drawn is a session's past: nothing in it can be answered, whatever waits now. */
export const PastContext = createContext(false);

export const useIsPast = () => useContext(PastContext);
