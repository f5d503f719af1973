import type { Clock } from '@heliograph/client';

/** A backward step of the wall clock from here on is told. */
const TOLD_STEP_MS = 60_000;

/** RFC 3339 times with 6 fraction digits that strictly increase, whatever the wall clock does (HA2). */
export class Timestamps {
  readonly #clock: Clock;
  #lastUs = 0;
  #lastWallMs = 0;
  #second = -1;
  #prefix = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time `atMs`, or the next one that was not given out yet. */
  next(atMs = this.#clock.nowMs()): string {
    const us = Math.max(Math.floor(atMs) * 1_000, this.#lastUs + 1);
    this.#lastUs = us;
    const second = Math.floor(us / 1_000_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#prefix = new Date(second * 1_000).toISOString().slice(0, 19);
    }
    return `${this.#prefix}.${String(us % 1_000_000).padStart(6, '0')}Z`;
  }

  /** How far the wall clock went back since it was last asked, in ms (negative); undefined for no or a small step. */
  takeStep(): number | undefined {
    const nowMs = this.#clock.nowMs();
    const stepMs = nowMs - this.#lastWallMs;
    this.#lastWallMs = nowMs;
    return stepMs <= -TOLD_STEP_MS ? stepMs : undefined;
  }
}
