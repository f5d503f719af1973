import type { KnownAgent, LinesAgain, RemoteSigner, StreamSpan, Viewer } from '@heliograph/client';
import { decryptSecretKey, encryptSecretKey } from '@heliograph/crypto/nip49';
import {
  type Crypto,
  encodeNpub,
  err,
  hexDecode,
  localSigner,
  type ObserverEvent,
  ok,
  parseSecretKey,
  type Result,
  type Signer,
  sameRelayUrl,
} from '@heliograph/wire';
import type { ArchiveLines } from '../archive-ask.ts';
import type { LinePlace } from '../line-place.ts';
import { readMoveLink } from '../move-link.ts';
import type { DeviceKey, DeviceKeyStore, SignerOwner } from './device-key.ts';
import type { HostApi } from './host-api.ts';
import type { OwnRelay } from './own-relay.ts';
import { DeviceBook, type OwnerBook } from './owner-book.ts';
import type { Failure, PageServer, Session, ToOwnerSession, WorkerToPage } from './protocol.ts';
import type { ConnectedSigner, SignerGate } from './signer-gate.ts';

export interface OwnerSessionOptions {
  readonly crypto: Crypto;
  readonly keys: DeviceKeyStore;
  readonly post: (message: WorkerToPage) => void;
  readonly nowMs: () => number;
  /** The host that answers below this folder, if one does. */
  readonly openHost: (base: string) => HostApi;
  /** The relay that serves this folder, if one does. */
  readonly findRelay: (base: string) => Promise<OwnRelay | undefined>;
  readonly startViewer: (options: ViewerStart) => Viewer;
  /** Takes lines of an agent that were kept, as if they had come now. */
  readonly onKept: (agent: string, events: readonly ObserverEvent[]) => void;
  /** The way to keys that are elsewhere. */
  readonly signers: SignerGate;
  readonly uuid: () => string;
  /** What this device is called, in the owner's words. */
  readonly nameDevice: (viewerId: string) => string;
  /** What a guess at a passphrase costs (NIP-49's log_n); NIP-49's own default unless said. */
  readonly logN?: number;
}

export interface ViewerStart {
  readonly signer: Signer;
  readonly relays: readonly string[];
  readonly agents: readonly KnownAgent[];
  /** This device among the owner's viewers. */
  readonly viewerId: string;
}

/** A key that is here but encrypted, with everything to go on once it is open. */
interface LockedKey extends Omit<ViewerStart, 'signer'> {
  readonly ncryptsec: string;
  readonly keptBy: 'host' | 'device' | 'link';
  /** A key of a link takes the place of one kept here. */
  readonly replaces: boolean;
}

/** Lines of a kept session that one page takes; the beginning of a longer one is read, and that there is more is told. */
const MAX_ARCHIVED_LINES = 200_000;

type Ready = Extract<Session, { phase: 'ready' }>;

/** From a link, a kept key, a typed one or a signer elsewhere to a running viewer. The secret key lives in here and nowhere else. */
export class OwnerSession {
  readonly #options: OwnerSessionOptions;
  /** What serves this page, when it is no desktop link that opens it. */
  #server: PageServer = 'other';
  #relay: OwnRelay | undefined;
  #host: HostApi | undefined;
  #locked: LockedKey | undefined;
  #secretKey: Uint8Array | undefined;
  #book: OwnerBook | undefined;
  #viewer: Viewer | undefined;
  /** The sessions of the archive that streams were read from. */
  readonly #archived = new Map<string, number>();
  /** Where the key is elsewhere: it can refuse, and be asked again. */
  #remote: RemoteSigner | undefined;
  #ready: Ready | undefined;
  #names: Readonly<Record<string, string>> = {};
  /** What is asked of the archive and not answered yet, by its id. */
  readonly #archiveAsks = new Map<number, AbortController>();
  /** Counts what was begun with signers: an answer to an earlier one is none. */
  #attempts = 0;

  constructor(options: OwnerSessionOptions) {
    this.#options = options;
  }

