import type { KnownAgent, Viewer } from '@heliograph/client';
import { decryptSecretKey, encryptSecretKey } from '@heliograph/crypto/nip49';
import { type Crypto, encodeNpub, hexDecode, hexEncode, ok, parseSecretKey } from '@heliograph/wire';
import type { DeviceKeyStore } from './device-key.ts';
import type { HostApi } from './host-api.ts';
import type { PageToWorker, Session, WorkerToPage } from './protocol.ts';

export interface OwnerSessionOptions {
  readonly crypto: Crypto;
  readonly keys: DeviceKeyStore;
  readonly post: (message: WorkerToPage) => void;
  readonly openHost: (apiBase: string) => HostApi;
  readonly startViewer: (options: ViewerStart) => Viewer;
  readonly uuid: () => string;
}

export interface ViewerStart {
  readonly secretKey: Uint8Array;
  readonly relays: readonly string[];
  readonly agents: readonly KnownAgent[];
  readonly viewerId: string;
}

/** A key that is here but encrypted, with everything to go on once it is open. */
interface LockedKey extends Omit<ViewerStart, 'secretKey'> {
  readonly ncryptsec: string;
  readonly keptBy: 'host' | 'device';
}

/** From a link, a kept key or a typed one to a running viewer. The secret key lives in here and nowhere else. */
export class OwnerSession {
  readonly #options: OwnerSessionOptions;
  #host: HostApi | undefined;
  #hasHost = false;
  #locked: LockedKey | undefined;
  #viewer: Viewer | undefined;
  #ready: Extract<Session, { phase: 'ready' }> | undefined;

  constructor(options: OwnerSessionOptions) {
    this.#options = options;
  }

  async receive(message: PageToWorker): Promise<void> {
    switch (message.type) {
      case 'open':
        return this.#open(message.apiBase, message.token);
      case 'unlock':
        return this.#unlock(message.passphrase);
      case 'import':
        return this.#import(message.secret, message.passphrase, message.relays);
      case 'forget-key':
        return this.#forget();
      case 'control': {
        const requestId = this.#viewer?.control(message.agent, message.draft);
        if (requestId !== undefined) this.#options.post({ type: 'control-started', id: message.id, requestId });
        return;
      }
      case 'resync':
        return this.#viewer?.resync(message.agent);
      case 'change-agent': {
        const changed = await this.#host?.changeAgent(message.change);
        if (changed?.ok) this.#setAgents(changed.value);
        const result = changed === undefined || changed.ok ? ok(undefined) : changed;
        return this.#options.post({ type: 'agent-changed', id: message.id, result });
      }
      case 'invite': {
        const invited = await this.#host?.invite(message.name, message.relays);
        if (invited === undefined) return;
        if (invited.ok) this.#setAgents(invited.value.agents);
        return this.#options.post({
          type: 'invited',
          id: message.id,
          result: invited.ok ? ok({ text: invited.value.text }) : invited,
        });
      }
    }
  }

  /** Tells of a failure that nothing here could turn into words: fatal only while there is no viewer to go on with. */
  fail(message: string): void {
    if (this.#ready === undefined) this.#tell({ phase: 'failed', problem: message });
    else this.#options.post({ type: 'problem', message });
  }

  async #open(apiBase: string, token: string | undefined): Promise<void> {
    this.#tell({ phase: 'opening' });
    const host = this.#options.openHost(apiBase);
    const session = token === undefined ? undefined : await host.session(token);
    if (session?.ok) {
      const { secret, relays, agents, viewerId, nextToken } = session.value;
      this.#host = host;
      this.#hasHost = true;
      this.#options.post({ type: 'next-token', token: nextToken });
      if ('ncryptsec' in secret) return this.#lock({ ...secret, relays, agents, viewerId, keptBy: 'host' });
      return this.#start({ secretKey: hexDecode(secret.secretKeyHex), relays, agents, viewerId }, 'host');
    }
    const kept = await this.#options.keys.read();
    if (kept !== undefined) return this.#lock({ ...kept, agents: [], keptBy: 'device' });
    this.#hasHost = await host.isThere();
    this.#tell({ phase: 'first-run', hasHost: this.#hasHost, problem: session?.error.message });
  }

  #lock(locked: LockedKey, problem?: string): void {
    this.#locked = locked;
    this.#tell({ phase: 'locked', keptBy: locked.keptBy, problem });
  }

  #unlock(passphrase: string): void {
    const locked = this.#locked;
    if (locked === undefined) return;
    const secret = decryptSecretKey(locked.ncryptsec, passphrase);
    if (secret.ok) this.#start({ ...locked, secretKey: secret.value }, locked.keptBy);
    else this.#lock(locked, sentence(secret.error.message));
  }

  async #import(secret: string, passphrase: string, relays: readonly string[]): Promise<void> {
    const { crypto, keys, uuid } = this.#options;
    const isEncrypted = /^\s*ncryptsec1/i.test(secret);
    const parsed = isEncrypted ? decryptSecretKey(secret, passphrase) : parseSecretKey(secret);
    if (!parsed.ok) {
      return this.#tell({ phase: 'first-run', hasHost: this.#hasHost, problem: sentence(parsed.error.message) });
    }
    const ncryptsec = isEncrypted ? secret.trim() : encryptSecretKey(parsed.value, passphrase, crypto);
    const viewerId = uuid();
    await keys.write({ ncryptsec, relays, viewerId });
    this.#start({ secretKey: parsed.value, relays, agents: [], viewerId }, 'device');
  }

  async #forget(): Promise<void> {
    await this.#options.keys.remove();
    this.#viewer?.close();
    this.#viewer = undefined;
    this.#ready = undefined;
    this.#locked = undefined;
    this.#tell({ phase: 'first-run', hasHost: this.#hasHost, problem: undefined });
  }

  #start(start: ViewerStart, keptBy: 'host' | 'device'): void {
    const publicKey = hexEncode(this.#options.crypto.publicKey(start.secretKey));
    this.#locked = undefined;
    this.#viewer?.close();
    this.#ready = {
      phase: 'ready',
      publicKey,
      npub: encodeNpub(publicKey),
      relays: start.relays,
      agents: start.agents,
      hasHost: this.#host !== undefined,
      keptBy,
    };
    // Told before the viewer starts: its first events find a page that knows what they belong to.
    this.#tell(this.#ready);
    this.#viewer = this.#options.startViewer(start);
  }

  #setAgents(agents: readonly KnownAgent[]): void {
    if (this.#ready === undefined) return;
    this.#ready = { ...this.#ready, agents };
    this.#viewer?.setAgents(agents);
    this.#tell(this.#ready);
  }

  #tell(session: Session): void {
    this.#options.post({ type: 'session', session });
  }
}

/** What the libraries say, as a sentence on the screen. */
function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
