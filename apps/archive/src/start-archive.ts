import { randomUUID } from 'node:crypto';
import {
  createViewer,
  type KnownAgent,
  type OpenSocket,
  openSocketWith,
  type RelayState,
  type Viewer,
} from '@heliograph/client';
import { type ArchiveSettings, createReader, RecordStore, ViewStore } from '@heliograph/record';
import { attest, type Crypto, eventSigner, hexDecode, localSigner, type VerifiedEvent } from '@heliograph/wire';
import WebSocket from 'ws';
import { type ArchiveFile, describeFault, openArchiveFile } from './archive-file.ts';
import { heldFrames } from './held-frames.ts';
import { heldStreams } from './held-streams.ts';
import { startHistoryServer } from './history-server.ts';
import { Indexer } from './indexer.ts';
import { Keeper } from './keeper.ts';
import type { Log } from './log.ts';
import { Opener } from './opener.ts';
import { packer } from './packer.ts';
import { applyRetention, type Retention, usedBytes } from './retention.ts';

export interface StartArchiveOptions {
  readonly file: string;
  /** 32 bytes; opens what is received and vouches for the archive's key. */
  readonly ownerSecret: Uint8Array;
  /** 32 bytes: the archive's own key, which signs its statements. */
  readonly archiveSecret: Uint8Array;
  readonly relays: readonly string[];
  readonly agents: readonly KnownAgent[];
  /** Whether what this agent (hex) sends is kept; all is, where it is left out. */
  readonly keeps?: (agent: string) => boolean;
  readonly settings: Omit<ArchiveSettings, 'owner'>;
  readonly retention?: Retention;
  readonly crypto: Crypto;
  readonly log: Log;
  /** Opens the loopback socket on which viewers read history; none without. `port` 0 takes a free one. */
  readonly socket?: { readonly port: number; readonly origins: () => readonly string[] };
  /** A viewer's id of its own. */
  readonly viewerId?: string;
  readonly openSocket?: OpenSocket;
  readonly nowMs?: () => number;
}

/** How an archive that runs is doing. Sizes in bytes. */
export interface ArchiveStatus {
  readonly file: string;
  readonly bytes: number;
  readonly records: number;
  /** Why nothing can be written now, as a sentence. */
  readonly trouble: string | undefined;
  /** Frames that found no room since then; they are asked for again. */
  readonly dropped: number;
}

/** An archive that watches and keeps. */
export interface RunningArchive {
  readonly file: string;
  /** Where viewers read history, when it has a socket. */
  readonly url: string | undefined;
  status(): ArchiveStatus;
  /** Writes what waits and signs a checkpoint; `undefined` when the newest one stands. */
  checkpoint(): VerifiedEvent | undefined;
  setAgents(agents: readonly KnownAgent[]): void;
  close(): Promise<void>;
}

const CHECKPOINT_MS = 60_000;
const RETENTION_MS = 600_000;

/**
 * Opens the archive's file and keeps what arrives. Rejects with an Error whose `code` is that of `ArchiveFileError` and
 * whose message says what to do.
 */
export async function startArchive(options: StartArchiveOptions): Promise<RunningArchive> {
  const { crypto, log, nowMs = () => Date.now() } = options;
  const signer = localSigner(options.ownerSecret, crypto);
  const settings = { ...options.settings, owner: signer.publicKey };
  const opened = openArchiveFile(options.file, settings, crypto);
  if (!opened.ok) {
    const { code, message, cause } = opened.error;
    throw Object.assign(new Error(message, { cause }), { code });
  }
  const file = opened.value;
  if (file.backup !== undefined)
    log.info({ backup: file.backup }, 'the archive was upgraded; a copy of it as it was is kept');
  try {
    return await run(file, options, nowMs);
  } catch (error) {
    file.close();
    throw error;
  }
}

