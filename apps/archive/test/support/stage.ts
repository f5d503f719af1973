import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Harness, type HarnessOptions, startHarness } from '@heliograph/app-harness';
import { type RunningRelay, startRelay } from '@heliograph/app-relay';
import {
  type Clock,
  type ControlDraft,
  createRelayClient,
  createViewer,
  openSocketWith,
  type Viewer,
  type ViewerEvent,
} from '@heliograph/client';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import { TranscriptFold } from '@heliograph/transcript';
import {
  attest,
  type Control,
  encodeControl,
  hexEncode,
  localSigner,
  type Replay,
  sealFrame,
  sealUsage,
  type UsageReport,
  type VerifiedEvent,
} from '@heliograph/wire';
import Database from 'better-sqlite3';
import WebSocket from 'ws';
import { type RunningArchive, type StartArchiveOptions, startArchive } from '../../src/index.ts';

export const { crypto } = selectNodeCrypto();
/** By its address: the agent runs in a folder of its own. */
const tsx = new URL('../../../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;
const PATIENCE_MS = 30_000;
export const clock: Clock = {
  nowMs: () => Date.now(),
  setTimer: (delayMs, fire) => {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** Waits until `look` gives something that is not undefined, null or false. */
export async function until<T>(what: string, look: () => T | undefined | null | false): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`waited ${PATIENCE_MS} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A relay, a harness with the demo agent, an owner and a folder, all real. */
export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'heliograph-archive-'));
  readonly ownerSecret = crypto.randomBytes(32);
  readonly agentSecret = crypto.randomBytes(32);
  readonly archiveSecret = crypto.randomBytes(32);
  readonly file = join(this.folder, 'archive.db');
  readonly logs: string[] = [];
  #relay: RunningRelay | undefined;
  readonly #harnesses: Harness[] = [];
  readonly #owners: OwnerAtWork[] = [];
  readonly #archives: RunningArchive[] = [];

  static async open(): Promise<Stage> {
    const stage = new Stage();
    const { owner, folder } = stage;
    const dataDir = join(folder, 'relay');
    stage.#relay = await startRelay({ host: '127.0.0.1', port: 0, dataDir, owners: [owner], crypto, log: quiet });
    return stage;
  }

  get owner(): string {
    return hexEncode(crypto.publicKey(this.ownerSecret));
  }

  get agent(): string {
    return hexEncode(crypto.publicKey(this.agentSecret));
  }

  get relayUrl(): string {
    return this.#relay?.url ?? '';
  }

  /** `script`: a file of fixtures/agents; the demo agent without. */
  async harness(script?: string, more: Partial<HarnessOptions> = {}): Promise<Harness> {
    const program =
      script === undefined
        ? ['--import', tsx, fileURLToPath(new URL('../../../demo-agent/src/main.ts', import.meta.url))]
        : [fileURLToPath(new URL(`../../../../fixtures/agents/${script}`, import.meta.url))];
    const harness = await startHarness({
      command: [process.execPath, ...program],
      cwd: this.folder,
      env: process.env,
      relays: [this.relayUrl],
      signer: localSigner(this.agentSecret, crypto),
      owner: this.owner,
      authTag: attest(this.ownerSecret, this.agent, '', crypto),
      keyMadeBy: 'agent',
      stateDir: join(this.folder, 'state'),
      permissions: 'ask',
      crypto,
      log: quiet,
      version: '0.0.0-test',
      ...more,
    });
    this.#harnesses.push(harness);
    return harness;
  }

  /** A control of the owner's, made by hand. */
  control(body: Pick<Replay, 'type' | 'stream' | 'fromSeq' | 'toSeq'>): Promise<VerifiedEvent> {
    const route = { frame: 'control', agent: this.agent, owner: this.owner } as const;
    const control: Control = { requestId: randomUUID(), issuedAt: new Date().toISOString(), ...body };
    return sealFrame(
      encodeControl(control),
      route,
      Math.floor(Date.now() / 1_000),
      localSigner(this.ownerSecret, crypto),
    );
  }

  /** Publishes a usage report of the agent's, as its harness would. */
  async reportUsage(turnId: string): Promise<void> {
    const signer = localSigner(this.agentSecret, crypto);
    const figures = { inputTokens: 3, outputTokens: 5, totalTokens: 8, costUsd: 0.25 };
    const turn = { ...figures, cacheReadTokens: null, cacheWriteTokens: null };
    const report: UsageReport = {
      harness: 'test',
      model: 'm1',
      channelId: null,
      sessionId: null,
      turnId,
      turnSeq: 1,
      timestamp: new Date().toISOString(),
      turn,
      cumulative: turn,
      deltaReliable: true,
      stopReason: 'end_turn',
    };
    const route = { agent: this.agent, owner: this.owner };
    const event = await sealUsage(report, route, Math.floor(Date.now() / 1_000), signer);
    const client = createRelayClient({
      url: this.relayUrl,
      signer,
      authTag: () => attest(this.ownerSecret, this.agent, '', crypto),
      openSocket: openSocketWith(WebSocket),
      clock,
      random: Math.random,
    });
    await until('the relay', () => client.state.phase === 'ready');
    const sent = await client.publish(event, { timeoutMs: PATIENCE_MS });
    client.close();
    if (!sent.ok) throw new Error(sent.error.message);
  }

  /** The owner at another machine: prompts, answers, sees. */
  work(): OwnerAtWork {
    const owner = new OwnerAtWork(this);
    this.#owners.push(owner);
    return owner;
  }

  async archive(more: Partial<StartArchiveOptions> = {}): Promise<RunningArchive> {
    const archive = await startArchive({
      file: this.file,
      ownerSecret: this.ownerSecret,
      archiveSecret: this.archiveSecret,
      relays: [this.relayUrl],
      agents: [{ publicKey: this.agent, name: 'demo' }],
      settings: { atRest: 'open', secrets: 'seal' },
      crypto,
      log: { ...quiet, warn: (_, text) => this.logs.push(text), error: (_, text) => this.logs.push(text) },
      ...more,
    });
    this.#archives.push(archive);
    return archive;
  }

  /** Asks the file, as any reader may while the archive runs. */
  query<T = unknown>(sql: string, ...values: unknown[]): T[] {
    const db = new Database(this.file, { readonly: true });
    try {
      return db.prepare(sql).all(...values) as T[];
    } finally {
      db.close();
    }
  }

  async close(): Promise<void> {
    for (const owner of this.#owners) owner.viewer.close();
    for (const archive of this.#archives) await archive.close();
    await Promise.all(this.#harnesses.map((harness) => harness.close()));
    await this.#relay?.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/** A viewer that answers permissions with what `decide` says, and what it saw. */
export class OwnerAtWork {
  readonly viewer: Viewer;
  readonly fold = new TranscriptFold();
  /** An option's kind for every request. */
  decide: 'allow_once' | 'reject_once' = 'allow_once';
  readonly #agent: string;
  readonly #answered = new Set<string>();
  #live = false;

  /** `url`: the relay's, unless it is an archive's. */
  constructor(stage: Stage, url = stage.relayUrl) {
    this.#agent = stage.agent;
    this.viewer = createViewer({
      signer: localSigner(stage.ownerSecret, crypto),
      relays: [url],
      agents: [{ publicKey: stage.agent, name: 'demo' }],
      viewerId: 'test',
      openSocket: openSocketWith(WebSocket),
      clock,
      crypto,
      random: Math.random,
      uuid: randomUUID,
      onEvent: (event) => this.#take(event),
    });
  }

  send(draft: ControlDraft): string {
    return this.viewer.control(this.#agent, draft);
  }

  /** Prompts and waits for the turn's end; gives its outcome. */
  async turn(channelId: string, text: string): Promise<string> {
    await until('the harness', () => this.#live);
    const before = this.#ended(channelId).length;
    this.send({ type: 'prompt', channelId, content: [{ type: 'text', text } as { type: string }] });
    const ended = await until(`the end of "${text.slice(0, 40)}"`, () => this.#ended(channelId)[before]);
    return ended.outcome ?? '';
  }

  #ended(channelId: string) {
    return this.fold
      .transcript(channelId)
      .turns.filter(({ source, status }) => source === 'owner' && status === 'ended');
  }

  #take(event: ViewerEvent): void {
    if (event.type === 'snapshot') this.#live = true;
    if (event.type !== 'events') return;
    for (const each of event.events) this.fold.insert(each);
    for (const channelId of this.fold.channels()) this.#answer(channelId);
  }

  #answer(channelId: string): void {
    for (const turn of this.fold.transcript(channelId).turns) {
      for (const item of turn.items) {
        if (item.kind !== 'permission' || item.nonce === undefined || this.#answered.has(item.nonce)) continue;
        this.#answered.add(item.nonce);
        const option = item.options.find(({ kind }) => kind === this.decide);
        this.send({
          type: 'permission_decision',
          channelId,
          requestNonce: item.nonce,
          ...(item.requestSha256 === undefined ? {} : { requestSha256: item.requestSha256 }),
          optionId: option?.optionId ?? '',
        });
      }
    }
  }
}
