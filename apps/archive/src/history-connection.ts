import {
  type ClientMessage,
  type Crypto,
  checkAuthEvent,
  compileFilter,
  encodeEventMessage,
  encodeMessage,
  type Filter,
  isEphemeral,
  type NostrEvent,
  parseClientMessage,
  parseControl,
  parseFrame,
  type RelayMessage,
  type Signer,
  verifyEvent,
} from '@heliograph/wire';
import type { HeldFrames } from './held-frames.ts';

/** One viewer's socket, as the connection needs it. `drained` resolves once there is room for more. */
export interface HistorySocket {
  send(text: string): void;
  drained(): Promise<void>;
  close(code: number, reason: string): void;
}

export interface HistoryOptions {
  readonly owner: Signer;
  readonly crypto: Crypto;
  readonly frames: HeldFrames;
  readonly nowSec: () => number;
  /** Random, of this connection. */
  readonly challenge: string;
  readonly relayUrls: readonly string[];
}

const MAX_SUBSCRIPTIONS = 32;
const MAX_FILTERS = 16;
/** Tries to authenticate; then the connection ends. */
const MAX_AUTHS = 5;
/** Messages that wait for the answer to the one before. */
const MAX_WAITING = 256;
/** Events of one REQ that asks for stored ones. */
const MAX_STORED = 5_000;

/**
 * An archive as viewers meet it: a relay that holds kind 24200. It answers REQ for what is kept and what arrives, and the
 * owner's `hello` and `replay` with the frames themselves; whatever else it is told it does not do, and says so.
 */
export class HistoryConnection {
  readonly #options: HistoryOptions;
  readonly #socket: HistorySocket;
  readonly #subscriptions = new Map<string, (event: NostrEvent) => boolean>();
  #admitted = false;
  #auths = 0;
  #busy: Promise<void> = Promise.resolve();
  #waiting = 0;
  #closed = false;

  constructor(options: HistoryOptions, socket: HistorySocket) {
    this.#options = options;
    this.#socket = socket;
    this.#say(['AUTH', options.challenge]);
  }

  /** Takes a message; messages are answered one after the other. */
  receive(text: string): Promise<void> {
    if (++this.#waiting > MAX_WAITING) this.#socket.close(1008, 'too many messages at once');
    this.#busy = this.#busy.then(async () => {
      this.#waiting--;
      if (!this.#closed) await this.#take(text);
    });
    return this.#busy;
  }

  /** An event that has just been kept. */
  announce(event: NostrEvent, json: string): void {
    if (!this.#admitted || this.#closed) return;
    for (const [subId, matches] of this.#subscriptions) {
      if (matches(event)) this.#socket.send(encodeEventMessage(subId, json));
    }
  }

  end(): void {
    this.#closed = true;
    this.#subscriptions.clear();
  }

  async #take(text: string): Promise<void> {
    const parsed = parseClientMessage(text);
    if (!parsed.ok) return this.#say(['NOTICE', `error: ${parsed.error.message}`]);
    const message = parsed.value;
    if (message[0] === 'AUTH') return this.#authenticate(message[1]);
    if (message[0] === 'CLOSE') return void this.#subscriptions.delete(message[1]);
    if (!this.#admitted) return this.#refuse(message);
    if (message[0] === 'REQ') return this.#subscribe(message[1], message.slice(2) as Filter[]);
    if (message[0] === 'EVENT') return this.#obey(message[1]);
    return this.#say(['NOTICE', `error: an archive does not answer ${message[0]}`]);
  }

  #authenticate(event: NostrEvent): void {
    if (++this.#auths > MAX_AUTHS) this.#socket.close(1008, 'too many AUTH attempts');
    else {
      const refusal = this.#refusalOf(event);
      this.#admitted ||= refusal === undefined;
      this.#say(['OK', event.id, refusal === undefined, refusal ?? '']);
    }
  }

  #refusalOf(event: NostrEvent): string | undefined {
    const { crypto, owner, challenge, relayUrls, nowSec } = this.#options;
    const verified = verifyEvent(event, crypto);
    const checked = verified.ok ? checkAuthEvent(verified.value, { challenge, relayUrls, nowSec: nowSec() }) : verified;
    if (!checked.ok) return `invalid: ${checked.error.message}`;
    return event.pubkey === owner.publicKey ? undefined : 'restricted: this archive answers its owner only';
  }

