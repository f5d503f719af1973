/** Runs remembered of one agent. */
const MAX_RUNS = 16;

/**
 * When each run of one agent was heard of, by its own times. A key runs once on a machine, so runs follow each other: two
 * that were both there at one time are two harnesses, in whatever order what they say arrives (VI12).
 */
export class RunTimes {
  readonly #runs = new Map<string, { first: string; last: string }>();

  /** Notes that `run` spoke at that time; true when another run spoke in between two times of this one, or this one of it. */
  note(run: string, at: string): boolean {
    const known = this.#runs.get(run);
    const times = known ?? { first: at, last: at };
    if (at < times.first) times.first = at;
    if (at > times.last) times.last = at;
    if (known === undefined) {
      this.#runs.set(run, times);
      const [oldest] = this.#runs.keys();
      if (this.#runs.size > MAX_RUNS && oldest !== undefined) this.#runs.delete(oldest);
    }
    for (const [other, { first, last }] of this.#runs)
      if (other !== run && first < times.last && times.first < last) return true;
    return false;
  }
}
