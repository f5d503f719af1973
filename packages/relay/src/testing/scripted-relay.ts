import { nobleCrypto } from '@heliograph/crypto/noble';
import {
  type AuthTag,
  attest,
  authTemplate,
  type ClientMessage,
  type EventTemplate,
  encodeMessage,
  eventSigner,
  type NostrEvent,
  type RelayMessage,
  verifyEvent,
} from '@heliograph/wire';
import type { OpenKinds } from '../access.ts';
import { type Awaitable, whenReady } from '../awaitable.ts';
import { RelayEngine } from '../engine.ts';
import { DEFAULT_LIMITS, type RelayLimits } from '../limits.ts';
import type { Peers } from '../peers.ts';
import type { Policy } from '../policy.ts';
import type { RelayEffect, StoreEffect } from '../relay-effect.ts';
import type { RelayInput } from '../relay-input.ts';
import type { EventStore } from '../store/event-store.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { askStore } from '../stored-answer.ts';

/** A key of the tests; the same number gives the same key. */
export function testKey(n: number): ReturnType<typeof eventSigner> & { readonly secret: Uint8Array } {
  const secret = new Uint8Array(32).fill(n);
  return { ...eventSigner(secret, nobleCrypto), secret };
}

export const owner = testKey(1);
export const secondOwner = testKey(2);
export const agent = testKey(3);
export const stranger = testKey(4);
export const RELAY_URL = 'ws://relay.test:7447';

/** An attestation of `agent`, or another key, by `owner`, or another. */
export function vouch(conditions = '', by = owner, whom = agent.publicKey): AuthTag {
  return attest(by.secret, whom, conditions, nobleCrypto);
}

/** A template with every member. */
export function template(fields: Partial<EventTemplate>): EventTemplate {
  return { kind: 1, created_at: 1_700_000_000, tags: [], content: '', ...fields };
}

/** A telemetry frame of `agent` to `owner`, or with other tags; its content has the length of a ciphertext and is none. */
export function telemetry(fields: Partial<EventTemplate> = {}): EventTemplate {
  const tags = [
    ['p', owner.publicKey],
    ['agent', agent.publicKey],
    ['frame', 'telemetry'],
  ];
  return template({ kind: 24_200, content: 'A'.repeat(132), tags, ...fields });
}

/** A control frame from `owner` to `agent`. */
export function control(fields: Partial<EventTemplate> = {}): EventTemplate {
  const tags = [
    ['p', agent.publicKey],
    ['agent', agent.publicKey],
    ['frame', 'control'],
  ];
  return telemetry({ tags, ...fields });
}

/** The engine run the way a program runs it, with a clock that stands still until it is set. */
export class ScriptedRelay {
  nowMs = 1_700_000_000_000;
  /** Set to hold `store` effects back, as a slow disk would. */
  holdWrites = false;
  readonly held: StoreEffect[] = [];
  /** Set to hold answers back, as a server far away would. */
  holdAnswers = false;
  readonly unanswered: (() => void)[] = [];
  /** Every event that went to other relays. */
  readonly shared: NostrEvent[] = [];
  /** Every effect so far, in order. */
  readonly effects: RelayEffect[] = [];
  readonly engine: RelayEngine;
  readonly #store: EventStore;
  readonly #waiting: Promise<void>[] = [];
  readonly #clients = new Map<number, ScriptedClient>();

  constructor(
    options: {
      limits?: Partial<RelayLimits>;
      owners?: readonly string[];
      store?: EventStore;
      policies?: readonly Policy[];
      open?: OpenKinds;
      peers?: Peers;
    } = {},
  ) {
    this.#store = options.store ?? new MemoryStore();
    let challenges = 0;
    this.engine = new RelayEngine({
      owners: options.owners ?? [owner.publicKey, secondOwner.publicKey],
      relayUrls: [RELAY_URL, 'ws://127.0.0.1:7447'],
      crypto: nobleCrypto,
      nowMs: () => this.nowMs,
      newChallenge: () => {
        challenges += 1;
        return `challenge-${challenges}`;
      },
      limits: { ...DEFAULT_LIMITS, ...options.limits },
      ...(options.open === undefined ? {} : { open: options.open }),
      ...(options.peers === undefined ? {} : { peers: options.peers }),
      ...(options.policies === undefined ? {} : { policies: options.policies }),
    });
  }

  connect(address = '192.0.2.1'): ScriptedClient {
    const connection = this.#clients.size + 1;
    const client = new ScriptedClient(this, connection);
    this.#clients.set(connection, client);
    this.handle({ type: 'open', connection, address });
    return client;
  }

