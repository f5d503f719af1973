import { type Clock, createRelayClient, type OpenSocket, type RelayClient, type RelayState } from '@heliograph/client';
import {
  type AuthTag,
  type Crypto,
  FIRST_PREV,
  type FrameRoute,
  type Signer,
  type StreamHead,
  type StreamOpened,
  signFrame,
  type TelemetryGap,
  type VerifiedEvent,
} from '@heliograph/wire';
import type { Log } from '../log.ts';
import { HeadsTeller } from './heads.ts';
import { LossLedger } from './loss-ledger.ts';
import { type Emitted, type EventBody, ObserverBus, type Place } from './observer-bus.ts';
import { RelayPublisher } from './relay-publisher.ts';
import { Replays } from './replays.ts';
import type { Lane, SealedEnvelope, SeqSpan } from './sealed-envelope.ts';
import { Sealer } from './sealer.ts';
import { SignedFrames } from './signed-frames.ts';
import type { Spool, SpoolEntry, SpoolPort } from './spool.ts';

export interface MirrorOptions {
  readonly run: string;
  readonly owner: string;
  readonly relays: readonly string[];
  readonly budgetBytes: number;
  /** Where envelopes are kept. */
  readonly makeSpool: (port: SpoolPort) => Spool;
  readonly signer: Signer;
  readonly authTag?: () => AuthTag | undefined;
  readonly openSocket: OpenSocket;
  readonly relaySilenceMs?: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly crypto: Crypto;
  readonly log: Log;
  /** A relay is connected and takes frames; again after every reconnect. */
  readonly onRelayReady?: (client: RelayClient) => void;
  /** Whatever becomes of a connection, for who shares it. */
  readonly onRelayState?: (url: string, state: RelayState) => void;
  /** Every event that is told, as it is. */
  readonly onTold?: (stream: string, body: EventBody) => void;
}

/** Plaintext that waits to be sealed: above, no more lines are taken in. */
const MAX_WAITING_BYTES = 4 * 1_024 * 1_024;
/** What a crash may cost (HA112); a disk or processor that is slower is told of, once in a minute at most. */
const MAX_LAG_MS = 50;
/** On a busy machine some hundreds of ms are nothing to look at a log for. */
const BAD_LAG_MS = 1_000;
const TELL_LAG_MS = 60_000;
/** Re-sends at once; each is bounded by what the spool holds. */
const MAX_REPLAYS = 64;

/** Everything between "this happened" and the relays: number, seal, keep, send, and send again. */
export class Mirror {
  readonly #options: MirrorOptions;
  readonly #bus: ObserverBus;
  readonly #sealer: Sealer;
  readonly #spool: Spool;
  readonly #losses = new LossLedger();
  readonly #heads: HeadsTeller;
  readonly #replays = new Replays();
  readonly #publishers: readonly RelayPublisher<SpoolEntry>[];
  readonly #route: FrameRoute;
  readonly #signed = new SignedFrames();
  #whenSettled = () => {};
  #ending: Promise<unknown> = Promise.resolve();
  #isClosing = false;
  #toldLagMs = Number.NEGATIVE_INFINITY;

