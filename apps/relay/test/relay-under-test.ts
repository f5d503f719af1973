import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selectNodeCrypto } from '@heliograph/crypto/node';
import {
  type AuthTag,
  attest,
  authTemplate,
  type ClientMessage,
  type EventTemplate,
  encodeMessage,
  eventSigner,
  type RelayMessage,
} from '@heliograph/wire';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningRelay, type StartRelayOptions, startRelay } from '../src/index.ts';

export const { crypto } = selectNodeCrypto();

/** A key of the tests; the same number gives the same key. */
export function testKey(n: number): ReturnType<typeof eventSigner> & { readonly secret: Uint8Array } {
  const secret = new Uint8Array(32).fill(n);
  return { ...eventSigner(secret, crypto), secret };
}

export const owner = testKey(1);
export const agent = testKey(2);
export const stranger = testKey(3);
export const otherOwner = testKey(4);

export function nowSec(): number {
  return Math.floor(Date.now() / 1_000);
}

/** An attestation of `agent` by `owner`. */
export function vouch(conditions = ''): AuthTag {
  return attest(owner.secret, agent.publicKey, conditions, crypto);
}

/** A template of this very second with every member. */
export function template(fields: Partial<EventTemplate> = {}): EventTemplate {
  return { kind: 1, created_at: nowSec(), tags: [], content: '', ...fields };
}

/** A telemetry frame of `agent` to `owner`. */
export function telemetry(content: string): EventTemplate {
  const tags = [
    ['p', owner.publicKey],
    ['agent', agent.publicKey],
    ['frame', 'telemetry'],
  ];
  return template({ kind: 24_200, tags, content });
}

/** A folder that is removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-relay-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface LogLine {
  readonly level: string;
  readonly fields: Record<string, unknown>;
  readonly message: string;
}

export interface RelayUnderTest extends RunningRelay {
  readonly dataDir: string;
  readonly log: readonly LogLine[];
  readonly httpUrl: string;
}

let verifyWorkers: StartRelayOptions['verifyWorkers'];

/** From now on relays under test check signatures in two threads, built for this test file. */
export async function useVerifyWorkers(): Promise<void> {
  const file = join(import.meta.dirname, '..', 'node_modules', '.cache', `verify-worker-${process.pid}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, '..', 'src', 'verify-worker.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['koffi', 'tiny-secp256k1'],
  });
  verifyWorkers = { count: 2, file };
}

/** A real relay on a free port, closed when the test is over. */
export async function startTestRelay(options: Partial<StartRelayOptions> = {}): Promise<RelayUnderTest> {
  const dataDir = options.dataDir ?? temporaryFolder();
  const log: LogLine[] = [];
  const line = (level: string) => (fields: object, message: string) => {
    log.push({ level, fields: { ...fields }, message });
  };
  const relay = await startRelay({
    host: '127.0.0.1',
    port: 0,
    owners: [owner.publicKey, otherOwner.publicKey],
    crypto,
    verifyWorkers,
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    ...options,
    dataDir,
  });
  onTestFinished(() => relay.close());
  return { ...relay, dataDir, log, httpUrl: relay.url.replace(/^ws/, 'http') };
}

/** A client without any cleverness: it says what it is told and remembers what it hears. */
export class RawClient {
  readonly socket: WebSocket;
  readonly url: string;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly heard: RelayMessage[] = [];
  #waiting: { test: (message: RelayMessage) => boolean; resolve: (message: RelayMessage) => void }[] = [];

  constructor(url: string, headers: Record<string, string> = {}) {
    this.url = url;
    this.socket = new WebSocket(url, { headers });
    this.socket.on('message', (data) => this.#hear(JSON.parse(data.toString()) as RelayMessage));
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    onTestFinished(() => this.socket.terminate());
  }

  #hear(message: RelayMessage): void {
    this.heard.push(message);
    const met = this.#waiting.filter(({ test }) => test(message));
    this.#waiting = this.#waiting.filter((wait) => !met.includes(wait));
    for (const { resolve } of met) resolve(message);
  }

  /** The first message of this type, heard already or yet to come; with `about`, its second member is that. */
  until<T extends RelayMessage[0]>(
    type: T,
    about?: string,
  ): Promise<Extract<RelayMessage, readonly [T, ...unknown[]]>> {
    type Found = Extract<RelayMessage, readonly [T, ...unknown[]]>;
    const test = (message: RelayMessage): boolean =>
      message[0] === type && (about === undefined || message[1] === about);
    const heard = this.heard.find(test);
    if (heard !== undefined) return Promise.resolve(heard as Found);
    return new Promise((resolve) => {
      this.#waiting.push({ test, resolve: (message) => resolve(message as Found) });
    });
  }

  say(...message: ClientMessage): void {
    this.socket.send(encodeMessage(message));
  }

  /** Authenticates and gives the relay's answer. */
  async authenticate(key: ReturnType<typeof testKey>, authTag?: AuthTag, relayUrl = this.url): Promise<RelayMessage> {
    const [, challenge] = await this.until('AUTH');
    const event = key.sign(authTemplate({ relayUrl, challenge, createdAtSec: nowSec(), authTag }));
    this.say('AUTH', event);
    return this.until('OK', event.id);
  }

  /** Signs, publishes and gives the relay's answer. */
  async publish(
    key: ReturnType<typeof testKey>,
    fields: EventTemplate,
  ): Promise<{ id: string; ok: boolean; reason: string }> {
    const event = key.sign(fields);
    this.say('EVENT', event);
    const [, , ok, reason] = await this.until('OK', event.id);
    return { id: event.id, ok, reason };
  }

  /** The ids of what is stored for these filters; the subscription stays open under `id`. */
  async ask(id: string, ...filters: object[]): Promise<string[] | string> {
    this.socket.send(JSON.stringify(['REQ', id, ...filters]));
    const end = await Promise.race([this.until('EOSE', id), this.until('CLOSED', id)]);
    if (end[0] === 'CLOSED') return end[2];
    return this.heard.flatMap((message) => (message[0] === 'EVENT' && message[1] === id ? [message[2].id] : []));
  }
}

/** A client that has authenticated as this key. */
export async function connectAs(
  key: ReturnType<typeof testKey>,
  relay: { readonly url: string },
  authTag?: AuthTag,
): Promise<RawClient> {
  const client = new RawClient(relay.url);
  const [, , ok, reason] = (await client.authenticate(key, authTag)) as ['OK', string, boolean, string];
  if (!ok) throw new Error(reason);
  return client;
}
