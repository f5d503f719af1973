import { existsSync } from 'node:fs';
import {
  ArchiveAsker,
  type ArchiveConfig,
  type Hit,
  type RunningArchive,
  withKept,
  writeArchiveConfig,
} from '@heliograph/app-archive';
import type { ArchiveAnswers, ArchiveAsk, ArchiveState } from '@heliograph/app-desktop/host';
import { err, ok, type Result } from '@heliograph/wire';
import { archiveDecisions } from './archive-place.ts';
import type { Context } from './context.ts';

export interface ArchiveDeskOptions {
  readonly context: Context;
  /** Starts the archive as it was decided; rejects with the sentence that says why it can't. */
  readonly open: () => Promise<RunningArchive>;
  /** 32 bytes: opens what an archive of ciphertext only holds. */
  readonly ownerSecret: Uint8Array;
}

type Failure = { readonly message: string };

/** Hits told of one search; lines in one page. */
const MAX_HITS = 100;
const PAGE_LINES = 400;

/** The archive as the desktop on this machine has it: kept while it is on, and asked by the page. */
export class ArchiveDesk {
  readonly #options: ArchiveDeskOptions;
  readonly #asker: ArchiveAsker;
  #running: RunningArchive | undefined;
  #trouble: (Error & { readonly code?: unknown }) | undefined;
  #switching: Promise<void> = Promise.resolve();

  constructor(options: ArchiveDeskOptions) {
    this.#options = options;
    const { context, ownerSecret } = options;
    this.#asker = new ArchiveAsker({ workerFile: context.installation.askWorkerFile, ownerSecret });
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
      if (this.#trouble.code === 'in-use') {
        log.info(
          { file: this.#file() },
          'another process keeps the archive (archive run, or another desktop); this desktop reads it',
        );
      } else log.warn({}, `nothing is kept by this desktop: ${this.#trouble.message}`);
    }
  }

  async close(): Promise<void> {
    await this.#asker.close();
    await this.#inTurn(() => this.#stop());
  }

  /** Starts and stops come one after the other, in the order they were asked for. */
  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#switching.then(act);
    this.#switching = done.catch(() => {});
    return done;
  }

  /** `signal`: who asked no longer waits. */
  async ask<A extends ArchiveAsk>(ask: A, signal: AbortSignal): Promise<Result<ArchiveAnswers[A['ask']], Failure>> {
    try {
      return (await this.#answer(ask, signal)) as Result<ArchiveAnswers[A['ask']], Failure>;
    } catch (error) {
      return err({ message: `${error instanceof Error ? error.message : String(error)}.` });
    }
  }

  async #answer(ask: ArchiveAsk, signal: AbortSignal): Promise<Result<unknown, Failure>> {
    switch (ask.ask) {
      case 'state':
        return ok(await this.#state());
      case 'switch':
        return this.#switch(ask.isOn);
      case 'keep': {
        const { archiveConfig } = this.#options.context.places;
        // Whoever keeps the archive looks at this file for every frame.
        writeArchiveConfig(archiveConfig, withKept(archiveDecisions(this.#options.context), [ask.agent], ask.isKept));
        return ok(await this.#state());
      }
      case 'search': {
        const query = { ...ask.query, limit: MAX_HITS + 1 };
        const found = await this.#asker.ask({ ask: 'search', file: this.#file(), query }, signal);
        return found.ok ? ok(foundOf(found.value)) : found;
      }
      case 'lines': {
        const { session, after } = ask;
        const asked = { ask: 'lines', file: this.#file(), session, after, limit: PAGE_LINES } as const;
        const page = await this.#asker.ask(asked, signal);
        return page.ok ? ok({ lines: page.value.lines, after: page.value.after }) : page;
      }
    }
  }

  #switch(isOn: boolean): Promise<Result<ArchiveState, Failure>> {
    const done = this.#inTurn(async () => {
      const { context } = this.#options;
      const before = archiveDecisions(context);
      // Of whom it keeps stays as it was decided, and what is kept already stays when it is switched off.
      const config: ArchiveConfig = { ...before, on: isOn };
      if (before.on !== isOn) writeArchiveConfig(context.places.archiveConfig, config);
      if (isOn) await this.#start();
      else await this.#stop();
    });
    return done.then(async () => ok(await this.#state()));
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    this.#trouble = undefined;
    await running?.close();
  }

  async #state(): Promise<ArchiveState> {
    const { context } = this.#options;
    const config = archiveDecisions(context);
    const file = this.#file();
    const shown = await this.#shown(file);
    const { agents, except = [], maxAgeMs, maxBytes } = config;
    const isOthers = this.#trouble?.code === 'in-use';
    const keeper = this.#running !== undefined ? 'here' : isOthers ? 'another' : 'nobody';
    const trouble = this.#running?.status().trouble ?? (isOthers ? undefined : this.#trouble?.message) ?? shown.trouble;
    const atRest = shown.atRest ?? config.atRest;
    return { isOn: config.on, keeper, file, agents, except, maxAgeMs, maxBytes, ...shown, atRest, trouble };
  }

  async #shown(file: string) {
    const nothing = { bytes: 0, records: 0, sessions: 0, oldestAt: undefined, newestAt: undefined, atRest: undefined };
    if (!existsSync(file)) return { ...nothing, trouble: undefined };
    const shown = await this.#asker.ask({ ask: 'shown', file });
    if (!shown.ok) return { ...nothing, trouble: shown.error.message };
    const { oldestMs, newestMs, ...counts } = shown.value;
    const at = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
    return { ...counts, oldestAt: at(oldestMs), newestAt: at(newestMs), trouble: undefined };
  }

  #file(): string {
    const { context } = this.#options;
    return this.#running?.file ?? archiveDecisions(context).file ?? context.places.archiveFile;
  }
}

/** What was found as the page is told of it; one more than is told was looked for. */
function foundOf(hits: readonly Hit[]): ArchiveAnswers['search'] {
  const told = hits
    .slice(0, MAX_HITS)
    .map(({ item: _, session, channelId, agentName, toolKind, status, decision, ...hit }) => ({
      ...hit,
      place: session === null || channelId === null ? undefined : { session, channelId },
      agentName: agentName ?? undefined,
      toolKind: toolKind ?? undefined,
      status: status ?? undefined,
      decision: decision ?? undefined,
    }));
  return { hits: told, isMore: hits.length > MAX_HITS };
}
