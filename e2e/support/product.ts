import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const repository = resolve(import.meta.dirname, '../..');

/** A ready line: `{"ready": "relay", …}`. */
export type Ready = { readonly ready: string } & Readonly<Record<string, string>>;

/** The public command, run as a user runs it: a process with a home of its own, seen only through its pipes. */
export class Program {
  readonly stdout: string[] = [];
  stderr = '';
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #waiting: { readonly test: () => boolean; readonly resolve: () => void }[] = [];
  #over = false;

  constructor(
    args: readonly string[],
    options: { readonly home: string; readonly cwd?: string; readonly stdin?: string },
  ) {
    const { INIT_CWD: _, npm_lifecycle_event: __, DISPLAY: ___, ...env } = process.env;
    this.#child = spawn(process.execPath, [join(repository, 'heliograph.mjs'), ...args], {
      cwd: options.cwd ?? options.home,
      env: { ...env, HELIOGRAPH_HOME: options.home },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdin?.end(options.stdin ?? '');
    createInterface({ input: this.#child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      this.stdout.push(line);
      this.#check();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#check();
    });
    this.exited = new Promise((done) => {
      this.#child.on('close', (code) => {
        this.#over = true;
        this.#check();
        done(code);
      });
    });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** The ready line of that name; rejects with all of stderr when the program ends without it. */
  async ready(name: string): Promise<Ready> {
    const find = () => this.stdout.map((line) => JSON.parse(line) as Ready).find((line) => line.ready === name);
    await this.until(() => find() !== undefined, `"ready":"${name}"`);
    return find() as Ready;
  }

  async until(test: () => boolean, what: string): Promise<void> {
    if (!test())
      await new Promise<void>((resolve) => this.#waiting.push({ test: () => test() || this.#over, resolve }));
    if (!test())
      throw new Error(`the program ended before ${what}; it said:\n${this.stderr}\n${this.stdout.join('\n')}`);
  }

  /** As Ctrl-C does; resolves with the exit code. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    if (!this.#over) this.#child.kill(signal);
    return this.exited;
  }

  #check(): void {
    for (const waiting of [...this.#waiting]) {
      if (!waiting.test()) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.resolve();
    }
  }
}

/** Programs and folders of one test, all ended and removed by `close`. */
export class Product {
  readonly folder = mkdtempSync(join(tmpdir(), 'heliograph-e2e-'));
  readonly programs: Program[] = [];

  /** A folder of this test's own: each machine of a story is one. */
  home(name: string): string {
    return join(this.folder, name);
  }

  start(
    args: readonly string[],
    options: { readonly home: string; readonly cwd?: string; readonly stdin?: string },
  ): Program {
    const program = new Program(args, { cwd: this.folder, ...options });
    this.programs.push(program);
    return program;
  }

  /** Runs a command to its end and returns what it printed; throws unless it exits 0. */
  async run(args: readonly string[], options: { readonly home: string }): Promise<string> {
    const program = this.start(args, options);
    const code = await program.exited;
    if (code !== 0) throw new Error(`heliograph ${args.join(' ')} exited ${code}: ${program.stderr}`);
    return program.stdout.join('\n');
  }

  async close(): Promise<void> {
    await Promise.all(this.programs.map((program) => program.stop()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs the built-in demo agent as a command of its own. */
export const demoAgent = [process.execPath, join(repository, 'apps/heliograph/dist/demo-agent.mjs')];
/** Puts a tee that keeps both directions' bytes in `folder` before an agent's command. */
export const tee = (folder: string, command: readonly string[]): string[] => [
  process.execPath,
  join(repository, 'e2e/tee.mjs'),
  folder,
  '--',
  ...command,
];
/** A one-behaviour agent of the fixtures. */
export const fixtureAgent = (name: string): string[] => [process.execPath, join(repository, 'fixtures/agents', name)];
