import { Worker } from 'node:worker_threads';
import { err, type Result } from '@heliograph/wire';
import type { ArchiveAsked, ArchiveTold, AskMessage, ToldMessage } from './asked.ts';

export interface ArchiveAskerOptions {
  /** The built `ask-worker`. */
  readonly workerFile: string;
  /** Opens archives of ciphertext only, into memory; those stay closed without. */
  readonly ownerSecret?: Uint8Array | undefined;
  /** How long a question may take, from when it is asked; 20 s unless said. */
  readonly maxMs?: number;
}

interface Question {
  readonly asked: ArchiveAsked;
  readonly settle: (told: ToldMessage) => void;
}

const MAX_MS = 20_000;
/** Questions that wait for the one before; more are refused. */
const MAX_WAITING = 8;
/** A thread with nothing to do ends, and what it had opened goes with it. */
const IDLE_MS = 60_000;

const UNWANTED = 'Nobody waits for that any more.';

/**
 * Asks archives' files in a thread of its own, one question at a time: whatever a question costs, the process that asks goes
 * on. A question that takes too long is given up with its thread; the next one waits until that thread has ended.
 */
export class ArchiveAsker {
  readonly #options: ArchiveAskerOptions;
  readonly #waiting: Question[] = [];
  #current: Question | undefined;
  #worker: Worker | undefined;
  #ending: Promise<unknown> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ArchiveAskerOptions) {
    this.#options = options;
  }

  /** Resolves to the answer, or to a sentence that says why there is none. `signal`: who asked no longer waits. */
  ask<A extends ArchiveAsked>(
    asked: A,
    signal?: AbortSignal,
  ): Promise<Result<ArchiveTold[A['ask']], { readonly message: string }>> {
    const { maxMs = MAX_MS } = this.#options;
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve(err({ message: UNWANTED }));
      if (this.#isClosed || this.#waiting.length >= MAX_WAITING) {
        const message = this.#isClosed
          ? 'The archive is being closed.'
          : `${MAX_WAITING} questions wait already: ask again later.`;
        return resolve(err({ message }));
      }
      const giveUp = (message: string) => () => this.#giveUp(question, message);
      const tooLong = setTimeout(
        giveUp(`That took longer than ${maxMs / 1_000} s and was given up: ask for less, one session or one agent.`),
        maxMs,
      );
      const unwanted = giveUp(UNWANTED);
      signal?.addEventListener('abort', unwanted, { once: true });
      const question: Question = {
        asked,
        settle(told) {
          clearTimeout(tooLong);
          signal?.removeEventListener('abort', unwanted);
          resolve(told as Result<ArchiveTold[A['ask']], { readonly message: string }>);
        },
      };
      this.#waiting.push(question);
      this.#next();
    });
  }

  /** Ends the thread; what is not answered is answered so. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { settle } of this.#waiting.splice(0)) settle(err({ message: 'The archive was closed.' }));
    if (this.#current !== undefined) this.#giveUp(this.#current, 'The archive was closed.');
    else this.#end();
    await this.#ending;
  }

  #next(): void {
    if (this.#current !== undefined || this.#ending !== undefined) return;
    clearTimeout(this.#idle);
    const question = this.#waiting.shift();
    if (question === undefined) {
      this.#idle = setTimeout(() => this.#end(), IDLE_MS);
      this.#idle.unref();
      return;
    }
    this.#current = question;
    this.#worker ??= this.#start();
    const message: AskMessage = { asked: question.asked, ownerSecret: this.#options.ownerSecret };
    this.#worker.postMessage(message);
  }

  #start(): Worker {
    const worker = new Worker(this.#options.workerFile);
    // It alone keeps no process alive: who asked does.
    worker.unref();
    const answer = (told: ToldMessage) => {
      if (this.#worker !== worker) return;
      const question = this.#current;
      this.#current = undefined;
      question?.settle(told);
      this.#next();
    };
    worker.on('message', answer);
    worker.on('error', (error) => {
      const message = `The archive can't be read beside this desktop: ${error.message}.`;
      const told: ToldMessage = err({ message });
      if (this.#worker !== worker) return;
      const question = this.#current;
      this.#current = undefined;
      this.#end();
      question?.settle(told);
    });
    return worker;
  }

  #giveUp(question: Question, message: string): void {
    const at = this.#waiting.indexOf(question);
    if (at >= 0) this.#waiting.splice(at, 1);
    else if (this.#current === question) {
      this.#current = undefined;
      this.#end();
    }
    question.settle(err({ message }));
  }

  /** SQLite is not interrupted: the thread ends after the step it is in, and no other begins before. */
  #end(): void {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    if (worker === undefined) return;
    this.#ending = worker.terminate().finally(() => {
      this.#ending = undefined;
      this.#next();
    });
  }
}