  #refuse(message: ClientMessage): void {
    const words = 'auth-required: this archive answers its owner only';
    if (message[0] === 'EVENT') this.#say(['OK', message[1].id, false, words]);
    else if (message[0] === 'REQ') this.#say(['CLOSED', message[1], words]);
    else this.#say(['NOTICE', words]);
  }

  async #subscribe(subId: string, filters: readonly Filter[]): Promise<void> {
    const isNew = !this.#subscriptions.has(subId);
    if (filters.length > MAX_FILTERS || (isNew && this.#subscriptions.size >= MAX_SUBSCRIPTIONS)) {
      return this.#say([
        'CLOSED',
        subId,
        `error: at most ${MAX_SUBSCRIPTIONS} subscriptions of ${MAX_FILTERS} filters`,
      ]);
    }
    const matchers = filters.map(compileFilter);
    const matches = (event: NostrEvent) => matchers.some((match) => match(event));
    this.#subscriptions.set(subId, matches);
    const sent = new Set<string>();
    let left = MAX_STORED;
    for (const filter of filters) {
      if (filter.limit === 0) continue;
      const limit = Math.min(filter.limit ?? MAX_STORED, left);
      for (const { event, json } of this.#options.frames.between(filter, limit)) {
        if (sent.has(event.id)) continue;
        sent.add(event.id);
        left--;
        if (!(await this.#send(subId, json))) return;
      }
    }
    this.#say(['EOSE', subId]);
  }

  async #obey(event: NostrEvent): Promise<void> {
    const { owner, crypto } = this.#options;
    const refuse = (words: string) => this.#say(['OK', event.id, false, words]);
    const route = parseFrame(event);
    if (!route.ok || route.value.frame !== 'control' || route.value.owner !== owner.publicKey) {
      return refuse(
        isEphemeral(event.kind)
          ? 'blocked: this archive takes its owner’s controls only'
          : 'blocked: this archive stores nothing it is sent',
      );
    }
    const verified = verifyEvent(event, crypto);
    if (!verified.ok) return refuse(`invalid: ${verified.error.message}`);
    const opened = await owner.decrypt(route.value.agent, event.content);
    const control = opened.ok ? parseControl(opened.value) : opened;
    if (!control.ok) return refuse(`invalid: ${control.error.message}`);
    const { agent } = route.value;
    // Like a relay that finds nobody listening: whether a harness hears it is for relays to say.
    if (control.value.type === 'hello') {
      const count = await this.#sendAll(this.#options.frames.after(agent, control.value.have ?? []));
      return this.#say(['OK', event.id, true, `mute: ${count} frames from the archive`]);
    }
    if (control.value.type === 'replay') {
      const { stream, fromSeq, toSeq } = control.value;
      const { frames, missing } = this.#options.frames.range(agent, stream, fromSeq, toSeq);
      const count = await this.#sendAll(frames);
      const gaps = missing.map(([first, last]) => `${first}-${last}`).join(',');
      return this.#say([
        'OK',
        event.id,
        true,
        `mute: ${count} frames from the archive${gaps === '' ? '' : `; missing ${gaps}`}`,
      ]);
    }
    return this.#say(['OK', event.id, true, 'mute: an archive remembers, it does not act']);
  }

  async #sendAll(frames: Iterable<{ readonly event: NostrEvent; readonly json: string }>): Promise<number> {
    let count = 0;
    for (const { event, json } of frames) {
      const subscribed = [...this.#subscriptions].filter(([, matches]) => matches(event));
      for (const [subId] of subscribed) if (!(await this.#send(subId, json))) return count;
      count += subscribed.length > 0 ? 1 : 0;
    }
    return count;
  }

  /** False once the connection is over. */
  async #send(subId: string, json: string): Promise<boolean> {
    await this.#socket.drained();
    if (this.#closed) return false;
    this.#socket.send(encodeEventMessage(subId, json));
    return true;
  }

  #say(message: RelayMessage): void {
    if (!this.#closed) this.#socket.send(encodeMessage(message));
  }
}