  constructor(options: MirrorOptions) {
    const { run, owner, budgetBytes, signer, clock, crypto } = options;
    this.#options = options;
    this.#route = { frame: 'telemetry', agent: signer.publicKey, owner };
    this.#heads = new HeadsTeller(clock, (streams) => this.#emitToHarness('heads', { streams }));
    this.#sealer = new Sealer({
      budgetBytes,
      clock,
      crypto,
      signer,
      route: this.#route,
      isQuiet: () => this.#isQuiet(),
      room: () => this.#spool.room(),
      onSealed: (envelope, lane) => this.#sealed(envelope, lane),
      onLost: (span, reason, hash) => this.#lost(span, reason, hash),
    });
    this.#bus = new ObserverBus({
      run,
      budgetBytes,
      clock,
      crypto,
      sink: (event, sinceMs) => this.#sealer.accept(event, sinceMs),
    });
    this.#spool = options.makeSpool({
      onLost: (span, hash) => this.#lost(span, 'spool_full', hash),
      onGone: (entry) => this.#gone(entry),
      onWritten: (lagMs) => this.#written(lagMs),
      onDisk: (error) => this.#diskChanged(error),
    });
    const ofEarlierRuns = this.#spool.unsent();
    this.#publishers = options.relays.map((url) => this.#publisher(url));
    for (const entry of ofEarlierRuns) for (const publisher of this.#publishers) publisher.offer(entry, 'live');
    this.#bus.open(run, null);
  }

  get clients(): readonly RelayClient[] {
    return this.#publishers.map(({ client }) => client);
  }

  /** Whether lines should wait until what was emitted is sealed. */
  get isBehind(): boolean {
    return this.#sealer.waitingBytes > MAX_WAITING_BYTES;
  }

  /** A time that every event emitted from now on is later than. */
  now(): string {
    return this.#bus.now();
  }

  /** Opens a channel's stream: its first event tells of it. */
  open(stream: string, channelId: string, continues?: StreamOpened['continues']): Emitted {
    return this.#bus.open(stream, channelId, continues);
  }

  /** Nothing follows a stream's end: what comes later, of an agent that is gone, is told nobody. */
  emit(place: Place, body: EventBody): Emitted {
    if (this.#isClosing || !this.#bus.isOpen(place.stream))
      return { stream: place.stream, firstSeq: 0, lastSeq: 0, timestamp: this.now(), whole: false };
    this.#options.onTold?.(place.stream, body);
    return this.#bus.emit(place, body);
  }

  /** Emits an event that overtakes all others; with it go the envelopes from `fromSeq` of its stream on. */
  emitUrgent(place: Place, body: EventBody, fromSeq?: number): Emitted {
    const emitted = this.emit(place, body);
    if (emitted.firstSeq > 0)
      this.#sealer.hurry(place.stream, emitted.lastSeq, Math.min(fromSeq ?? emitted.firstSeq, emitted.firstSeq));
    return emitted;
  }

  /** A stream's newest envelope. */
  head(stream: string): StreamHead | undefined {
    return this.#sealer.head(stream);
  }

  /** The newest seq of a stream: given out in this run, or kept of an earlier one. */
  lastSeq(stream: string): number {
    return this.#bus.lastSeq(stream) || (this.#spool.last(stream)?.lastSeq ?? 0);
  }

  /** The newest kept envelope of a stream, of earlier runs too. */
  lastKept(stream: string): StreamHead | undefined {
    const last = this.#spool.last(stream);
    return last === undefined ? undefined : { stream, seq: last.lastSeq, hash: last.hash };
  }

  /** Keeps these seqs in the spool until the returned function is called. */
  pin(span: SeqSpan): () => void {
    return this.#spool.pin(span);
  }

  /** Seals everything emitted until now, what is missing included. */
  async settle(): Promise<void> {
    this.#tellLosses(true);
    await this.#sealer.flush();
  }

  /** Kept envelopes that reach into fromSeq…toSeq, in order. */
  kept(stream: string, fromSeq: number, toSeq: number): readonly SpoolEntry[] {
    return this.#spool.range(stream, fromSeq, toSeq);
  }

  /** Sends kept envelopes again, below everything else; false when too much of that is under way. */
  replay(entries: readonly SpoolEntry[], done: () => void): boolean {
    if (this.#replays.size >= MAX_REPLAYS) return false;
    this.#replays.start(entries, done);
    for (const entry of entries) {
      this.#signed.forget(entry);
      for (const publisher of this.#publishers) publisher.offer(entry, 'replay');
    }
    return true;
  }

  /** Ends one stream with its `stream_closed`, once everything before it is sealed, and forgets it: of it there is only what the spool has. */
  end(place: Place): Promise<void> {
    this.#tellLosses(true);
    const ended = this.#closeStream(place).then(() => {
      this.#sealer.forget(place.stream);
      this.#heads.forget(place.stream);
    });
    this.#ending = Promise.all([this.#ending, ended]);
    return ended;
  }

  /**
   * Ends every stream with its `stream_closed`, then gives the relays up to `timeoutMs` to take what is left. What happens
   * from now on is told nobody: a stream's end is its end.
   */
  async close(streams: readonly Place[], timeoutMs: number): Promise<void> {
    this.#heads.close();
    await this.#ending;
    await this.settle();
    this.#isClosing = true;
    for (const place of streams) await this.#closeStream(place);
    const heads = { streams: this.#heads.all() };
    if (heads.streams.length > 0)
      this.#bus.emit(this.#harnessPlace(), { kind: 'heads', payload: JSON.stringify(heads) });
    await this.#closeStream(this.#harnessPlace());
    await this.#drain(timeoutMs);
    for (const publisher of this.#publishers) publisher.close();
    await this.#spool.close();
  }

  async #closeStream(place: Place): Promise<void> {
    await this.#sealer.flush();
    const head = this.head(place.stream);
    const payload = JSON.stringify({ lastSeq: head?.seq ?? 0, hash: head?.hash ?? FIRST_PREV });
    const { lastSeq } = this.#bus.emit(place, { kind: 'stream_closed', payload });
    this.#bus.forget(place.stream);
    this.#sealer.hurry(place.stream, lastSeq);
    await this.#sealer.flush();
  }

  async #drain(timeoutMs: number): Promise<void> {
    const isBusy = () => this.#publishers.some((publisher) => publisher.isBusy);
    if (!isBusy()) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.setTimer(timeoutMs, resolve);
      this.#whenSettled = () => {
        if (isBusy()) return;
        cancel();
        resolve();
      };
    });
  }

  #publisher(url: string): RelayPublisher<SpoolEntry> {
    const { signer, authTag, openSocket, relaySilenceMs, clock, random, log, onRelayState } = this.#options;
    return new RelayPublisher(
      {
        clock,
        log,
        what: 'frames',
        tellsConnection: true,
        isHopeless: () => false,
        frame: (entry) => this.#frame(entry),
        onSettled: (entry, taken) => this.#settled(entry, taken),
        onState: (publisher) => this.#stateChanged(publisher),
      },
      (onState) =>
        createRelayClient({
          url,
          signer,
          ...(authTag !== undefined ? { authTag } : {}),
          openSocket,
          ...(relaySilenceMs !== undefined ? { silenceMs: relaySilenceMs } : {}),
          clock,
          random,
          onState(state) {
            onState(state);
            onRelayState?.(url, state);
          },
        }),
    );
  }

  #stateChanged(publisher: RelayPublisher<SpoolEntry>): void {
    this.#whenSettled();
    if (!publisher.isUsable) return;
    this.#options.onRelayReady?.(publisher.client);
    this.#sealer.wake();
  }

  #isQuiet(): boolean {
    return (
      this.#publishers.some((publisher) => publisher.isUsable) &&
      this.#publishers.every((publisher) => publisher.inFlight === 0)
    );
  }

  #sealed(envelope: SealedEnvelope, lane: Lane): void {
    const entry = this.#spool.append(envelope);
    for (const publisher of this.#publishers) publisher.offer(entry, lane);
    const { stream, lastSeq, hash } = envelope;
    if (stream !== this.#options.run) this.#heads.note({ stream, seq: lastSeq, hash });
    this.#tellLosses(false);
  }

  #settled(entry: SpoolEntry, taken: boolean): void {
    if (taken) this.#spool.accept(entry);
    this.#replays.settled(entry);
    this.#sealer.wake();
    this.#whenSettled();
  }

  /** The frame around an envelope: one event for all relays while it is fresh, a new one around the same ciphertext later. */
  async #frame(entry: SpoolEntry): Promise<VerifiedEvent | undefined> {
    // On disk before anybody knows of it: a restarted harness has forgotten nothing that was seen.
    await this.#spool.written(entry);
    const content = this.#spool.read(entry);
    if (content === undefined) return undefined;
    const nowSec = Math.floor(this.#options.clock.nowMs() / 1_000);
    const signed = this.#signed.get(entry, nowSec);
    if (signed !== undefined) return signed;
    const event = await signFrame(content, this.#route, this.#signed.nextSec(entry, nowSec), this.#options.signer);
    this.#signed.put(entry, event);
    return event;
  }

  #gone(entry: SpoolEntry): void {
    this.#signed.forget(entry);
    for (const publisher of this.#publishers) publisher.drop(entry);
  }

  #lost(span: SeqSpan, reason: string, lastHash: string | undefined): void {
    this.#losses.add(span, reason, lastHash, this.#bus.now());
  }

  /** Said when it matters, not as an error: nothing is lost unless something crashes now. */
  #written(lagMs: number): void {
    const nowMs = this.#options.clock.nowMs();
    if (lagMs <= MAX_LAG_MS || Math.abs(nowMs - this.#toldLagMs) < TELL_LAG_MS) return;
    this.#toldLagMs = nowMs;
    const text = `lines reach the disk ${Math.round(lagMs)} ms after they were read: a crash now would lose as much, not ${MAX_LAG_MS} ms`;
    this.#options.log[lagMs < BAD_LAG_MS ? 'info' : 'warn']({ lagMs: Math.round(lagMs) }, text);
    this.#emitToHarness('harness_note', { text });
  }

  #diskChanged(error: Error | undefined): void {
    const { log } = this.#options;
    const text =
      error === undefined
        ? 'the spool is on disk again'
        : `the spool can't be written (${error.message}): kept in memory until it can, so a restart of the harness would lose what no relay took`;
    if (error === undefined) log.info({}, text);
    else log.warn({ err: error }, text);
    this.#emitToHarness('harness_note', { text });
  }

  #tellLosses(all: boolean): void {
    for (const { stream, gaps } of this.#losses.take(this.#options.clock.nowMs(), all)) {
      if (!this.#bus.isOpen(stream)) {
        this.#tellEnded(stream, gaps);
        continue;
      }
      const place = { stream, sessionId: null, turnId: null };
      for (const gap of gaps) this.emit(place, { kind: 'observer_telemetry_gap', payload: JSON.stringify(gap) });
    }
  }

  /** A stream that has ended takes no gap any more: what of it no relay took is told beside it, and to whoever asks for it. */
  #tellEnded(stream: string, gaps: readonly TelemetryGap[]): void {
    const count = gaps.reduce((sum, { droppedEvents }) => sum + droppedEvents, 0);
    const [first, last] = [gaps[0]?.firstSeq, gaps.at(-1)?.lastSeq];
    const text = `${count} events of the ended stream ${stream}, of ${first} to ${last}, were dropped before any relay took them`;
    this.#options.log.warn({ stream, gaps }, text);
    this.#emitToHarness('harness_note', { text });
  }

  #harnessPlace(): Place {
    return { stream: this.#options.run, sessionId: null, turnId: null };
  }

  #emitToHarness(kind: string, payload: object): void {
    this.emit(this.#harnessPlace(), { kind, payload: JSON.stringify(payload) });
  }
}
