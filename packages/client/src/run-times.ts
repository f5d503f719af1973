/** Runs remembered of one agent. */
const MAX_RUNS = 16;

interface RunTime {
  first: string;
  last: string;
  /** It said something newer than all before after a later run had been heard. */
  spokeAgain: boolean;
}

/**
 * When each run of one agent was heard of, by its own times. A key runs once on a machine, so runs follow each other: two
 * that were both there at one time are two harnesses, in whatever order what they say arrives (VI12). A clock that was set
 * back makes one after the other look like that, but then the older one says nothing new.
 */
export class RunTimes {
  /** In the order they were first heard. */
  readonly #runs = new Map<string, RunTime>();

  /** Notes that `run` spoke at that time; true when another run spoke in between two times of this one, or this one of it. */
  note(run: string, at: string): boolean {
    const known = this.#runs.get(run);
    const times = known ?? { first: at, last: at, spokeAgain: false };
    if (at < times.first) times.first = at;
    if (at > times.last) {
      times.last = at;
      times.spokeAgain ||= [...this.#runs.keys()].at(-1) !== run;
    }
    if (known === undefined) {
      this.#runs.set(run, times);
      const [oldest] = this.#runs.keys();
      if (this.#runs.size > MAX_RUNS && oldest !== undefined) this.#runs.delete(oldest);
    }
    let isBefore = true;
    for (const [other, { first, last, spokeAgain }] of this.#runs) {
      if (other === run) isBefore = false;
      else if (first < times.last && times.first < last && (isBefore ? spokeAgain : times.spokeAgain)) return true;
    }
    return false;
  }
}
