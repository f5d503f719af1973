import {
  type AuthTag,
  attest,
  type Control,
  type Crypto,
  type Envelope,
  encodeForEnvelope,
  FIRST_PREV,
  localSigner,
  type NostrEvent,
  type ObserverEvent,
  openFrame,
  packEnvelope,
  parseControl,
  type Signer,
  type Snapshot,
  sealFrame,
  sealUsage,
  type UsageReport,
  type VerifiedEvent,
  verifyEvent,
} from '@heliograph/wire';
import type { Clock } from '../clock.ts';
import type { MemoryRelay } from './memory-relay.ts';

/** A harness's wire side and nothing else: streams, envelopes, frames, and what controls it was sent. */
export class TinyAgent {
  readonly signer: Signer;
  readonly owner: string;
  readonly tag: AuthTag;
  readonly controls: Control[] = [];
  readonly #crypto: Crypto;
  readonly #relay: MemoryRelay;
  readonly #clock: Clock;
  readonly #heads = new Map<string, { seq: number; hash: string; channelId: string | null }>();
  #microseconds = 0;
  run = 'run-1';
  /** What its snapshots say of itself. */
  versions: { readonly wire?: number; readonly version?: unknown } = {};
  clockOffsetMs = 0;

  constructor(
    seed: number,
    ownerSecret: Uint8Array,
    crypto: Crypto,
    relay: MemoryRelay,
    clock: Clock,
    conditions = '',
  ) {
    const secret = new Uint8Array(32).fill(seed);
    this.signer = localSigner(secret, crypto);
    this.owner = localSigner(ownerSecret, crypto).publicKey;
    this.tag = attest(ownerSecret, this.signer.publicKey, conditions, crypto);
    this.#crypto = crypto;
    this.#relay = relay;
    this.#clock = clock;
  }

  get publicKey(): string {
    return this.signer.publicKey;
  }

  async profile(name: string): Promise<VerifiedEvent> {
    const created_at = Math.floor(this.#clock.nowMs() / 1_000);
    const tags = [this.tag, ['p', this.owner]];
    return this.signer.sign({ kind: 0, created_at, tags, content: JSON.stringify({ name, bot: true }) });
  }

  /** What a turn used, said `agoSec` ago. */
  async usage(report: UsageReport, agoSec = 0): Promise<VerifiedEvent> {
    const route = { agent: this.publicKey, owner: this.owner };
    return sealUsage(report, route, Math.floor(this.#clock.nowMs() / 1_000) - agoSec, this.signer);
  }

  /** Seals one envelope of these events; it is sent by `deliver`, now or later or never. */
  async seal(stream: string, channelId: string | null, ...bodies: readonly [kind: string, payload: unknown][]) {
    const head = this.#heads.get(stream) ?? { seq: 0, hash: FIRST_PREV, channelId };
    const events = bodies.map(([kind, payload], index): ObserverEvent & { stream: string } => ({
      seq: head.seq + 1 + index,
      timestamp: this.time(),
      kind,
      agentIndex: 0,
      channelId,
      sessionId: null,
      turnId: null,
      stream,
      payload: JSON.stringify(payload),
    }));
    const { envelope } = packEnvelope(events.map(encodeForEnvelope), 40_000, head.hash, this.#crypto);
    this.#heads.set(stream, { seq: envelope.lastSeq, hash: envelope.hash, channelId });
    return envelope;
  }

  time(): string {
    const micro = String(this.#microseconds++ % 1_000).padStart(3, '0');
    return new Date(this.#clock.nowMs() + this.clockOffsetMs).toISOString().replace('Z', `${micro}Z`);
  }

  async frame(envelope: Envelope): Promise<VerifiedEvent> {
    const route = { frame: 'telemetry', agent: this.publicKey, owner: this.owner } as const;
    return sealFrame(envelope.text, route, Math.floor(this.#clock.nowMs() / 1_000), this.signer);
  }

  async deliver(...envelopes: readonly Envelope[]): Promise<void> {
    for (const envelope of envelopes) this.#relay.deliver(await this.frame(envelope));
  }

  async say(stream: string, channelId: string | null, ...bodies: readonly [kind: string, payload: unknown][]) {
    const envelope = await this.seal(stream, channelId, ...bodies);
    await this.deliver(envelope);
    return envelope;
  }

  /** Listens on the relay as a harness does; every new control is kept, and handed to `react`. */
  listen(react: (control: Control) => void = () => {}): void {
    const seen = new Set<string>();
    this.#relay.answer = (event: NostrEvent) => {
      if (event.kind !== 24_200 || event.tags.every((tag) => tag[0] !== 'p' || tag[1] !== this.publicKey))
        return undefined;
      void this.#take(event, seen, react);
      return [true, ''];
    };
  }

  async #take(event: NostrEvent, seen: Set<string>, react: (control: Control) => void): Promise<void> {
    const verified = verifyEvent(event, this.#crypto);
    if (!verified.ok || seen.has(event.id)) return;
    seen.add(event.id);
    const opened = await openFrame(verified.value, this.signer);
    const control = opened.ok ? parseControl(opened.value.text) : opened;
    if (!control.ok) throw new Error(`the viewer sent a bad control: ${control.error.message}`);
    this.controls.push(control.value);
    react(control.value);
  }

  snapshot(requestIds: readonly string[]): Snapshot {
    const streams = [...this.#heads].map(([stream, { seq, hash, channelId }]) => ({
      stream,
      seq,
      hash,
      channelId,
      openedAt: this.time(),
    }));
    if (!this.#heads.has(this.run)) {
      streams.push({ stream: this.run, seq: 0, hash: FIRST_PREV, channelId: null, openedAt: this.time() });
    }
    return {
      requestIds,
      wire: 1,
      run: this.run,
      now: this.time(),
      agent: { name: 'tiny', process: 'running' },
      host: 'here',
      policy: 'ask',
      streams,
      channels: [],
      ...(this.versions as object),
    };
  }

  async answerHello(control: Control): Promise<void> {
    const { requestId } = control;
    if (control.type === 'hello' && requestId !== undefined) {
      await this.say(this.run, null, ['snapshot', this.snapshot([requestId])]);
    }
  }
}
