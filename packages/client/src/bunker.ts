import {
  type Crypto,
  err,
  hexEncode,
  KIND_NOSTR_CONNECT,
  type LocalSigner,
  MAX_EMIT_BYTES,
  type NostrEvent,
  ok,
  type Result,
  utf8Length,
  type VerifiedEvent,
  verifyEvent,
} from '@heliograph/wire';
import { SIGNER_PERMISSIONS } from './bunker-url.ts';
import type { Clock } from './clock.ts';
import { createRelayClient, type RelayClient } from './relay-client.ts';
import { type SignerBackend, type SignerFault, type SignerMethod, signerFault } from './remote-signer.ts';
import type { OpenSocket } from './socket.ts';

export interface BunkerOptions {
  /** Our own key for this connection: the owner's is at the other end. */
  readonly client: LocalSigner;
  readonly relays: readonly string[];
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly crypto: Crypto;
  /** The signer wants its owner to open this address (hostile text) before it answers. */
  readonly onAuthUrl: (url: string) => void;
}

interface Waiting {
  readonly event: VerifiedEvent;
  settle(answer: Result<string, SignerFault>): void;
}

/** As long as people may take to say yes. */
const TIMEOUT_MS = 60_000;
const PUBLISH_TIMEOUT_MS = 10_000;
/** Requests under way at once; each is a promise of ours. */
const MAX_WAITING = 64;

/** A remote signer over relays: asks, and takes answers of the one key it is connected to. */
export class Bunker implements SignerBackend {
  readonly #options: BunkerOptions;
  readonly #clients: readonly RelayClient[];
  readonly #abort = new AbortController();
  readonly #waiting = new Map<string, Waiting>();
  #signer: string | undefined;
  #greeting: { readonly secret: string; readonly found: (signer: string) => void } | undefined;

  /** `signer`: the remote key, where it is known already. */
  constructor(options: BunkerOptions, signer: string | undefined) {
    this.#options = options;
    this.#signer = signer;
    const { client, openSocket, clock, random } = options;
    this.#clients = options.relays.map((url) => {
      const relay: RelayClient = createRelayClient({
        url,
        signer: client,
        openSocket,
        clock,
        random,
        onState: ({ phase }) => {
          // What was asked while it was away is asked now.
          if (phase === 'ready') for (const { event } of this.#waiting.values()) void this.#publish(relay, event);
        },
      });
      return relay;
    });
    for (const relay of this.#clients) void this.#listen(relay);
  }

  /** Says hello with the secret of a `bunker://` address. */
  connect(secret: string | undefined): Promise<Result<string, SignerFault>> {
    return this.#request('connect', [this.#signer ?? '', secret ?? '', SIGNER_PERMISSIONS]);
  }

  /** Waits for the signer that was shown our `nostrconnect://` address and says its secret. */
  awaitSigner(secret: string): Promise<string> {
    return new Promise((found) => {
      this.#greeting = { secret, found };
    });
  }

  ask(method: SignerMethod, params: readonly string[]): Promise<Result<string, SignerFault>> {
    return this.#request(method, params);
  }

  close(): void {
    this.#abort.abort();
    for (const relay of this.#clients) relay.close();
    for (const { settle } of this.#waiting.values())
      settle(err({ code: 'away', message: 'the connection was closed' }));
  }

  async #request(method: string, params: readonly string[]): Promise<Result<string, SignerFault>> {
    const { client, clock, crypto } = this.#options;
    const signer = this.#signer;
    if (signer === undefined) return err({ code: 'away', message: 'no signer has answered yet' });
    if (this.#waiting.size >= MAX_WAITING) {
      return err({ code: 'failed', message: `${MAX_WAITING} requests wait for the signer already` });
    }
    const id = hexEncode(crypto.randomBytes(16));
    const text = JSON.stringify({ id, method, params });
    if (utf8Length(text) > MAX_EMIT_BYTES) {
      const message = `a frame is too large to be sent to a remote signer, which takes ${MAX_EMIT_BYTES} bytes`;
      return err({ code: 'failed', message });
    }
    const content = client.encrypt(signer, text);
    const created_at = Math.floor(clock.nowMs() / 1_000);
    const event = client.sign({ kind: KIND_NOSTR_CONNECT, created_at, tags: [['p', signer]], content });
    return new Promise((resolve) => {
      const settle = (answer: Result<string, SignerFault>) => {
        cancel();
        this.#waiting.delete(id);
        resolve(answer);
      };
      const cancel = clock.setTimer(TIMEOUT_MS, () => settle(err({ code: 'away', message: this.#whyAway() })));
      this.#waiting.set(id, { event, settle });
      for (const relay of this.#clients) if (relay.state.phase === 'ready') void this.#publish(relay, event);
    });
  }

  #whyAway(): string {
    const states = this.#clients.map(({ url, state }) =>
      state.phase === 'ready' ? `${url} is there` : `${url}: ${'reason' in state ? state.reason : state.phase}`,
    );
    return `the signer did not answer within a minute (${states.join('; ')})`;
  }

  async #publish(relay: RelayClient, event: VerifiedEvent): Promise<void> {
    // Whether it was taken shows in the signer's answer; `mute:` says that it is not connected, and it may be a moment later.
    await relay.publish(event, { timeoutMs: PUBLISH_TIMEOUT_MS });
  }

  async #listen(relay: RelayClient): Promise<void> {
    const { client } = this.#options;
    const filter = { kinds: [KIND_NOSTR_CONNECT], '#p': [client.publicKey], limit: 0 };
    for await (const item of relay.subscribe([filter], { signal: this.#abort.signal })) {
      if (item.type === 'event') this.#receive(item.event);
    }
  }

  #greet(signer: string, secret: string | undefined): void {
    const greeting = this.#greeting;
    if (greeting === undefined || secret !== greeting.secret) return;
    this.#greeting = undefined;
    this.#signer = signer;
    greeting.found(signer);
  }

  #receive(event: NostrEvent): void {
    const { client, crypto, onAuthUrl } = this.#options;
    if (event.kind !== KIND_NOSTR_CONNECT) return;
    const isSigner = event.pubkey === this.#signer;
    if (!isSigner && this.#greeting === undefined) return;
    if (!verifyEvent(event, crypto).ok) return;
    const opened = client.decrypt(event.pubkey, event.content);
    const answer = opened.ok ? readAnswer(opened.value) : undefined;
    if (answer === undefined) return;
    const { id, result, error } = answer;
    if (!isSigner) {
      this.#greet(event.pubkey, result);
      return;
    }
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if (result === 'auth_url') onAuthUrl(error ?? '');
    else if (error !== undefined && error !== '') waiting.settle(err(signerFault(error)));
    else waiting.settle(ok(result ?? ''));
  }
}

const MAX_ERROR_LENGTH = 400;

function readAnswer(text: string): { id: string; result: string | undefined; error: string | undefined } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { id, result, error } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string') return undefined;
  const words = typeof error === 'string' ? error.slice(0, MAX_ERROR_LENGTH) : undefined;
  return { id, result: typeof result === 'string' ? result : undefined, error: words };
}
