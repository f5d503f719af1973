import { useSyncExternalStore } from 'react';

/** One timer for every age on the screen; it runs only while one is shown. */
function createTicker(periodMs: number) {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    subscribe(listener: () => void) {
      if (listeners.size === 0) now = Date.now();
      listeners.add(listener);
      timer ??= setInterval(() => {
        now = Date.now();
        for (const tell of listeners) tell();
      }, periodMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    read: () => now,
  };
}

const ticker = createTicker(1_000);

/** The time in ms, renewed every second. */
export function useNow(): number {
  return useSyncExternalStore(ticker.subscribe, ticker.read);
}
