import {
  type AuthTag,
  authTemplate,
  encodeMessage,
  err,
  type Filter,
  type NostrEvent,
  type OkPrefix,
  ok,
  parseOkPrefix,
  parseRelayMessage,
  type Result,
  type Signer,
  type VerifiedEvent,
} from '@heliograph/wire';
import type { Clock } from './clock.ts';
import { ItemQueue } from './item-queue.ts';
import type { RelayState } from './relay-state.ts';
import type { ClientSocket, OpenSocket } from './socket.ts';

/** `offline`: no connection, or it broke before the answer. `timeout`: no answer. Else the relay's own prefix; `refused`: none. */
export interface PublishError {
  readonly code: OkPrefix | 'offline' | 'timeout' | 'refused';
  readonly message: string;
}

/** What a subscription yields. `gap`: events between `sinceSec` and now may be missing. `closed`: the relay ended it; it is asked for again later. */
export type SubscriptionItem =
  | { readonly type: 'event'; readonly event: NostrEvent }
  | { readonly type: 'eose' }
  | { readonly type: 'gap'; readonly sinceSec: number }
  | { readonly type: 'closed'; readonly reason: string };

export interface RelayClientOptions {
  readonly url: string;
  /** Answers AUTH; without one the client stays a stranger. */
  readonly signer: Signer;
  /** The NIP-OA tag an agent shows with its AUTH. Asked at every AUTH, so that it can be renewed. */
  readonly authTag?: () => AuthTag | undefined;
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** How long the relay may say nothing before it is asked whether it is there; 30 s where it is not given. */
  readonly silenceMs?: number;
  readonly onState?: (state: RelayState) => void;
}

/** One relay: connects by itself, authenticates before anything else, and goes on trying until closed. */
export interface RelayClient {
  readonly url: string;
  readonly state: RelayState;
  /** Sends an event and waits for its OK. A connection that isn't ready answers `offline` at once. */
  publish(
    event: VerifiedEvent,
    options: { readonly timeoutMs: number },
  ): Promise<Result<{ readonly message: string }, PublishError>>;
  /** Shows `authTag` anew to a relay that asked for AUTH. */
  authenticate(): void;
  /** Open across reconnects until `signal` aborts. Events are parsed, NOT verified. */
  subscribe(filters: readonly Filter[], options: { readonly signal: AbortSignal }): AsyncIterable<SubscriptionItem>;
  close(): void;
}

/** How long an open socket may take to send its AUTH challenge before we go on without one. */
const CHALLENGE_WAIT_MS = 400;
const AUTH_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 15_000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** After a refusal of the key itself: a person has to act, so there is no hurry. */
const FIRST_REFUSED_RETRY_MS = 5_000;
const MAX_REFUSED_RETRY_MS = 300_000;
const SILENCE_MS = 30_000;
const PROBE_TIMEOUT_MS = 10_000;
const MAX_QUEUED_ITEMS = 20_000;

interface Subscription {
  readonly filters: readonly Filter[];
  readonly queue: ItemQueue<SubscriptionItem>;
  cancelRetry: () => void;
  authRetried: boolean;
}

interface Waiting {
  readonly event: VerifiedEvent;
  readonly settle: (result: Result<{ readonly message: string }, PublishError>) => void;
  authRetried: boolean;
}

