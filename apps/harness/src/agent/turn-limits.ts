import type { Clock } from '@heliograph/client';

/** What a turn may take. 0 means without end. */
export interface TurnLimitsMs {
  /** Without a byte from the agent. */
  readonly idleMs: number;
  /** In all. */
  readonly turnMs: number;
  /** Without a byte from the agent until it is asked why. */
  readonly quietMs: number;
}

export interface TurnLimitsPort extends TurnLimitsMs {
  readonly clock: Clock;
  /** Bytes the agent has written so far. */
  bytesRead(): number;
  /** Whether somebody else is to act: then neither limit runs. */
  isWaiting(): boolean;
  expired(outcome: 'idle_timeout' | 'hard_timeout'): void;
  /** At every tick before which the agent wrote something. */
  heard(): void;
  /** At every tick from `quietMs` of silence on, until it says that it need not be asked again. */
  quiet(): boolean;
}

/** How finely a limit is measured: it may come late by this part of it. */
const TICKS = 20;

/**
 * The limits of one open turn. Time is counted in ticks that passed, not read off a clock: a clock that is set, or a machine
 * that slept, ends nobody's turn.
 */
export class TurnLimits {
  readonly #port: TurnLimitsPort;
  readonly #tickMs: number;
  #bytesSeen: number;
  #silentMs = 0;
  #spentMs = 0;
  #isSettled = false;
  #cancelTimer = () => {};

  constructor(port: TurnLimitsPort) {
    this.#port = port;
    this.#bytesSeen = port.bytesRead();
    const limits = [port.idleMs, port.turnMs, port.quietMs].filter((ms) => ms > 0);
    this.#tickMs = Math.min(...limits) / TICKS;
    if (limits.length > 0) this.#tickLater();
  }

  stop(): void {
    this.#cancelTimer();
  }

  #tickLater(): void {
    this.#cancelTimer = this.#port.clock.setTimer(this.#tickMs, () => this.#tick());
  }

  #tick(): void {
    const { idleMs, turnMs, quietMs, expired } = this.#port;
    const bytes = this.#port.bytesRead();
    const isWaiting = this.#port.isWaiting();
    const wasHeard = bytes !== this.#bytesSeen;
    this.#silentMs = isWaiting || wasHeard ? 0 : this.#silentMs + this.#tickMs;
    if (wasHeard) this.#port.heard();
    if (quietMs > 0 && this.#silentMs >= quietMs && !this.#isSettled) this.#isSettled = this.#port.quiet();
    this.#bytesSeen = bytes;
    if (!isWaiting) this.#spentMs += this.#tickMs;
    if (turnMs > 0 && this.#spentMs >= turnMs) expired('hard_timeout');
    else if (idleMs > 0 && this.#silentMs >= idleMs) expired('idle_timeout');
    else this.#tickLater();
  }
}
