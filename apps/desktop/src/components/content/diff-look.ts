/** How changes are shown: one below the other, or both sides beside each other. */
export type DiffLook = 'unified' | 'split';

const ENTRY = 'heliograph.diff';

/** The look chosen in this browser last. */
export function readDiffLook(): DiffLook {
  return localStorage.getItem(ENTRY) === 'split' ? 'split' : 'unified';
}

export function keepDiffLook(look: DiffLook): void {
  localStorage.setItem(ENTRY, look);
}
