import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Clock } from '@heliograph/client';
import { endStragglers, LIFE_VARIABLE, markOf } from './stragglers.ts';

/** How a process ended: its exit code, or the signal that ended it. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface AgentProcessOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The lock that is held for the agent's key: what it starts is marked with its path. */
  readonly lock: string;
  readonly clock: Clock;
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
  /** After the last byte of stdout and stderr; `end` and `kill` wait for what it waits for. */
  readonly onExit: (exit: ProcessExit) => Promise<void>;
}

/** Input the agent has not read yet, at most: one that never reads must not fill our memory. */
const MAX_UNREAD_BYTES = 16 * 1_024 * 1_024;
/** How long after the agent's exit its output may stay open: whoever holds it then is a child it left behind. */
const AFTER_EXIT_MS = 250;
const KILL_WAIT_MS = 2_000;

/** A failure to start: `code` is the system's (`ENOENT`, `EACCES`, …), `ENOTDIR` for the working directory. */
function startError(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code });
}

/** One running agent in a process group of its own. Its exit is data; nothing here throws once it runs. */
export class AgentProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  /** What marks everything it starts. */
  readonly #mark: string;
  readonly #clock: Clock;
  readonly #finished: Promise<void>;
  #finish = () => {};
  #told = Promise.resolve();

  /** Starts the command; rejects with an Error that has a `code` and names what could not be started. */
  static async start(options: AgentProcessOptions): Promise<AgentProcess> {
    const { command, cwd, env, lock } = options;
    const [file, ...args] = command;
    if (file === undefined) throw new RangeError('command must name a program');
    const isFolder = await stat(cwd).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) throw startError('ENOTDIR', `the working directory ${cwd} is no folder: give another with --cwd`);
    // A group of its own: it can be ended with everything it started, and the terminal's Ctrl-C reaches us alone.
    const mark = markOf(lock, randomUUID());
    const marked = { ...env, [LIFE_VARIABLE]: mark };
    const child = spawn(file, args, { cwd, env: marked, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause: NodeJS.ErrnoException) => {
        const code = cause.code ?? 'ESPAWN';
        const why = code === 'ENOENT' ? 'there is no such command' : cause.message;
        reject(startError(code, `the agent command "${file}" can't be started: ${why}`, cause));
      });
    });
    return new AgentProcess(child, mark, options);
  }

  private constructor(child: ChildProcessWithoutNullStreams, mark: string, options: AgentProcessOptions) {
    this.#child = child;
    this.#mark = mark;
    this.#clock = options.clock;
    this.#finished = new Promise((resolve) => {
      this.#finish = resolve;
    });
    child.stdout.on('data', options.onStdout);
    child.stderr.on('data', options.onStderr);
    // A write after the agent closed its input fails in its own callback; a kill that fails is asked about by `exit`.
    child.stdin.on('error', () => {});
    child.on('error', () => {});
    child.once('exit', () => {
      const cancel = options.clock.setTimer(AFTER_EXIT_MS, () => this.#signal('SIGKILL'));
      child.once('close', cancel);
    });
    // Whoever ends us at once, without `close`, must not leave the agent running.
    const lastWord = () => this.#signal('SIGKILL');
    process.once('exit', lastWord);
    child.once('close', (code, signal) => {
      process.off('exit', lastWord);
      // Nobody is left to read what a forgotten child would do.
      this.#signal('SIGKILL');
      this.#told = options.onExit({ code, signal });
      this.#finish();
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Writes whole lines; `flushed` is called once, with an error when they did not get out. */
  write(bytes: Uint8Array, flushed: (error: Error | undefined) => void): void {
    const { stdin } = this.#child;
    if (stdin.writableLength + bytes.length > MAX_UNREAD_BYTES) {
      flushed(startError('EAGAIN', `the agent has left ${stdin.writableLength} bytes of its input unread`));
      return;
    }
    if (!stdin.writable) {
      flushed(startError('EPIPE', 'the agent has closed its input'));
      return;
    }
    stdin.write(bytes, (error) => flushed(error ?? undefined));
  }

  /** Leaves what the agent writes in its pipe, which slows the agent down once that is full; or reads on. */
  hold(on: boolean): void {
    if (on) this.#child.stdout.pause();
    else this.#child.stdout.resume();
  }

  /** Asks the agent to go: closes its input, then TERM, then KILL for the whole group, `graceMs` apart. */
  async end(graceMs: number): Promise<void> {
    this.#child.stdin.end();
    if (!(await this.#gone(graceMs))) await this.kill(graceMs);
    await this.#told;
  }

  /** TERM for the whole group, and KILL if it is there after `graceMs`. */
  async kill(graceMs: number): Promise<void> {
    this.#signal('SIGTERM');
    if (!(await this.#gone(graceMs))) {
      this.#signal('SIGKILL');
      await this.#gone(KILL_WAIT_MS);
      // A process that left the group may still hold the pipes: let go of them.
      this.#child.stdout.destroy();
      this.#child.stderr.destroy();
      await this.#finished;
    }
    await this.#told;
  }

  async #gone(withinMs: number): Promise<boolean> {
    let cancel = () => {};
    const late = new Promise<false>((resolve) => {
      cancel = this.#clock.setTimer(withinMs, () => resolve(false));
    });
    const gone = await Promise.race([this.#finished.then(() => true), late]);
    cancel();
    return gone;
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (process.platform === 'win32') this.#child.kill(signal);
      else process.kill(-this.pid, signal);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      // Nobody of the group is left, or (macOS, for a group of zombies) nobody that takes signals.
      if (code !== 'ESRCH' && code !== 'EPERM') throw cause;
    }
    // Who left the group was asked by nobody to go; with the last word it goes too.
    if (signal === 'SIGKILL') endStragglers(this.#mark);
  }
}
