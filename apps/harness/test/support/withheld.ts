import { readdirSync, readFileSync } from 'node:fs';

const SAMPLE_MS = 25;
const WINDOW_MS = 10_000;
/** What is granted where the system does not tell. */
const UNKNOWN_MS = 250;

/**
 * How long a busy machine kept a process and what it started from running although they wanted to: what a test of times has
 * to grant them, and no more. Linux tells; elsewhere a fixed time is granted.
 */
export class Withheld {
  readonly #pid: number;
  readonly #samples: { readonly atMs: number; readonly totalMs: number }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  /** From `sinceMs` (of the last ten seconds) until now. */
  since(sinceMs: number): number {
    this.#sample();
    const first = this.#samples.findLast(({ atMs }) => atMs <= sinceMs) ?? this.#samples[0];
    const last = this.#samples.at(-1);
    return first === undefined || last === undefined ? UNKNOWN_MS : last.totalMs - first.totalMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const totalMs = waitedMs(this.#pid);
    if (totalMs === undefined) return;
    const atMs = Date.now();
    this.#samples.push({ atMs, totalMs });
    while ((this.#samples[0]?.atMs ?? atMs) < atMs - WINDOW_MS) this.#samples.shift();
  }
}

/** Waiting for a processor, over all threads of the process and its children. */
function waitedMs(pid: number): number | undefined {
  try {
    let totalMs = 0;
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      const folder = `/proc/${pid}/task/${task}`;
      totalMs += Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
      const children = readFileSync(`${folder}/children`, 'utf8').trim().split(' ');
      for (const child of children) if (child !== '') totalMs += waitedMs(Number(child)) ?? 0;
    }
    return totalMs;
  } catch {
    return undefined; // Another system, or a thread that has ended meanwhile.
  }
}
