import type { SpoolEntry } from './spool.ts';

interface Job {
  readonly open: Set<SpoolEntry>;
  readonly done: () => void;
}

/** Re-sends under way: each is done when some relay took the last of its envelopes, or they left every queue. */
export class Replays {
  readonly #jobs = new Set<Job>();

  get size(): number {
    return this.#jobs.size;
  }

  start(entries: readonly SpoolEntry[], done: () => void): void {
    if (entries.length === 0) done();
    else this.#jobs.add({ open: new Set(entries), done });
  }

  settled(entry: SpoolEntry): void {
    for (const job of this.#jobs) {
      if (!job.open.delete(entry) || job.open.size > 0) continue;
      this.#jobs.delete(job);
      job.done();
    }
  }
}
