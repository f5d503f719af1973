import type { Clock } from '@heliograph/client';

/** What a turn may take. 0 means without end. */
export interface TurnLimitsMs {
  /** Without a byte from the agent. */
  readonly idleMs: number;
  /** In all. */
  readonly turnMs: number;
}

export interface TurnLimitsPort extends TurnLimitsMs {
  readonly clock: Clock;
  /** Bytes the agent has written so far. */
  bytesRead(): number;
  /** Whether somebody else is to act: then neither limit runs. */
  isWaiting(): boolean;
  expired(outcome: 'idle_timeout' | 'hard_timeout'): void;
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
  #cancelTimer = () => {};

  constructor(port: TurnLimitsPort) {
    this.#port = port;
    this.#bytesSeen = port.bytesRead();
    const limits = [port.idleMs, port.turnMs].filter((ms) => ms > 0);
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
    const { idleMs, turnMs, expired } = this.#port;
    const bytes = this.#port.bytesRead();
    const isWaiting = this.#port.isWaiting();
    this.#silentMs = isWaiting || bytes !== this.#bytesSeen ? 0 : this.#silentMs + this.#tickMs;
    this.#bytesSeen = bytes;
    if (!isWaiting) this.#spentMs += this.#tickMs;
    if (turnMs > 0 && this.#spentMs >= turnMs) expired('hard_timeout');
    else if (idleMs > 0 && this.#silentMs >= idleMs) expired('idle_timeout');
    else this.#tickLater();
  }
}
