import { Worker } from 'node:worker_threads';
import type { Crypto, PendingVerification } from '@heliograph/wire';
import type { Log } from './log.ts';
import { CHECK_BYTES, type VerifyDone, type VerifyJob, type VerifyLoaded } from './verify-job.ts';

/** What a pool is made of. */
export interface VerifyPoolOptions {
  /** Threads, at least 1. */
  readonly count: number;
  /** The built `verify-worker`. */
  readonly file: string;
  /** Checks here what no worker can. */
  readonly crypto: Pick<Crypto, 'schnorrVerify'>;
  readonly log: Log;
}

interface Check {
  readonly pending: PendingVerification;
  readonly then: (holds: boolean) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Resolves once the worker has loaded its engine, or has ended. */
  readonly loaded: Promise<void>;
  /** Jobs that are on their way, by id. */
  readonly jobs: Map<number, readonly Check[]>;
}

/** How long a place stays empty after its worker ended, doubled each time until one answers: one that can't run must not keep the relay busy. */
const RESTART_MS = 1_000;
const MAX_RESTART_MS = 60_000;
/** Fewer checks than this are not worth a thread of their own. */
const MIN_JOB = 4;
/** How long a worker may load its engine once it is to stop: enough on a busy machine. */
const LOAD_MS = 10_000;

/**
 * Checks signatures in worker threads, all of one turn of the event loop in one message to each. What waits is bounded by
 * who asks (see VerifyLine). A worker that ends takes nothing with it: its checks are made here, and another is started.
 */
export class VerifyPool {
  readonly #options: VerifyPoolOptions;
  readonly #threads = new Set<Thread>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #gathered: Check[] = [];
  #turnEnd: NodeJS.Immediate | undefined;
  #lastJob = 0;
  #restartMs = RESTART_MS;
  #isClosed = false;

  constructor(options: VerifyPoolOptions) {
    this.#options = options;
    for (let n = 0; n < options.count; n++) this.#start();
  }

  /** Checks one signature and tells what came of it, later; checks end in no order. */
  check(pending: PendingVerification, then: (holds: boolean) => void): void {
    this.#gathered.push({ pending, then });
    this.#turnEnd ??= setImmediate(() => this.#dispatch());
  }

  /** Ends the threads; what they had not answered is forgotten. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearImmediate(this.#turnEnd);
    for (const restart of this.#restarts) clearTimeout(restart);
    await Promise.all([...this.#threads].map(stop));
  }

  #dispatch(): void {
    this.#turnEnd = undefined;
    const checks = this.#gathered;
    this.#gathered = [];
    const threads = [...this.#threads].sort((a, b) => a.jobs.size - b.jobs.size);
    if (threads.length === 0) {
      this.#checkHere(checks);
      return;
    }
    const share = Math.max(MIN_JOB, Math.ceil(checks.length / threads.length));
    for (const [n, thread] of threads.entries()) {
      const part = checks.slice(n * share, (n + 1) * share);
      if (part.length > 0) this.#post(thread, part);
    }
  }

  #post({ worker, jobs }: Thread, part: readonly Check[]): void {
    const checks = new Uint8Array(part.length * CHECK_BYTES);
    for (const [n, { pending }] of part.entries()) {
      checks.set(pending.sig64, n * CHECK_BYTES);
      checks.set(pending.hash32, n * CHECK_BYTES + 64);
      checks.set(pending.xOnlyPublicKey, n * CHECK_BYTES + 96);
    }
    this.#lastJob += 1;
    const job: VerifyJob = { id: this.#lastJob, checks };
    jobs.set(job.id, part);
    worker.postMessage(job, [checks.buffer]);
  }

  #start(): void {
    const { file, log } = this.#options;
    const worker = new Worker(file);
    const loaded = new Promise<void>((resolve) =>
      worker.once('message', () => resolve()).once('exit', () => resolve()),
    );
    const thread: Thread = { worker, loaded, jobs: new Map() };
    this.#threads.add(thread);
    worker.on('message', (said: VerifyLoaded | VerifyDone) => {
      if (said === 'loaded') return;
      const { id, holds } = said;
      const part = thread.jobs.get(id) ?? [];
      thread.jobs.delete(id);
      this.#restartMs = RESTART_MS;
      for (const [n, { then }] of part.entries()) then(holds[n] === 1);
    });
    worker.on('error', (error) => log.error({ reason: error.message }, 'a verify worker failed'));
    worker.on('exit', (code) => {
      this.#threads.delete(thread);
      if (this.#isClosed) return;
      log.error({ code, checks: [...thread.jobs.values()].flat().length }, 'a verify worker ended; starting another');
      const restart = setTimeout(() => {
        this.#restarts.delete(restart);
        this.#start();
      }, this.#restartMs);
      this.#restartMs = Math.min(2 * this.#restartMs, MAX_RESTART_MS);
      this.#restarts.add(restart);
      for (const part of thread.jobs.values()) this.#checkHere(part);
    });
  }

  #checkHere(checks: readonly Check[]): void {
    for (const { pending, then } of checks) {
      then(this.#options.crypto.schnorrVerify(pending.sig64, pending.hash32, pending.xOnlyPublicKey));
    }
  }
}

/** Stops a worker, though not while it loads its engine: a thread stopped inside the native loader ends the whole process. */
async function stop({ worker, loaded }: Thread): Promise<void> {
  let deadline: NodeJS.Timeout | undefined;
  await Promise.race([loaded, new Promise((resolve) => (deadline = setTimeout(resolve, LOAD_MS)))]);
  clearTimeout(deadline);
  await worker.terminate();
}
