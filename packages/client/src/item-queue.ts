/**
 * Hands items from a socket's callback to an `for await` loop. At most `maxItems` wait: beyond that the newest are dropped
 * and `overflow` says what stands in their place, once per run of drops.
 */
export class ItemQueue<T> implements AsyncIterable<T> {
  readonly #maxItems: number;
  readonly #overflow: () => T;
  #items: T[] = [];
  #next = 0;
  #overflowing = false;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(maxItems: number, overflow: () => T) {
    this.#maxItems = maxItems;
    this.#overflow = overflow;
  }

  push(item: T): void {
    if (this.#ended) return;
    if (this.#items.length - this.#next >= this.#maxItems) {
      if (!this.#overflowing) this.#items.push(this.#overflow());
      this.#overflowing = true;
    } else {
      this.#overflowing = false;
      this.#items.push(item);
    }
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (;;) {
      while (this.#next < this.#items.length) {
        const item = this.#items[this.#next] as T;
        this.#next++;
        if (this.#next === this.#items.length || this.#next >= 1_024) {
          this.#items = this.#items.slice(this.#next);
          this.#next = 0;
        }
        yield item;
      }
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