async function run(file: ArchiveFile, options: StartArchiveOptions, nowMs: () => number): Promise<RunningArchive> {
  const { crypto, log, ownerSecret, retention = {} } = options;
  const { db, reading } = file;
  const nowSec = () => Math.floor(nowMs() / 1_000);
  const archiveKey = eventSigner(options.archiveSecret, crypto);
  const authTag = attest(ownerSecret, archiveKey.publicKey, 'kind=30078', crypto);
  const signer = { authTag, sign: archiveKey.sign };
  const store = new RecordStore({ db, packer, crypto, signer });
  const reader = createReader(reading, packer, crypto);
  const indexer = new Indexer({ store, views: new ViewStore(db), reader, crypto, nowSec });
  if (store.meta('clean') === '0') store.noteInterruption(nowSec());
  store.setMeta('clean', '0');

  let viewer: Viewer | undefined;
  let agents = options.agents;
  const keeper = new Keeper({
    store,
    indexer,
    opener: new Opener(ownerSecret, hexDecode(store.meta('salt') ?? ''), crypto),
    keeps: options.keeps ?? (() => true),
    nowMs,
    log,
    describe: (cause) => describeFault(file.path, cause),
    onRecovered: () => watch(),
    onKept: (event) => history?.announce(event, event.json),
  });
  const history =
    options.socket === undefined
      ? undefined
      : await startHistoryServer({
          ...options.socket,
          owner: localSigner(ownerSecret, crypto),
          frames: heldFrames(reading, packer, localSigner(ownerSecret, crypto).publicKey, crypto),
          crypto,
        });

  const troubles = new Map<string, string>();
  /** Each trouble with a relay once, and its end. */
  function tellRelay(url: string, { phase, reason }: RelayState): void {
    if (phase === 'waiting' && reason !== undefined && troubles.get(url) !== reason) {
      troubles.set(url, reason);
      log.warn({ url }, `nothing is received from ${url}: ${reason}`);
    }
    if (phase === 'ready' && troubles.delete(url))
      log.info({ url }, `${url} is there again: what was missed is asked for`);
  }

  /** A viewer that starts from what is held: what was missed is asked for, also what found no room. */
  function watch(): void {
    viewer?.close();
    viewer = createViewer({
      signer: localSigner(ownerSecret, crypto),
      relays: options.relays,
      agents,
      viewerId: options.viewerId ?? 'archive',
      openSocket: options.openSocket ?? systemSocket,
      clock: { nowMs, setTimer },
      crypto,
      random: Math.random,
      uuid: randomUUID,
      onReceived: (received) => keeper.take(received),
      onLost: (agent, stream, spans) => noteLost(agent, stream, spans),
      held: (agent) => heldStreams(reading, agent),
      onEvent: (event) => {
        if (event.type === 'warning') log.warn({ agent: event.agent, code: event.code }, event.message);
        else if (event.type === 'relay') tellRelay(event.url, event.state);
      },
    });
  }

  for (const _ of indexer.catchUp()) await new Promise<void>((resolve) => setImmediate(resolve));
  nameAgents(agents);
  watch();

  const guarded = (act: () => void) => () => {
    try {
      act();
    } catch (cause) {
      log.error({}, describeFault(file.path, cause).message);
    }
  };
  const keepTidy = guarded(() => {
    keeper.flush();
    keeper.index();
    const removed = applyRetention(db, store, retention, nowMs());
    if (removed === 0) return;
    indexer.reset();
    log.info({ records: removed }, 'removed what is too old or too much; a signed tombstone says so');
  });
  const timers = [
    setInterval(
      guarded(() => store.checkpoint(nowSec())),
      CHECKPOINT_MS,
    ),
    setInterval(keepTidy, RETENTION_MS),
  ];
  keepTidy();

  /** What nobody has any more becomes a named gap, of those that are kept. */
  function noteLost(agent: string, stream: string, spans: readonly { first: number; last: number }[]): void {
    if (options.keeps?.(agent) === false) return;
    guarded(() => {
      for (const { first, last } of spans) store.noteLost(agent, stream, first, last);
    })();
  }

  function nameAgents(list: readonly KnownAgent[]): void {
    for (const { publicKey, name } of list) if (name !== '') store.nameAgent(publicKey, name);
  }

  return {
    file: file.path,
    url: history?.url,
    status: () => ({
      file: file.path,
      bytes: usedBytes(db),
      records: store.head.n,
      trouble: keeper.trouble?.message,
      dropped: keeper.dropped,
    }),
    checkpoint() {
      keeper.flush();
      return store.checkpoint(nowSec());
    },
    setAgents(list) {
      agents = list;
      nameAgents(list);
      viewer?.setAgents(list);
    },
    async close() {
      viewer?.close();
      await history?.close();
      for (const timer of timers) clearInterval(timer);
      keeper.close();
      guarded(() => {
        store.checkpoint(nowSec());
        store.setMeta('clean', '1');
      })();
      file.close();
    },
  };
}

function setTimer(delayMs: number, fire: () => void): () => void {
  const timer = setTimeout(fire, delayMs);
  return () => clearTimeout(timer);
}

/** No compression: frames are ciphertext. */
const systemSocket = openSocketWith(
  class extends WebSocket {
    constructor(url: string) {
      super(url, { perMessageDeflate: false });
    }
  },
);