  async receive(message: ToOwnerSession): Promise<void> {
    switch (message.type) {
      case 'open':
        return this.#open(message.base, message.token);
      case 'unlock':
        return this.#unlock(message.passphrase);
      case 'import':
        return this.#import(message.secret, message.passphrase, message.relays);
      case 'use-extension':
        this.#tell({ phase: 'connecting', kind: 'extension', link: undefined, client: undefined, authUrl: undefined });
        return this.#connect(this.#options.signers.connectExtension(), message.relays);
      case 'use-bunker':
        return this.#connect(this.#options.signers.connectBunker(message.address), message.relays);
      case 'offer-connection':
        return this.#connect(this.#options.signers.offer(message.meetAt), message.relays);
      case 'signer-answer':
        return this.#options.signers.receive(message.id, message.answer);
      case 'retry-signer':
        return this.#retrySigner();
      case 'forget-key':
        return this.#forget();
      case 'set-relays':
        return this.#setRelays(message.relays);
      case 'move-key': {
        if (this.#secretKey === undefined) return;
        const ncryptsec = this.#encrypt(this.#secretKey, message.passphrase);
        return this.#options.post({ type: 'key-moved', id: message.id, result: ok({ ncryptsec }) });
      }
      case 'control': {
        const requestId = this.#viewer?.control(message.agent, message.draft);
        if (requestId !== undefined) this.#options.post({ type: 'control-started', id: message.id, requestId });
        return;
      }
      case 'resync':
        return this.#viewer?.resync(message.agent);
      case 'change-agent': {
        const changed = await this.#book?.changeAgent(message.change);
        if (changed === undefined) return;
        if (changed.ok) {
          const { publicKey, name, revoked } = message.change;
          if (name !== undefined && revoked === undefined) this.#viewer?.nameAgent(publicKey, name);
          this.#setAgents(changed.value);
        }
        const result = changed.ok ? ok(undefined) : changed;
        return this.#options.post({ type: 'agent-changed', id: message.id, result });
      }
      case 'invite': {
        const invited = await this.#book?.invite(message.name, message.relays);
        if (invited === undefined) return;
        if (invited.ok) {
          const { agents } = invited.value;
          const known = this.#ready?.agents ?? [];
          const added = agents.find(({ publicKey }) => !known.some((agent) => agent.publicKey === publicKey));
          if (added !== undefined) this.#viewer?.nameAgent(added.publicKey, message.name);
          this.#setAgents(agents);
        }
        return this.#options.post({
          type: 'invited',
          id: message.id,
          result: invited.ok ? ok({ text: invited.value.text }) : invited,
        });
      }
      case 'archive': {
        const { id, ask } = message;
        const result = await this.#askArchive(id, (host, signal) => host.archive(ask, signal));
        if (result !== undefined) this.#options.post({ type: 'archive-said', id, result });
        return;
      }
      case 'read-archived': {
        const { id, agent, session } = message;
        const result = await this.#askArchive(id, (host, signal) => this.#readArchived(host, agent, session, signal));
        if (result !== undefined) this.#options.post({ type: 'archived-read', id, result });
        return;
      }
      case 'drop-archive':
        return this.#archiveAsks.get(message.id)?.abort();
    }
  }

  /** Takes what the owner calls their agents on all devices: it goes before what is kept here. */
  learnNames(names: Readonly<Record<string, string>>): void {
    this.#names = names;
    if (this.#ready !== undefined) this.#tell(this.#ready);
  }

  /** Tells of a failure that nothing here could turn into words: fatal only while there is no viewer to go on with. */
  fail(message: string): void {
    if (this.#ready === undefined) this.#tell({ phase: 'failed', problem: message });
    else this.#options.post({ type: 'problem', message });
  }

  async #open(base: string, token: string | undefined): Promise<void> {
    this.#tell({ phase: 'opening' });
    const host = this.#options.openHost(base);
    const moved = token === undefined ? undefined : readMoveLink(token);
    const session = token === undefined || moved !== undefined ? undefined : await host.session(token);
    if (session?.ok) {
      const { secret, relays, agents, viewerId, nextToken } = session.value;
      this.#host = host;
      this.#server = 'host';
      this.#options.post({ type: 'next-token', token: nextToken });
      const rest = { relays, agents, viewerId };
      if ('ncryptsec' in secret) return this.#lock({ ...secret, ...rest, keptBy: 'host', replaces: false });
      return this.#startWith(hexDecode(secret.secretKeyHex), rest, 'host', host);
    }
    this.#relay = await this.#options.findRelay(base);
    const kept = await this.#options.keys.read();
    if (moved !== undefined) {
      // Their names do not go along: they would make the code too dense for a camera.
      const agents = moved.revoked.map((publicKey) => ({ publicKey, name: publicKey.slice(0, 8), revoked: true }));
      const rest = { agents, viewerId: this.#options.uuid(), keptBy: 'link' as const };
      return this.#lock({ ...moved, relays: this.#withHome(moved.relays), ...rest, replaces: kept !== undefined });
    }
    if (kept !== undefined && 'connection' in kept) {
      return this.#startAtSigner({ ...kept, relays: this.#withHome(kept.relays) });
    }
    if (kept !== undefined) {
      return this.#lock({ ...kept, relays: this.#withHome(kept.relays), keptBy: 'device', replaces: false });
    }
    if (this.#relay === undefined) this.#server = await host.whoIsThere();
    this.#askForKey(session?.error.message);
  }

  #askForKey(problem: string | undefined): void {
    this.#tell({ phase: 'first-run', server: this.#server, relay: this.#relay, problem });
  }

  #lock(locked: LockedKey, problem?: string): void {
    this.#locked = locked;
    const { keptBy, replaces } = locked;
    this.#tell({ phase: 'locked', keptBy, replaces, problem });
  }

  async #unlock(passphrase: string): Promise<void> {
    const locked = this.#locked;
    if (locked === undefined) return;
    const secret = decryptSecretKey(locked.ncryptsec, passphrase);
    if (!secret.ok) return this.#lock(locked, sentence(secret.error.message));
    const { ncryptsec, relays, agents, viewerId, keptBy } = locked;
    if (keptBy === 'host') return this.#startWith(secret.value, locked, keptBy, this.#host);
    const key = { ncryptsec, relays, agents, viewerId };
    if (keptBy === 'link') await this.#options.keys.write(key);
    this.#startOnDevice(key, secret.value);
  }

  async #import(secret: string, passphrase: string, relays: readonly string[]): Promise<void> {
    const { keys, uuid } = this.#options;
    const isEncrypted = /^\s*ncryptsec1/i.test(secret);
    const parsed = isEncrypted ? decryptSecretKey(secret, passphrase) : parseSecretKey(secret);
    if (!parsed.ok) return this.#askForKey(sentence(parsed.error.message));
    const ncryptsec = isEncrypted ? secret.trim() : this.#encrypt(parsed.value, passphrase);
    const key = { ncryptsec, relays: this.#withHome(relays), agents: [], viewerId: uuid() };
    await keys.write(key);
    this.#startOnDevice(key, parsed.value);
  }

  #encrypt(secretKey: Uint8Array, passphrase: string): string {
    return encryptSecretKey(secretKey, passphrase, this.#options.crypto, this.#options.logN);
  }

  /** The relay that serves this page is where a key on it is used first. */
  #withHome(relays: readonly string[]): readonly string[] {
    const home = this.#relay?.url;
    return home === undefined ? relays : [home, ...relays.filter((url) => !sameRelayUrl(url, home))];
  }

  /** Waits for a signer to say whose key it holds; nothing is kept of one that does not. */
  async #connect(connecting: Promise<Result<ConnectedSigner, Failure>>, relays: readonly string[]): Promise<void> {
    const attempt = ++this.#attempts;
    const connected = await connecting;
    // Given up meanwhile, or begun anew.
    if (attempt !== this.#attempts) return;
    if (!connected.ok) {
      this.#options.signers.close();
      return this.#askForKey(sentence(connected.error.message));
    }
    const { keys, uuid } = this.#options;
    const owner = { connection: connected.value, relays: this.#withHome(relays), agents: [], viewerId: uuid() };
    await keys.write(owner);
    this.#startAtSigner(owner);
  }

  #startAtSigner(owner: SignerOwner): void {
    const { keys, crypto, nowMs, signers } = this.#options;
    const { connection, relays, agents, viewerId } = owner;
    const signer = signers.open(connection);
    const book = new DeviceBook({ key: owner, secretKey: undefined, keys, crypto, nowMs });
    this.#start({ signer, relays, agents, viewerId }, connection.key.type, book);
    this.#remote = signer;
  }

  /** Connections begun anew show the key and ask for what could not be opened; orders that wait go on their way by themselves. */
  #retrySigner(): void {
    if (this.#ready === undefined) return;
    this.#remote?.retry();
    this.#viewer?.setRelays([]);
    this.#viewer?.setRelays(this.#ready.relays);
  }

  async #forget(): Promise<void> {
    this.#attempts++;
    await this.#options.keys.remove();
    this.#options.signers.close();
    this.#remote = undefined;
    this.#viewer?.close();
    this.#viewer = undefined;
    this.#ready = undefined;
    this.#locked = undefined;
    this.#secretKey = undefined;
    this.#book = undefined;
    this.#askForKey(undefined);
  }

  #startOnDevice(key: DeviceKey, secretKey: Uint8Array): void {
    const { keys, crypto, nowMs } = this.#options;
    this.#startWith(secretKey, key, 'device', new DeviceBook({ key, secretKey, keys, crypto, nowMs }));
  }

  #startWith(
    secretKey: Uint8Array,
    { relays, agents, viewerId }: Omit<ViewerStart, 'signer'>,
    keptBy: 'host' | 'device',
    book: OwnerBook | undefined,
  ): void {
    const signer = localSigner(secretKey, this.#options.crypto);
    this.#start({ signer, relays, agents, viewerId }, keptBy, book);
    this.#secretKey = secretKey;
  }

  #start(start: ViewerStart, keptBy: Ready['keptBy'], book: OwnerBook | undefined): void {
    const { publicKey } = start.signer;
    this.#locked = undefined;
    this.#secretKey = undefined;
    this.#remote = undefined;
    this.#book = book;
    this.#viewer?.close();
    this.#names = {};
    const device = this.#options.nameDevice(start.viewerId);
    this.#ready = {
      phase: 'ready',
      device,
      publicKey,
      npub: encodeNpub(publicKey),
      relays: start.relays,
      agents: start.agents,
      homeRelay: keptBy === 'host' ? undefined : this.#relay?.url,
      keptBy,
    };
    // Told before the viewer starts: its first events find a page that knows what they belong to.
    this.#tell(this.#ready);
    this.#viewer = this.#options.startViewer({ ...start, viewerId: device });
  }

  async #setRelays(wanted: readonly string[]): Promise<void> {
    if (this.#ready === undefined || !(this.#book instanceof DeviceBook)) return;
    const relays = this.#withHome(wanted);
    await this.#book.setRelays(relays);
    this.#ready = { ...this.#ready, relays };
    this.#viewer?.setRelays(relays);
    this.#tell(this.#ready);
  }

  /** Asks the host, unless none serves this page; undefined: nobody waits for it any more. */
  async #askArchive<T>(
    id: number,
    ask: (host: HostApi, signal: AbortSignal) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure> | undefined> {
    if (this.#host === undefined) return noArchive();
    const asking = new AbortController();
    this.#archiveAsks.set(id, asking);
    try {
      const result = await ask(this.#host, asking.signal);
      return asking.signal.aborted ? undefined : result;
    } finally {
      this.#archiveAsks.delete(id);
    }
  }

  /** Asks for lines again that the page had and let go of: this machine's archive where they came from there, else the harness. */
  async readAgain(agent: string, span: StreamSpan): Promise<LinesAgain> {
    const [host, session] = [this.#host, this.#archived.get(span.stream)];
    if (session === undefined || host === undefined)
      return (await this.#viewer?.readAgain(agent, span)) ?? { isAnswered: false };
    const isOurs = ({ stream }: Pick<ObserverEvent, 'stream'>) => stream === span.stream;
    // Nobody calls it off: who waits for it no more has use for the lines all the same.
    const { signal } = new AbortController();
    let after: LinePlace | undefined = { stream: span.stream, seq: span.first };
    while (after !== undefined) {
      const page: Result<ArchiveLines, Failure> = await host.archive({ ask: 'lines', session, after }, signal);
      if (!page.ok) return { isAnswered: false };
      const lines: readonly ObserverEvent[] = page.value.lines;
      this.#options.onKept(
        agent,
        lines.filter((line) => isOurs(line) && line.seq >= span.first && line.seq <= span.last),
      );
      const isPast: boolean = lines.length === 0 || lines.some((line) => isOurs(line) && line.seq >= span.last);
      after = isPast ? undefined : page.value.after;
    }
    return { isAnswered: true, gone: [] };
  }

  async #readArchived(
    host: HostApi,
    agent: string,
    session: number,
    signal: AbortSignal,
  ): Promise<Result<{ readonly isWhole: boolean }, Failure>> {
    let after: LinePlace | undefined;
    for (let count = 0; count < MAX_ARCHIVED_LINES; ) {
      const page = await host.archive({ ask: 'lines', session, ...(after === undefined ? {} : { after }) }, signal);
      if (!page.ok) return page;
      for (const { stream } of page.value.lines) if (stream !== undefined) this.#archived.set(stream, session);
      this.#options.onKept(agent, page.value.lines);
      after = page.value.after;
      count += page.value.lines.length;
      if (after === undefined || page.value.lines.length === 0) return ok({ isWhole: true });
    }
    return ok({ isWhole: false });
  }

  #setAgents(agents: readonly KnownAgent[]): void {
    if (this.#ready === undefined) return;
    this.#ready = { ...this.#ready, agents };
    this.#viewer?.setAgents(agents);
    this.#tell(this.#ready);
  }

  #tell(session: Session): void {
    const named =
      session.phase === 'ready'
        ? {
            ...session,
            agents: session.agents.map((agent) => ({ ...agent, name: this.#names[agent.publicKey] ?? agent.name })),
          }
        : session;
    this.#options.post({ type: 'session', session: named });
  }
}

function noArchive(): Result<never, Failure> {
  return err({
    message: 'The archive is on the machine where heliograph desktop runs; this page is not served by it.',
  });
}

/** What the libraries say, as a sentence on the screen. */
function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
