/** Characters of a needle that are looked for: a longer one is cut. */
const MAX_NEEDLE = 1_000;

/** Something to look for: `exact` tells great letters from small ones. An empty one is nowhere. */
export class Needle {
  readonly text: string;
  readonly #pattern: RegExp | undefined;

  constructor(text: string, exact = false) {
    this.text = text.slice(0, MAX_NEEDLE);
    const escaped = this.text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    // With `u` no half of a surrogate pair is found in the middle of a character; ASCII needs none, and is found faster.
    const unicode = /^[\x20-\x7e]*$/.test(this.text) ? '' : 'u';
    this.#pattern = escaped === '' ? undefined : new RegExp(escaped, `g${exact ? '' : 'i'}${unicode}`);
  }

  isIn(text: string): boolean {
    if (this.#pattern === undefined) return false;
    this.#pattern.lastIndex = 0;
    return this.#pattern.test(text);
  }

  /** The first `max` places in a text, one behind the other, as UTF-16 offsets. */
  *places(text: string, max: number): Generator<{ readonly start: number; readonly end: number }> {
    if (this.#pattern === undefined || max <= 0) return;
    let count = 0;
    this.#pattern.lastIndex = 0;
    for (const match of text.matchAll(this.#pattern)) {
      yield { start: match.index, end: match.index + match[0].length };
      if (++count >= max) return;
    }
  }
}
