import type { SeqRange } from '@heliograph/transcript';
import { createContext, useContext } from 'react';

/** Shows the raw lines an item came from. Fixed for the life of a session view: nothing is drawn again by it. */
export const ShowLinesContext = createContext<(refs: readonly SeqRange[]) => void>(() => undefined);

export const useShowLines = () => useContext(ShowLinesContext);
