/** Speeds a replay can be played at. */
export const REPLAY_SPEEDS = [1, 2, 4, 8, 16, 32] as const;
/** Silence longer than this is cut to it: nobody watches an agent think for an hour. */
export const MAX_PAUSE_MS = 1_500;

/** How long a replay waits between two steps that were `gapMs` apart, at speed 1. */
export function pauseMs(gapMs: number): number {
  return Math.max(0, Math.min(MAX_PAUSE_MS, gapMs));
}