/** Opens the client; it starts to connect at once. */
export function createRelayClient(options: RelayClientOptions): RelayClient {
  const { url, signer, clock, random, silenceMs = SILENCE_MS } = options;
  const subscriptions = new Map<string, Subscription>();
  const waiting = new Map<string, Waiting>();
  /** Refused with `auth-required:` once; sent again after the AUTH that follows. */
  const resendWhenReady = new Set<Waiting>();
  let nextSubId = 1;
  let state: RelayState = { phase: 'connecting', sinceMs: clock.nowMs() };
  let socket: ClientSocket | undefined;
  let challenge: string | undefined;
  let authEventId: string | undefined;
  let attempts = 0;
  let refusals = 0;
  let lostAtSec: number | undefined;
  let lastHeardMs = 0;
  let cancelTimer = () => {};
  let cancelProbe = () => {};

  function setState(next: Omit<RelayState, 'sinceMs'>): void {
    state = { ...next, sinceMs: next.phase === state.phase ? state.sinceMs : clock.nowMs() };
    options.onState?.(state);
  }

  function connect(): void {
    setState({ phase: 'connecting', ...(state.reason !== undefined ? { reason: state.reason } : {}) });
    challenge = undefined;
    authEventId = undefined;
    let opened: ClientSocket;
    try {
      opened = options.openSocket(url);
    } catch (cause) {
      socket = undefined;
      retryLater(cause instanceof Error ? cause.message : 'the socket could not be made', false);
      return;
    }
    socket = opened;
    cancelTimer = clock.setTimer(CONNECT_TIMEOUT_MS, () => drop(`no answer within ${CONNECT_TIMEOUT_MS / 1_000} s`));
    opened.onOpen = () => {
      if (socket !== opened) return;
      cancelTimer();
      setState({ phase: 'authenticating' });
      // Relays that want AUTH say so at once; one that never asks must not keep us waiting.
      cancelTimer = clock.setTimer(CHALLENGE_WAIT_MS, becomeReady);
    };
    opened.onMessage = (text) => {
      if (socket !== opened) return;
      lastHeardMs = clock.nowMs();
      receive(text);
    };
    opened.onClose = (reason) => {
      if (socket === opened) lost(reason, false);
    };
  }

  /** Gives up the present socket, whatever it still says. */
  function drop(reason: string, refused = false): void {
    const old = socket;
    socket = undefined;
    old?.close();
    lost(reason, refused);
  }

  function lost(reason: string, refused: boolean): void {
    socket = undefined;
    cancelTimer();
    cancelProbe();
    if (state.phase === 'ready') lostAtSec ??= Math.floor(clock.nowMs() / 1_000);
    for (const subscription of subscriptions.values()) subscription.cancelRetry();
    for (const subscription of subscriptions.values()) subscription.authRetried = false;
    resendWhenReady.clear();
    for (const entry of waiting.values()) entry.settle(err({ code: 'offline', message: `${url}: ${reason}` }));
    if (state.phase !== 'stopped') retryLater(reason, refused);
  }

  function retryLater(reason: string, refused: boolean): void {
    const [first, most, tries] = refused
      ? [FIRST_REFUSED_RETRY_MS, MAX_REFUSED_RETRY_MS, refusals++]
      : [FIRST_RETRY_MS, MAX_RETRY_MS, attempts++];
    const delayMs = Math.round(Math.min(most, first * 2 ** Math.min(tries, 16)) * (0.5 + random() / 2));
    setState({ phase: 'waiting', reason, retryAtMs: clock.nowMs() + delayMs });
    cancelTimer = clock.setTimer(delayMs, connect);
  }

  function becomeReady(): void {
    cancelTimer();
    attempts = 0;
    refusals = 0;
    setState({ phase: 'ready' });
    for (const [subId, subscription] of subscriptions) {
      if (lostAtSec !== undefined) subscription.queue.push({ type: 'gap', sinceSec: lostAtSec });
      request(subId, subscription);
    }
    for (const entry of resendWhenReady) socket?.send(`["EVENT",${entry.event.json}]`);
    resendWhenReady.clear();
    lostAtSec = undefined;
    lastHeardMs = clock.nowMs();
    probeLater();
  }

  async function authenticate(): Promise<void> {
    const at = socket;
    if (challenge === undefined || at === undefined) return;
    cancelTimer();
    if (state.phase !== 'ready') setState({ phase: 'authenticating' });
    const tag = options.authTag?.();
    const template = authTemplate({
      relayUrl: url,
      challenge,
      createdAtSec: Math.floor(clock.nowMs() / 1_000),
      ...(tag !== undefined ? { authTag: tag } : {}),
    });
    let event: VerifiedEvent;
    try {
      event = await signer.sign(template);
    } catch (cause) {
      if (socket === at) drop(`the key could not sign: ${cause instanceof Error ? cause.message : 'unknown'}`, true);
      return;
    }
    if (socket !== at) return;
    authEventId = event.id;
    cancelTimer();
    cancelTimer = clock.setTimer(AUTH_TIMEOUT_MS, () => drop('the relay did not answer AUTH'));
    at.send(encodeMessage(['AUTH', event]));
  }

  function receive(text: string): void {
    const parsed = parseRelayMessage(text);
    if (!parsed.ok) return; // Hostile or newer than us; a message nobody waits for.
    const message = parsed.value;
    switch (message[0]) {
      case 'AUTH':
        challenge = message[1];
        void authenticate();
        break;
      case 'OK':
        receiveOk(message[1], message[2], message[3]);
        break;
      case 'EVENT':
        subscriptions.get(message[1])?.queue.push({ type: 'event', event: message[2] });
        break;
      case 'EOSE':
        subscriptions.get(message[1])?.queue.push({ type: 'eose' });
        break;
      case 'CLOSED':
        receiveClosed(message[1], message[2]);
        break;
      case 'NOTICE':
      case 'COUNT':
        break;
      default:
        message satisfies never;
    }
  }

  function receiveOk(id: string, accepted: boolean, message: string): void {
    if (id === authEventId) {
      authEventId = undefined;
      cancelTimer();
      if (!accepted) drop(message || 'the relay refused AUTH', true);
      else becomeReady();
      return;
    }
    const entry = waiting.get(id);
    if (entry === undefined) return;
    const prefix = parseOkPrefix(message);
    if (accepted || prefix === 'duplicate') {
      entry.settle(ok({ message }));
    } else if (prefix === 'auth-required' && !entry.authRetried && challenge !== undefined) {
      entry.authRetried = true;
      resendWhenReady.add(entry);
      void authenticate();
    } else {
      entry.settle(err({ code: prefix ?? 'refused', message: message || 'refused without a reason' }));
    }
  }

  function receiveClosed(subId: string, reason: string): void {
    const subscription = subscriptions.get(subId);
    if (subscription === undefined) return;
    const prefix = parseOkPrefix(reason);
    if (prefix === 'auth-required' && !subscription.authRetried && challenge !== undefined) {
      subscription.authRetried = true;
      void authenticate();
      return;
    }
    subscription.queue.push({ type: 'closed', reason });
    const delayMs =
      prefix === 'restricted' || prefix === 'blocked' || prefix === 'invalid' ? MAX_REFUSED_RETRY_MS : 5_000;
    subscription.cancelRetry = clock.setTimer(delayMs, () => {
      if (state.phase === 'ready' && subscriptions.get(subId) === subscription) request(subId, subscription);
    });
  }

  function request(subId: string, subscription: Subscription): void {
    subscription.cancelRetry();
    socket?.send(encodeMessage(['REQ', subId, ...subscription.filters]));
  }

  /** Half-open sockets look fine until somebody asks: a `limit: 0` REQ must give EOSE. */
  function probeLater(inMs = silenceMs): void {
    cancelProbe();
    cancelProbe = clock.setTimer(inMs, () => {
      const leftMs = lastHeardMs + silenceMs - clock.nowMs();
      if (leftMs > 0) {
        // A clock that was set back makes it no longer than that.
        probeLater(Math.min(leftMs, silenceMs));
        return;
      }
      const askedMs = clock.nowMs();
      socket?.send(encodeMessage(['REQ', 'probe', { kinds: [24_200], '#p': [signer.publicKey], limit: 0 }]));
      cancelProbe = clock.setTimer(PROBE_TIMEOUT_MS, () => {
        if (lastHeardMs < askedMs) {
          drop(`the connection is dead: no answer within ${PROBE_TIMEOUT_MS / 1_000} s`);
          return;
        }
        socket?.send(encodeMessage(['CLOSE', 'probe']));
        probeLater();
      });
    });
  }

  connect();

  return {
    url,
    get state() {
      return state;
    },
    publish(event, { timeoutMs }) {
      return new Promise((resolve) => {
        if (state.phase !== 'ready' || socket === undefined) {
          resolve(err({ code: 'offline', message: `${url}: ${state.reason ?? state.phase}` }));
          return;
        }
        const cancel = clock.setTimer(timeoutMs, () =>
          entry.settle(err({ code: 'timeout', message: `${url} did not answer within ${timeoutMs} ms` })),
        );
        const entry: Waiting = {
          event,
          authRetried: false,
          settle(result) {
            cancel();
            if (waiting.get(event.id) === entry) waiting.delete(event.id);
            resolve(result);
          },
        };
        waiting.set(event.id, entry);
        socket.send(`["EVENT",${event.json}]`);
      });
    },
    authenticate() {
      if (state.phase === 'ready') void authenticate();
    },
    subscribe(filters, { signal }) {
      const subId = `s${nextSubId++}`;
      const queue = new ItemQueue<SubscriptionItem>(MAX_QUEUED_ITEMS, () => ({
        type: 'gap',
        sinceSec: Math.floor(clock.nowMs() / 1_000),
      }));
      const subscription: Subscription = { filters, queue, cancelRetry: () => {}, authRetried: false };
      const stop = () => {
        subscription.cancelRetry();
        if (subscriptions.delete(subId) && state.phase === 'ready') socket?.send(encodeMessage(['CLOSE', subId]));
        queue.end();
      };
      if (signal.aborted || state.phase === 'stopped') {
        queue.end();
        return queue;
      }
      signal.addEventListener('abort', stop, { once: true });
      subscriptions.set(subId, subscription);
      if (state.phase === 'ready') request(subId, subscription);
      return queue;
    },
    close() {
      if (state.phase === 'stopped') return;
      setState({ phase: 'stopped' });
      const old = socket;
      socket = undefined;
      old?.close();
      lost('closed', false);
      for (const { queue } of subscriptions.values()) queue.end();
      subscriptions.clear();
    },
  };
}
