import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Harness, type HarnessOptions, startHarness } from '@heliograph/app-harness';
import { type RunningRelay, type StartRelayOptions, startRelay } from '@heliograph/app-relay';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import {
  attest,
  type Control,
  type Crypto,
  encodeControl,
  hexEncode,
  localSigner,
  sealFrame,
  type VerifiedEvent,
} from '@heliograph/wire';
import { OwnerLine } from './owner-line.ts';
import { Watcher } from './watcher.ts';

const { crypto } = selectNodeCrypto();

/** One log line as it was given. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}

export interface StageOptions extends Partial<HarnessOptions> {
  /** A file of fixtures/agents. */
  readonly script?: string;
  readonly agentEnv?: Record<string, string>;
}

/** A relay, keys and a folder of their own; harnesses and viewers are started on it. Everything real. */
export class Stage {
  readonly crypto: Crypto = crypto;
  readonly folder = mkdtempSync(join(tmpdir(), 'heliograph-harness-'));
  readonly ownerKey = crypto.randomBytes(32);
  readonly agentKey = crypto.randomBytes(32);
  readonly logs: LogLine[] = [];
  readonly #harnesses: Harness[] = [];
  readonly #watchers: Watcher[] = [];
  readonly #lines: OwnerLine[] = [];
  readonly #ends: (() => unknown)[] = [];
  #relay: RunningRelay | undefined;

  static async open(): Promise<Stage> {
    const stage = new Stage();
    await stage.openRelay(0);
    return stage;
  }

  get owner(): string {
    return hexEncode(crypto.publicKey(this.ownerKey));
  }

  get agent(): string {
    return hexEncode(crypto.publicKey(this.agentKey));
  }

  get relayUrl(): string {
    if (this.#relay === undefined) throw new Error('the relay is closed');
    return this.#relay.url;
  }

  get stateDir(): string {
    return this.file('state');
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  /** `publicUrl`: how the relay is reached, where that is not its own port. */
  async openRelay(port: number, publicUrl?: string, limits: StartRelayOptions['limits'] = {}): Promise<void> {
    const { host, owner } = { host: '127.0.0.1', owner: this.owner };
    const quiet = { debug() {}, info() {}, warn() {}, error() {} };
    const dataDir = this.file('relay');
    this.#relay = await startRelay({ host, port, publicUrl, dataDir, owners: [owner], crypto, log: quiet, limits });
  }

  async closeRelay(): Promise<void> {
    await this.#relay?.close();
    this.#relay = undefined;
  }

  async harness({ script = 'echoes.mjs', agentEnv = {}, ...options }: StageOptions = {}): Promise<Harness> {
    const log = (level: LogLine['level']) => (fields: object, message: string) =>
      void this.logs.push({ level, fields, message });
    const harness = await startHarness({
      command: [process.execPath, new URL(`../../../../fixtures/agents/${script}`, import.meta.url).pathname],
      cwd: this.folder,
      env: { ...process.env, ...agentEnv },
      relays: options.relays ?? [this.relayUrl],
      signer: localSigner(this.agentKey, crypto),
      owner: this.owner,
      authTag: attest(this.ownerKey, this.agent, '', crypto),
      stateDir: this.stateDir,
      permissions: 'ask',
      crypto,
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
      version: '0.0.0-test',
      ...options,
    });
    this.#harnesses.push(harness);
    return harness;
  }

  /** A viewer of the owner's, live: the harness has answered its hello. */
  async watch(version?: string, relayUrl = this.relayUrl): Promise<Watcher> {
    const watcher = new Watcher(relayUrl, this.ownerKey, this.agent, crypto, version);
    this.#watchers.push(watcher);
    await watcher.until('the snapshot', () => watcher.snapshot);
    return watcher;
  }

  /** A bare connection of the owner's, for controls that a well-behaved viewer would not send. */
  async ownerLine(): Promise<OwnerLine> {
    const line = await OwnerLine.open(this.relayUrl, localSigner(this.ownerKey, crypto));
    this.#lines.push(line);
    return line;
  }

  /** The frame of a control, said at `atSec`. */
  frame(control: Control, atSec = Math.floor(Date.now() / 1_000)): Promise<VerifiedEvent> {
    const route = { frame: 'control', agent: this.agent, owner: this.owner } as const;
    return sealFrame(encodeControl(control), route, atSec, localSigner(this.ownerKey, crypto));
  }

  /** Calls `end` when the stage is closed, and waits for it. */
  atEnd(end: () => unknown): void {
    this.#ends.push(end);
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end();
    for (const line of this.#lines) line.close();
    for (const watcher of this.#watchers) watcher.close();
    await Promise.all(this.#harnesses.map((harness) => harness.close()));
    await this.closeRelay();
    // The agent of a harness that was killed may still write its last line.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
