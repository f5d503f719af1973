import { existsSync } from 'node:fs';
import {
  type ArchiveConfig,
  joinArchiveFile,
  packer,
  type RunningArchive,
  searchArchive,
  usedBytes,
  writeArchiveConfig,
} from '@heliograph/app-archive';
import type { ArchiveAnswers, ArchiveAsk, ArchiveQuery, ArchiveState } from '@heliograph/app-desktop/host';
import { type ArchiveReader, createReader } from '@heliograph/record';
import { err, ok, type Result } from '@heliograph/wire';
import type Database from 'better-sqlite3';
import { archiveDecisions } from './archive-place.ts';
import type { Context } from './context.ts';

export interface ArchiveDeskOptions {
  readonly context: Context;
  /** Starts the archive as it was decided; rejects with the sentence that says why it can't. */
  readonly open: () => Promise<RunningArchive>;
}

type Failure = { readonly message: string };

/** Hits told of one search; lines in one page. */
const MAX_HITS = 100;
const PAGE_LINES = 400;

/** The archive as the desktop on this machine has it: kept while it is on, and asked by the page. */
export class ArchiveDesk {
  readonly #options: ArchiveDeskOptions;
  #running: RunningArchive | undefined;
  #trouble: (Error & { readonly code?: unknown }) | undefined;
  #switching: Promise<void> = Promise.resolve();

  constructor(options: ArchiveDeskOptions) {
    this.#options = options;
  }

  /** Keeps, where the owner switched it on. Whatever is wrong with it, watching goes on. */
  start(): Promise<void> {
    return this.#inTurn(() => this.#start());
  }

  async #start(): Promise<void> {
    const { context, open } = this.#options;
    const { log } = context;
    if (this.#running !== undefined) return;
    try {
      if (!archiveDecisions(context).on) return;
      this.#running = await open();
      this.#trouble = undefined;
      log.info({ file: this.#running.file }, `the archive is on: it keeps what agents send in ${this.#running.file}`);
    } catch (error) {
      this.#trouble = error instanceof Error ? error : new Error(String(error));
      log.warn({}, `nothing is kept by this desktop: ${this.#trouble.message}`);
    }
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#stop());
  }

  /** Starts and stops come one after the other, in the order they were asked for. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#switching.then(act);
    this.#switching = done.catch(() => {});
    return done;
  }

  async ask<A extends ArchiveAsk>(ask: A): Promise<Result<ArchiveAnswers[A['ask']], Failure>> {
    try {
      return (await this.#answer(ask)) as Result<ArchiveAnswers[A['ask']], Failure>;
    } catch (error) {
      return err({ message: `${error instanceof Error ? error.message : String(error)}.` });
    }
  }

  #answer(ask: ArchiveAsk): Promise<Result<ArchiveAnswers[ArchiveAsk['ask']], Failure>> | Result<unknown, Failure> {
    switch (ask.ask) {
      case 'state':
        return ok(this.#state());
      case 'switch':
        return this.#switch(ask.isOn);
      case 'search':
        return this.#read((db, reader) => search(db, reader, ask.query));
      case 'lines':
        return this.#read((_, reader) => ok(linesOf(reader, ask)));
    }
  }

  #switch(isOn: boolean): Promise<Result<ArchiveState, Failure>> {
    const done = this.#inTurn(async () => {
      const { context } = this.#options;
      const before = archiveDecisions(context);
      // Switched on it keeps everything, as `archive on` does; what is kept already stays when it is switched off.
      const config: ArchiveConfig = isOn
        ? { ...before, on: true, agents: undefined, except: undefined }
        : { ...before, on: false };
      if (before.on !== isOn) writeArchiveConfig(context.places.archiveConfig, config);
      if (isOn) await this.#start();
      else await this.#stop();
    });
    return done.then(() => ok(this.#state()));
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#trouble = undefined;
    await running?.close();
  }

  #state(): ArchiveState {
    const { context } = this.#options;
    const config = archiveDecisions(context);
    const file = this.#running?.file ?? config.file ?? context.places.archiveFile;
    const shown = this.#shown(file);
    const { agents, except = [], maxAgeMs, maxBytes } = config;
    const isOthers = this.#trouble?.code === 'in-use';
    const keeper = this.#running !== undefined ? 'here' : isOthers ? 'another' : 'nobody';
    const trouble = this.#running?.status().trouble ?? (isOthers ? undefined : this.#trouble?.message) ?? shown.trouble;
    const atRest = shown.atRest ?? config.atRest;
    return { isOn: config.on, keeper, file, agents, except, maxAgeMs, maxBytes, ...shown, atRest, trouble };
  }

  #shown(file: string) {
    const nothing = { bytes: 0, records: 0, sessions: 0, oldestAt: undefined, newestAt: undefined };
    if (!existsSync(file)) return { ...nothing, atRest: undefined, trouble: undefined };
    const db = joinArchiveFile(file);
    if (!db.ok) return { ...nothing, atRest: undefined, trouble: db.error.message };
    try {
      const { records, atRest } = createReader(db.value, packer, this.#options.context.crypto).about();
      const one = (sql: string) => db.value.prepare(sql).pluck().get() as number | undefined;
      const at = (receivedMs: number | undefined) =>
        receivedMs === undefined ? undefined : new Date(receivedMs).toISOString();
      return {
        bytes: usedBytes(db.value),
        records,
        sessions: one('SELECT count(*) FROM sessions') ?? 0,
        oldestAt: at(one('SELECT received_ms FROM records ORDER BY n LIMIT 1')),
        newestAt: at(one('SELECT received_ms FROM records ORDER BY n DESC LIMIT 1')),
        atRest,
        trouble: undefined,
      };
    } finally {
      db.value.close();
    }
  }

  #read<T>(look: (db: Database.Database, reader: ArchiveReader) => Result<T, Failure>): Result<T, Failure> {
    const { context } = this.#options;
    const file = this.#running?.file ?? archiveDecisions(context).file ?? context.places.archiveFile;
    const db = joinArchiveFile(file);
    if (!db.ok) return db;
    try {
      return look(db.value, createReader(db.value, packer, context.crypto));
    } finally {
      db.value.close();
    }
  }
}

function search(
  db: Database.Database,
  reader: ArchiveReader,
  query: ArchiveQuery,
): Result<ArchiveAnswers['search'], Failure> {
  if (reader.about().atRest === 'sealed') {
    return err({ message: 'Only ciphertext is kept in this archive: there is no text to search.' });
  }
  const found = searchArchive(db, { ...query, limit: MAX_HITS + 1 });
  const hits = found
    .slice(0, MAX_HITS)
    .map(({ item: _, session, channelId, agentName, toolKind, status, decision, ...hit }) => ({
      ...hit,
      place: session === null || channelId === null ? undefined : { session, channelId },
      agentName: agentName ?? undefined,
      toolKind: toolKind ?? undefined,
      status: status ?? undefined,
      decision: decision ?? undefined,
    }));
  return ok({ hits, isMore: found.length > MAX_HITS });
}

function linesOf(reader: ArchiveReader, ask: Extract<ArchiveAsk, { ask: 'lines' }>): ArchiveAnswers['lines'] {
  const { session, after } = ask;
  const first = reader.sessions({ session })[0]?.streams[0];
  const from = after ?? (first === undefined ? undefined : { stream: first, seq: 1 });
  if (from === undefined) return { lines: [], after: undefined };
  const page = reader.lines(session, { after: from, limit: PAGE_LINES });
  return { lines: page.lines, after: page.after };
}
