import type { RawLine } from '@heliograph/transcript';
import type { ReaderAnswer } from '../worker/reader-protocol.ts';

type Told = Extract<ReaderAnswer, { readonly type: 'lines' }>;

/** Lines kept; those that came first go first. */
const MAX_LINES = 1_000;
/** Lines asked for at once: a screenful and what is near it … */
const ASKED_LINES = 60;
/** … and no more than are read at once, whatever a screen shows. */
export const MAX_READ_LINES = 200;

/** The lines of a session as far as the page has them, by index: it knows how many there are and holds those looked at. */
export class LineWindow {
  readonly #lines = new Map<number, RawLine>();
  #asked = new Set<number>();
  #edition = -1;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Undefined: it is not here yet. */
  at(index: number): RawLine | undefined {
    return this.#lines.get(index);
  }

  take({ count, edition, from, lines }: Told): void {
    if (edition !== this.#edition) {
      this.#lines.clear();
      this.#asked.clear();
    }
    this.#edition = edition;
    this.#length = count;
    for (const [at, line] of lines.entries()) {
      this.#asked.delete(from + at);
      this.#lines.delete(from + at);
      this.#lines.set(from + at, line);
    }
    for (const index of this.#lines.keys()) {
      if (this.#lines.size <= MAX_LINES) break;
      this.#lines.delete(index);
    }
  }

  /** What is to be asked for so that the lines from `first` to `last` are here; undefined: nothing, or it was asked for. */
  missing(first: number, last: number): { readonly from: number; readonly count: number } | undefined {
    let from = first;
    while (from <= last && (this.#lines.has(from) || this.#asked.has(from))) from++;
    if (from > last || from >= this.#length) return undefined;
    // Scrolled up, what comes next stands before it.
    if (from === first) from = Math.max(0, Math.min(from, last - ASKED_LINES + 1));
    const count = Math.min(MAX_READ_LINES, Math.min(this.#length, Math.max(from + ASKED_LINES, last + 1)) - from);
    for (let index = from; index < from + count; index++) this.#asked.add(index);
    return { from, count };
  }
}
