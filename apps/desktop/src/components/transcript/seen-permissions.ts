import { createContext, useContext } from 'react';

/**
 * Which open permission cards are on the screen. Keys answer only what can be read, and the bar above the composer speaks
 * only of what can't.
 */
export interface SeenPermissions {
  watch(card: Element, itemId: string): () => void;
  /** The cards in view, first shown first. */
  read(): readonly string[];
  /** How long these have been the ones, ms. */
  settledMs(): number;
  subscribe(listener: () => void): () => void;
}

/** How much of a card must be in view, or of the list where it is taller: its question and its buttons, or a screenful of it. */
const VISIBLE_SHARE = 0.6;
/** How often it is looked while a card comes into view. */
const LOOKS = Array.from({ length: 21 }, (_, at) => at / 20);

export function createSeenPermissions(): SeenPermissions {
  const listeners = new Set<() => void>();
  let seen: readonly string[] = [];
  let changedAtMs = performance.now();
  const set = (next: readonly string[]) => {
    seen = next;
    changedAtMs = performance.now();
    for (const tell of listeners) tell();
  };
  return {
    watch(card, itemId) {
      const list = card.closest('[role="log"]');
      const observer = new IntersectionObserver(
        (entries) => {
          const entry = entries.at(-1);
          if (entry === undefined) return;
          const { boundingClientRect, intersectionRect, rootBounds } = entry;
          const whole = Math.min(boundingClientRect.height, rootBounds?.height ?? innerHeight);
          const isSeen = entry.isIntersecting && intersectionRect.height >= VISIBLE_SHARE * whole;
          if (isSeen !== seen.includes(itemId)) set(isSeen ? [...seen, itemId] : seen.filter((id) => id !== itemId));
        },
        { root: list, threshold: LOOKS },
      );
      observer.observe(card);
      return () => {
        observer.disconnect();
        if (seen.includes(itemId)) set(seen.filter((id) => id !== itemId));
      };
    },
    read: () => seen,
    settledMs: () => performance.now() - changedAtMs,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const NOTHING_SEEN: SeenPermissions = {
  watch: () => () => undefined,
  read: () => [],
  settledMs: () => 0,
  subscribe: () => () => undefined,
};

export const SeenPermissionsContext = createContext<SeenPermissions>(NOTHING_SEEN);

export const useSeenPermissions = () => useContext(SeenPermissionsContext);
