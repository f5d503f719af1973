import type { VerifyEffect } from '@heliograph/relay';
import { beginVerification, type Crypto, type EventError, type Result, type VerifiedEvent } from '@heliograph/wire';
import type { VerifyPool } from './verify-pool.ts';

type Outcome = Result<VerifiedEvent, EventError>;

/** Whom a line serves: one connection. */
export interface VerifyLineOptions {
  readonly pool: Pick<VerifyPool, 'check'>;
  readonly crypto: Pick<Crypto, 'sha256'>;
  /** Has a message handled; it may come back through `verify`. */
  readonly take: (text: string) => void;
  /** Has a checked event dealt with, which came at `sinceMs` (of `performance.now`). */
  readonly settle: (request: VerifyEffect, result: Outcome, sinceMs: number) => void;
  /** Reads no more from the connection, or goes on. */
  readonly pause: () => void;
  readonly resume: () => void;
}

interface Unsettled {
  readonly request: VerifyEffect;
  readonly length: number;
  readonly sinceMs: number;
  result: Outcome | undefined;
}

/** Text of one connection that may wait for signatures; above, nothing more is read from it until half is done. */
const MAX_WAITING = 1024 * 1024;

/**
 * One connection's messages while its signatures are checked elsewhere. Its events go ahead side by side and are settled
 * in the order they came; whatever else it says waits until they are, so that it means what it would have meant.
 */
export class VerifyLine {
  readonly #options: VerifyLineOptions;
  readonly #unsettled: Unsettled[] = [];
  readonly #held: string[] = [];
  #waiting = 0;
  #isPaused = false;
  /** Length of the message that is being taken. */
  #taking = 0;

  constructor(options: VerifyLineOptions) {
    this.#options = options;
  }

  /** A message came: it is taken now, or behind what it must wait for. */
  receive(text: string): void {
    if (this.#held.length === 0 && this.#mayPass(text)) this.#take(text);
    else {
      this.#held.push(text);
      this.#waiting += text.length;
    }
    this.#regulate();
  }

  /** Has an event's signature checked; the answer comes behind those of the events before it. */
  verify(request: VerifyEffect): void {
    const { pool, crypto } = this.#options;
    const pending = beginVerification(request.event, crypto);
    const entry: Unsettled = {
      request,
      length: this.#taking,
      sinceMs: performance.now(),
      result: pending.ok ? undefined : pending,
    };
    this.#unsettled.push(entry);
    this.#waiting += entry.length;
    if (pending.ok) {
      pool.check(pending.value, (holds) => {
        entry.result = pending.value.settle(holds);
        this.#advance();
      });
    } else this.#settleReady();
  }

  #advance(): void {
    this.#settleReady();
    for (let next = this.#held[0]; next !== undefined && this.#mayPass(next); next = this.#held[0]) {
      this.#held.shift();
      this.#waiting -= next.length;
      this.#take(next);
    }
    this.#regulate();
  }

  #settleReady(): void {
    for (let first = this.#unsettled[0]; first?.result !== undefined; first = this.#unsettled[0]) {
      this.#unsettled.shift();
      this.#waiting -= first.length;
      this.#options.settle(first.request, first.result, first.sinceMs);
    }
  }

  #take(text: string): void {
    this.#taking = text.length;
    this.#options.take(text);
  }

  #mayPass(text: string): boolean {
    return this.#unsettled.length === 0 || text.startsWith('["EVENT",');
  }

  #regulate(): void {
    if (!this.#isPaused && this.#waiting > MAX_WAITING) {
      this.#isPaused = true;
      this.#options.pause();
    } else if (this.#isPaused && this.#waiting <= MAX_WAITING / 2) {
      this.#isPaused = false;
      this.#options.resume();
    }
  }
}
