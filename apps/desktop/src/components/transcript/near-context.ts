import { createContext, useContext } from 'react';

/** Whether somebody points at a row or is in it: signs that only they would see are drawn for nobody else. */
export const NearContext = createContext(true);

export const useIsNear = () => useContext(NearContext);
