import type { SeenPermissions } from '../transcript/seen-permissions.ts';

/** Which card of the inbox the keys are for, and since when. */
export interface ChosenCard {
  read(): string | undefined;
  choose(key: string): void;
  /** The one card as the keys of a permission see it: theirs alone, while it is chosen and can be read. */
  only(key: string, itemId: string, card: () => Element | null): SeenPermissions;
}

/** How much of a card, or of the window where it is taller, must be in view for a key to answer it. */
const VISIBLE_SHARE = 0.6;

export function createChosenCard(): ChosenCard {
  let chosen: string | undefined;
  let sinceMs = performance.now();
  return {
    read: () => chosen,
    choose(key) {
      if (key === chosen) return;
      chosen = key;
      sinceMs = performance.now();
    },
    only: (key, itemId, card) => ({
      watch: () => () => undefined,
      read: () => (chosen === key && isInView(card()) ? [itemId] : []),
      settledMs: () => performance.now() - sinceMs,
      subscribe: () => () => undefined,
    }),
  };
}

function isInView(card: Element | null): boolean {
  if (card === null) return false;
  const { top, bottom, height } = card.getBoundingClientRect();
  const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
  return seen >= VISIBLE_SHARE * Math.min(height, innerHeight);
}
