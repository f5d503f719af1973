import type { Clock, PublishError, RelayClient, RelayState } from '@heliograph/client';
import type { VerifiedEvent } from '@heliograph/wire';
import type { Log } from '../log.ts';
import { type Answer, PublishQueue } from './publish-queue.ts';
import type { Lane, SeqSpan } from './sealed-envelope.ts';

/** What a publisher needs of the rest of the mirror. */
export interface PublisherPort<E extends SeqSpan> {
  readonly clock: Clock;
  readonly log: Log;
  /** What it sends, in the log's words. */
  readonly what: 'frames' | 'usage reports';
  /** Whether the log is to hear of the connection from this one. */
  readonly tellsConnection: boolean;
  /** The event to send now, undefined when its entry is gone. A replayed one is always signed anew. */
  frame(entry: E): Promise<VerifiedEvent | undefined>;
  /** Whether this relay will say the same however often it is asked: the entry is left out there. */
  isHopeless(entry: E, error: PublishError): boolean;
  /** An entry left this relay's queue; `taken` when the relay said OK. */
  onSettled(entry: E, taken: boolean): void;
  onState(publisher: RelayPublisher<E>): void;
}

const PUBLISH_TIMEOUT_MS = 10_000;

/** One relay: its connection, and what is on its way to it at the pace and in the order its queue says. */
export class RelayPublisher<E extends SeqSpan> {
  readonly client: RelayClient;
  readonly #port: PublisherPort<E>;
  readonly #queue = new PublishQueue<E>();
  #phase: RelayState['phase'] = 'connecting';
  #cancelTimer = () => {};
  #told = '';
  #toldState = '';

  constructor(port: PublisherPort<E>, connect: (onState: (state: RelayState) => void) => RelayClient) {
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

  offer(entry: E, lane: Lane): void {
    this.#queue.offer(entry, lane);
    this.#pump();
  }

  /** The entry is gone: nothing is left to send. */
  drop(entry: E): void {
    if (this.#queue.drop(entry)) this.#port.onSettled(entry, false);
  }

  close(): void {
    this.stop();
    this.client.close();
  }

  /** Sends nothing any more; the connection stays as it is. */
  stop(): void {
    this.#phase = 'stopped';
    this.#cancelTimer();
  }

  #stateChanged({ phase, reason }: RelayState): void {
    // Authenticated anew on the same connection: what holds it back still does.
    if (phase === 'ready' && this.#phase === 'ready') return;
    this.#phase = phase;
    const relay = this.client?.url;
    if (phase === 'ready') {
      this.#toldState = '';
      this.#queue.reconnected();
      if (this.#port.tellsConnection) this.#port.log.info({ relay }, 'connected to the relay');
      // A microtask later: the first state may come before the constructor is done.
      queueMicrotask(() => this.#pump());
    } else if (phase === 'waiting' && reason !== this.#toldState && this.#port.tellsConnection) {
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

  async #send(entry: E): Promise<void> {
    const answer = await this.#ask(entry);
    const fate = this.#queue.settle(entry, answer, this.#port.clock.nowMs());
    this.#tell();
    if (fate === 'retired') this.#port.onSettled(entry, answer === 'taken');
    this.#pump();
  }

  async #ask(entry: E): Promise<Answer> {
    let frame: VerifiedEvent | undefined;
    try {
      frame = await this.#port.frame(entry);
    } catch (cause) {
      const message = `the key could not sign: ${cause instanceof Error ? cause.message : 'unknown'}`;
      return { code: 'error', message } satisfies PublishError;
    }
    if (frame === undefined) return 'gone';
    const result = await this.client.publish(frame, { timeoutMs: PUBLISH_TIMEOUT_MS });
    if (result.ok) return 'taken';
    return this.#port.isHopeless(entry, result.error) ? 'gone' : result.error;
  }

  /** Once per reason: a relay that stays as it is is no news. */
  #tell(): void {
    const hindrance = this.#queue.hindrance;
    const told = hindrance === undefined ? '' : `${hindrance.paused} ${hindrance.reason}`;
    if (told === this.#told) return;
    this.#told = told;
    const { log, what } = this.#port;
    if (hindrance === undefined) log.info({ relay: this.client.url }, `the relay takes ${what} again`);
    else if (hindrance.paused) {
      log.error(
        { relay: this.client.url, reason: hindrance.reason },
        `the relay takes no ${what} of ours: paused, tried again every 5 min`,
      );
    } else log.warn({ relay: this.client.url, reason: hindrance.reason }, `the relay took no ${what}: trying again`);
  }
}
