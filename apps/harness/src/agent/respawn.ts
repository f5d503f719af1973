const WINDOW_MS = 60_000;
/** How long to wait after the first, second, … crash within the window; after more than that the agent rests. */
const BACK_OFF_MS = [0, 1_000];

/**
 * How long an agent that has just crashed is left alone. `crashesMs`: when it crashed, the last one included. Pure.
 * The third crash within a minute opens the breaker for `restMs`.
 */
export function respawnDelayMs(crashesMs: readonly number[], nowMs: number, restMs: number): number {
  const recent = crashesMs.filter((atMs) => Math.abs(nowMs - atMs) < WINDOW_MS).length;
  return recent === 0 ? 0 : (BACK_OFF_MS[recent - 1] ?? restMs);
}
