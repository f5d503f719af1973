import type { Clock } from '@heliograph/client';
import type { StreamHead, TurnCompleted, TurnError, TurnStarted } from '@heliograph/wire';
import type { Emitted, EventBody, Place } from '../mirror/observer-bus.ts';

export interface TurnPort {
  readonly clock: Clock;
  readonly livenessMs: number;
  /** A time that every later event is later than. */
  now(): string;
  emit(place: Place, body: EventBody): Emitted;
  head(stream: string): StreamHead | undefined;
  /** Age of the agent's last byte. */
  lastByteAgeMs(): number;
}

/** One prompt and its answer: begins with `turn_started`, tells that it lives, ends with exactly one `turn_completed`. */
export class Turn {
  readonly turnId: string;
  readonly place: Place;
  readonly startedMs: number;
  readonly firstSeq: number;
  readonly #port: TurnPort;
  #cancelTimer = () => {};
  #isOpen = true;

  constructor(
    port: TurnPort,
    turnId: string,
    where: { readonly stream: string; readonly sessionId: string | null },
    started: TurnStarted,
  ) {
    this.#port = port;
    this.turnId = turnId;
    this.startedMs = port.clock.nowMs();
    this.place = { ...where, turnId, startedAt: port.now() };
    this.firstSeq = this.#emit('turn_started', started).firstSeq;
    this.#liveLater();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Tells what went wrong; does not end the turn. */
  fail(error: TurnError): void {
    if (this.#isOpen) this.#emit('turn_error', error);
  }

  /** Ends the turn, once; returns where that stands, undefined when it had ended. */
  complete(completed: TurnCompleted): Emitted | undefined {
    if (!this.#isOpen) return undefined;
    this.#isOpen = false;
    this.#cancelTimer();
    return this.#emit('turn_completed', completed);
  }

  #liveLater(): void {
    this.#cancelTimer = this.#port.clock.setTimer(this.#port.livenessMs, () => {
      const head = this.#port.head(this.place.stream) ?? null;
      this.#emit('turn_liveness', { head, lastAgentByteAgeMs: this.#port.lastByteAgeMs() });
      this.#liveLater();
    });
  }

  #emit(kind: string, payload: object): Emitted {
    return this.#port.emit(this.place, { kind, payload: JSON.stringify(payload) });
  }
}
