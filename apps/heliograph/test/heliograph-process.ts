import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';

export const entry = fileURLToPath(new URL('../../../heliograph.mjs', import.meta.url));

export interface StartOptions {
  /** HELIOGRAPH_HOME of the process. */
  readonly home: string;
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Written to standard input, which then ends. */
  readonly input?: string;
}

/** The real command as a process of its own. */
export interface Running {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The ready line of one part, once it is there; rejects when the process ends without it. */
  ready(part: 'relay' | 'agent' | 'desktop' | 'archive'): Promise<Record<string, string>>;
  /** Waits until stderr has text that fits; rejects when the process ends without it. */
  says(pattern: RegExp): Promise<void>;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<{ code: number | null }>;
}

const started = new Set<ChildProcess>();
afterEach(() => {
  for (const child of started) if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  started.clear();
});

/** Starts `heliograph` with these words. */
export function start(words: readonly string[], options: StartOptions): Running {
  return startProgram(process.execPath, [entry, ...words], options);
}

/** Starts any program the same way: with its own home, and without a screen. */
export function startProgram(
  program: string,
  args: readonly string[],
  { home, cwd = home, env, input }: StartOptions,
): Running {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(HELIOGRAPH_|npm_|INIT_CWD|DISPLAY|WAYLAND_DISPLAY|FORCE_COLOR)/.test(name),
  );
  const child = spawn(program, args, { cwd, env: { ...Object.fromEntries(own), HELIOGRAPH_HOME: home, ...env } });
  started.add(child);
  let stdout = '';
  let stderr = '';
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    notify();
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
    notify();
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = once(child, 'close').then(([code]) => ({ code }));

  const until = <T>(look: () => T | undefined, what: string) =>
    new Promise<T>((resolve, reject) => {
      const watcher = () => {
        const found = look();
        if (found === undefined) return;
        watchers.delete(watcher);
        resolve(found);
      };
      watchers.add(watcher);
      watcher();
      void ended.then(({ code }) => reject(new Error(`ended with ${code} before ${what}; stderr:\n${stderr}`)));
    });

  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    ready: (part) => until(() => readyLines(stdout).find((line) => line.ready === part), `the ready line of ${part}`),
    says: (pattern) => until(() => (pattern.test(stderr) ? true : undefined), String(pattern)).then(() => {}),
    signal: (name) => child.kill(name),
    ended,
  };
}

/** Runs `heliograph` to its end. */
export async function run(
  words: readonly string[],
  options: StartOptions,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const running = start(words, options);
  const { code } = await running.ended;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

/** Every whole line of stdout, parsed: throws when one is not JSON. */
export function readyLines(stdout: string): Record<string, string>[] {
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** The processes below this one, as Linux tells them. */
export function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entryName) => /^\d+$/.test(entryName))) {
    const parent = parentOf(name);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const below = (of: number): number[] => (children.get(of) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

export function isAlive(pid: number): boolean {
  const parent = parentOf(String(pid));
  return parent !== undefined;
}

/** The parent of a process that runs; a process that ended but was not collected (a zombie) does not. */
function parentOf(pid: string): number | undefined {
  try {
    const [, state, parent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state === 'Z' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}