  /** An owner's connection that has authenticated. */
  connectOwner(key = owner): ScriptedClient {
    const client = this.connect();
    client.authenticate(key);
    client.take();
    return client;
  }

  /** An attested agent's connection that has authenticated. */
  connectAgent(authTag: AuthTag = vouch()): ScriptedClient {
    const client = this.connect();
    client.authenticate(agent, { authTag });
    client.take();
    return client;
  }

  handle(input: RelayInput): void {
    for (const effect of this.engine.handle(input)) this.#run(effect);
  }

  /** Writes what was held back. */
  release(): void {
    this.holdWrites = false;
    for (const effect of this.held.splice(0)) this.#write(effect);
  }

  /** Gives the answers that were held back, in order. */
  answer(): void {
    this.holdAnswers = false;
    for (const feed of this.unanswered.splice(0)) feed();
  }

  #wait(done: Awaitable<void>): void {
    if (done instanceof Promise) this.#waiting.push(done);
  }

  /** Resolves once a store that answers late has answered everything. */
  async settled(): Promise<void> {
    while (this.#waiting.length > 0) await this.#waiting.pop();
  }

  tick(seconds: number): void {
    this.nowMs += seconds * 1_000;
    this.handle({ type: 'tick' });
  }

  #run(effect: RelayEffect): void {
    this.effects.push(effect);
    switch (effect.type) {
      case 'verify':
        this.handle({ type: 'verified', request: effect, result: verifyEvent(effect.event, nobleCrypto) });
        break;
      case 'query':
        this.#wait(
          whenReady(askStore(this.#store, effect.question), (answer) => {
            const feed = (): void => this.handle({ type: 'answered', request: effect, answer });
            if (this.holdAnswers) this.unanswered.push(feed);
            else feed();
          }),
        );
        break;
      case 'store':
        if (this.holdWrites) this.held.push(effect);
        else this.#write(effect);
        break;
      case 'send':
        this.#clients.get(effect.connection)?.receive(effect.text);
        break;
      case 'broadcast':
        for (const connection of effect.connections) this.#clients.get(connection)?.receive(effect.text);
        break;
      case 'close':
        this.#clients.get(effect.connection)?.closed.push(effect);
        break;
      case 'share':
        this.shared.push(effect.event);
        break;
      case 'report':
        break;
    }
  }

  #write(effect: StoreEffect): void {
    this.#wait(
      whenReady(this.#store.write([effect.event]), ([outcome = 'failed' as const]) => {
        this.handle({ type: 'stored', request: effect, outcome });
      }),
    );
  }
}

/** One client of a scripted relay. */
export class ScriptedClient {
  readonly closed: Extract<RelayEffect, { type: 'close' }>[] = [];
  challenge = '';
  readonly connection: number;
  readonly #relay: ScriptedRelay;
  #received: RelayMessage[] = [];

  constructor(relay: ScriptedRelay, connection: number) {
    this.#relay = relay;
    this.connection = connection;
  }

  receive(text: string): void {
    const message = JSON.parse(text) as RelayMessage;
    if (message[0] === 'AUTH') this.challenge = message[1];
    else this.#received.push(message);
  }

  /** Everything received since the last take. */
  take(): RelayMessage[] {
    const received = this.#received;
    this.#received = [];
    return received;
  }

  /** Says something and takes everything this client got until it was dealt with. */
  say(...message: ClientMessage): RelayMessage[] {
    return this.sayText(encodeMessage(message));
  }

  sayText(text: string): RelayMessage[] {
    this.#relay.handle({ type: 'message', connection: this.connection, text });
    return this.take();
  }

  publish(event: NostrEvent): RelayMessage[] {
    return this.say('EVENT', event);
  }

  authenticate(
    key: ReturnType<typeof testKey>,
    fields: { authTag?: AuthTag; relayUrl?: string; challenge?: string; createdAtSec?: number; kind?: number } = {},
  ): RelayMessage[] {
    const answer = authTemplate({
      relayUrl: fields.relayUrl ?? RELAY_URL,
      challenge: fields.challenge ?? this.challenge,
      createdAtSec: fields.createdAtSec ?? Math.floor(this.#relay.nowMs / 1_000),
      authTag: fields.authTag,
    });
    return this.say('AUTH', key.sign({ ...answer, kind: fields.kind ?? answer.kind }));
  }

  close(): void {
    this.#relay.handle({ type: 'close', connection: this.connection });
  }
}
