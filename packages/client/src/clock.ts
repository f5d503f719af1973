/** Time as an argument: milliseconds since 1970, and one-shot timers that can be called off. */
export interface Clock {
  nowMs(): number;
  /** Calls `fire` once after `delayMs`; the returned function calls it off. */
  setTimer(delayMs: number, fire: () => void): () => void;
}
