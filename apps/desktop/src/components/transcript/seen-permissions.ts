import { createContext, useContext, useEffect, useEffectEvent } from 'react';
import { isTyping } from '../actions/is-typing.ts';

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
/** No key answers a card before: a press meant for the one before it, or for none, is on its way for as long. */
const SETTLED_MS = 500;

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

/** Calls back for 1–9, a and d while this card is the only one on the screen, has been for a while, and nobody types. */
export function usePermissionKeys(itemId: string, choose: (key: string) => void): void {
  const seen = useSeenPermissions();
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !/^[1-9ad]$/.test(event.key)) return;
    if (isTyping(event.target)) return;
    const [only, ...others] = seen.read();
    if (only !== itemId || others.length > 0 || seen.settledMs() < SETTLED_MS) return;
    event.preventDefault();
    choose(event.key);
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
