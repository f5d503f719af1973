import type { Clock, PublishError, RelayClient, RelayState } from '@heliograph/client';
import type { VerifiedEvent } from '@heliograph/wire';
import type { Log } from '../log.ts';
import { type Answer, PublishQueue } from './publish-queue.ts';
import type { Lane } from './sealed-envelope.ts';
import type { SpoolEntry } from './spool.ts';

/** What a publisher needs of the rest of the mirror. */
export interface PublisherPort {
  readonly clock: Clock;
  readonly log: Log;
  /** The frame to send now, undefined when its envelope is gone. A replayed one is always signed anew. */
  frame(entry: SpoolEntry): Promise<VerifiedEvent | undefined>;
  /** A frame left this relay's queue; `taken` when the relay said OK. */
  onSettled(entry: SpoolEntry, taken: boolean): void;
  onState(publisher: RelayPublisher): void;
}

const PUBLISH_TIMEOUT_MS = 10_000;

/** One relay: its connection, and the envelopes on their way to it at the pace and in the order its queue says. */
export class RelayPublisher {
  readonly client: RelayClient;
  readonly #port: PublisherPort;
  readonly #queue = new PublishQueue<SpoolEntry>();
  #phase: RelayState['phase'] = 'connecting';
  #cancelTimer = () => {};
  #told = '';
  #toldState = '';

  constructor(port: PublisherPort, connect: (onState: (state: RelayState) => void) => RelayClient) {
    this.#port = port;
    this.client = connect((state) => this.#stateChanged(state));
  }

  /** Connected, and the relay takes frames. */
  get isUsable(): boolean {
    return this.#phase === 'ready' && this.#queue.hindrance === undefined;
  }

  /** Frames without an answer. */
  get inFlight(): number {
    return this.#queue.inFlight;
  }

  /** Whether waiting longer would bring something: frames are left, and the relay may still take them. */
  get isBusy(): boolean {
    return this.#queue.size > 0 && this.#phase !== 'waiting' && this.#queue.hindrance === undefined;
  }

  offer(entry: SpoolEntry, lane: Lane): void {
    this.#queue.offer(entry, lane);
    this.#pump();
  }

  /** The entry left the spool: nothing is left to send. */
  drop(entry: SpoolEntry): void {
    if (this.#queue.drop(entry)) this.#port.onSettled(entry, false);
  }

  close(): void {
    this.#cancelTimer();
    this.client.close();
  }

  #stateChanged({ phase, reason }: RelayState): void {
    // Authenticated anew on the same connection: what holds it back still does.
    if (phase === 'ready' && this.#phase === 'ready') return;
    this.#phase = phase;
    const relay = this.client?.url;
    if (phase === 'ready') {
      this.#toldState = '';
      this.#queue.reconnected();
      this.#port.log.info({ relay }, 'connected to the relay');
      // A microtask later: the first state may come before the constructor is done.
      queueMicrotask(() => this.#pump());
    } else if (phase === 'waiting' && reason !== this.#toldState) {
      this.#toldState = reason ?? '';
      this.#port.log.warn({ relay, reason }, 'not connected to the relay: trying again until it answers');
    }
    this.#port.onState(this);
  }

  #pump(): void {
    this.#cancelTimer();
    const { clock } = this.#port;
    if (this.#phase !== 'ready') return;
    for (;;) {
      const entry = this.#queue.next(clock.nowMs());
      if (entry === undefined) break;
      void this.#send(entry);
    }
    const wakeAtMs = this.#queue.wakeAtMs(clock.nowMs());
    if (wakeAtMs === undefined) return;
    this.#cancelTimer = clock.setTimer(Math.max(0, wakeAtMs - clock.nowMs()), () => this.#pump());
  }

  async #send(entry: SpoolEntry): Promise<void> {
    const answer = await this.#ask(entry);
    const fate = this.#queue.settle(entry, answer, this.#port.clock.nowMs());
    this.#tell();
    if (fate === 'retired') this.#port.onSettled(entry, answer === 'taken');
    this.#pump();
  }

  async #ask(entry: SpoolEntry): Promise<Answer> {
    let frame: VerifiedEvent | undefined;
    try {
      frame = await this.#port.frame(entry);
    } catch (cause) {
      const message = `the key could not sign: ${cause instanceof Error ? cause.message : 'unknown'}`;
      return { code: 'error', message } satisfies PublishError;
    }
    if (frame === undefined) return 'gone';
    const result = await this.client.publish(frame, { timeoutMs: PUBLISH_TIMEOUT_MS });
    return result.ok ? 'taken' : result.error;
  }

  /** Once per reason: a relay that stays as it is is no news. */
  #tell(): void {
    const hindrance = this.#queue.hindrance;
    const told = hindrance === undefined ? '' : `${hindrance.paused} ${hindrance.reason}`;
    if (told === this.#told) return;
    this.#told = told;
    const { log } = this.#port;
    if (hindrance === undefined) log.info({ relay: this.client.url }, 'the relay takes frames again');
    else if (hindrance.paused) {
      log.error(
        { relay: this.client.url, reason: hindrance.reason },
        'the relay takes no frames of ours: paused, tried again every 5 min',
      );
    } else log.warn({ relay: this.client.url, reason: hindrance.reason }, 'the relay took no frame: trying again');
  }
}
