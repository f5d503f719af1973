import {
  type Bunker,
  createRemoteSigner,
  nostrConnectUrl,
  parseBunkerUrl,
  type RemoteSigner,
  type SignerBackend,
  type SignerFault,
  type SignerMethod,
  type SignerState,
} from '@heliograph/client';
import {
  type Crypto,
  encodeNpub,
  err,
  hexDecode,
  hexEncode,
  isHex64,
  type LocalSigner,
  localSigner,
  ok,
  type Result,
} from '@heliograph/wire';
import type { Failure, WorkerToPage } from './protocol.ts';

/** Where an owner's key is when it is not here: this browser's extension, or a remote signer and our key for the way to it. */
export type RemoteKey =
  | { readonly type: 'extension' }
  | {
      readonly type: 'bunker';
      readonly signer: string;
      readonly relays: readonly string[];
      /** Ours, hex: it opens nothing without the signer, which can end it. */
      readonly clientSecret: string;
    };

/** A signer that has said whose key it holds. */
export interface ConnectedSigner {
  readonly key: RemoteKey;
  readonly publicKey: string;
}

export interface SignerGateOptions {
  readonly crypto: Crypto;
  readonly clock: Parameters<typeof createRemoteSigner>[0]['clock'];
  readonly post: (message: WorkerToPage) => void;
  readonly openBunker: (
    client: LocalSigner,
    relays: readonly string[],
    signer: string | undefined,
    onAuthUrl: (url: string) => void,
  ) => Bunker;
}

/** What of a signer's words is shown. */
const NAME = 'Heliograph';

/** The ways to keys that are elsewhere: the page's extension, asked through the page, and bunkers, over relays. */
export class SignerGate {
  readonly #options: SignerGateOptions;
  readonly #asked = new Map<number, (answer: Result<string, SignerFault>) => void>();
  #lastId = 0;
  #bunker: Bunker | undefined;
  #state: SignerState | undefined;
  #authUrl: string | undefined;

  constructor(options: SignerGateOptions) {
    this.#options = options;
  }

  /** The page's answer to a `signer-ask`. */
  receive(id: number, answer: Result<string, SignerFault>): void {
    this.#asked.get(id)?.(answer);
    this.#asked.delete(id);
  }

  connectExtension(): Promise<Result<ConnectedSigner, Failure>> {
    return this.#identify({ type: 'extension' }, this.#extension());
  }

  /** Meets the signer of a `bunker://` address. */
  async connectBunker(address: string): Promise<Result<ConnectedSigner, Failure>> {
    const parsed = parseBunkerUrl(address);
    if (!parsed.ok) return parsed;
    const { signer, relays, secret } = parsed.value;
    const key = { type: 'bunker', signer, relays, clientSecret: this.#newSecret() } as const;
    const bunker = this.#openBunker(key);
    this.#tellWay('bunker', key.clientSecret, undefined);
    const greeted = await bunker.connect(secret);
    return greeted.ok ? this.#identify(key, bunker) : err({ message: greeted.error.message });
  }

  /** Shows a `nostrconnect://` address and waits for the signer that takes it. */
  async offer(relays: readonly string[]): Promise<Result<ConnectedSigner, Failure>> {
    const clientSecret = this.#newSecret();
    const secret = hexEncode(this.#options.crypto.randomBytes(16));
    const bunker = this.#openBunker({ relays, clientSecret, signer: undefined });
    const client = this.#clientOf(clientSecret).publicKey;
    this.#tellWay('bunker', clientSecret, nostrConnectUrl(client, relays, secret, NAME));
    const signer = await bunker.awaitSigner(secret);
    return this.#identify({ type: 'bunker', signer, relays, clientSecret }, bunker);
  }

  /** The signer behind a connection, for a viewer. */
  open({ key, publicKey }: ConnectedSigner): RemoteSigner {
    const backend = key.type === 'extension' ? this.#extension() : (this.#bunker ?? this.#openBunker(key));
    const { crypto, clock } = this.#options;
    return createRemoteSigner({
      publicKey,
      backend,
      crypto,
      clock,
      onState: (state) => {
        if (state.phase !== 'waiting') this.#authUrl = undefined;
        this.#state = state;
        this.#tell();
      },
    });
  }

  close(): void {
    this.#bunker?.close();
    this.#bunker = undefined;
    for (const settle of this.#asked.values()) settle(err({ code: 'away', message: 'the connection was closed' }));
    this.#asked.clear();
    this.#state = undefined;
    this.#authUrl = undefined;
    this.#options.post({ type: 'signer', signer: undefined });
  }

  async #identify(key: RemoteKey, backend: SignerBackend): Promise<Result<ConnectedSigner, Failure>> {
    const answer = await backend.ask('get_public_key', []);
    if (!answer.ok) return err({ message: answer.error.message });
    if (!isHex64(answer.value)) return err({ message: 'the signer named no public key' });
    return ok({ key, publicKey: answer.value });
  }

  #extension(): SignerBackend {
    return {
      ask: (method: SignerMethod, params: readonly string[]) =>
        new Promise((resolve) => {
          const id = ++this.#lastId;
          this.#asked.set(id, resolve);
          this.#options.post({ type: 'signer-ask', id, method, params });
        }),
    };
  }

  #openBunker(key: {
    readonly signer: string | undefined;
    readonly relays: readonly string[];
    readonly clientSecret: string;
  }): Bunker {
    this.#bunker?.close();
    const client = this.#clientOf(key.clientSecret);
    this.#bunker = this.#options.openBunker(client, key.relays, key.signer, (url) => {
      this.#authUrl = url;
      this.#tell();
    });
    return this.#bunker;
  }

  #clientOf(secret: string): LocalSigner {
    return localSigner(hexDecode(secret), this.#options.crypto);
  }

  #newSecret(): string {
    return hexEncode(this.#options.crypto.randomBytes(32));
  }

  #tellWay(kind: 'bunker', clientSecret: string, link: string | undefined): void {
    const client = encodeNpub(this.#clientOf(clientSecret).publicKey);
    this.#options.post({ type: 'session', session: { phase: 'connecting', kind, link, client, authUrl: undefined } });
  }

  #tell(): void {
    const state = this.#state ?? { phase: 'waiting', message: undefined, perSecond: 0, isBehind: false };
    this.#options.post({ type: 'signer', signer: { ...state, authUrl: this.#authUrl } });
  }
}
