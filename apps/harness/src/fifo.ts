/** So many items that were taken may still hold a place, or as many as wait. */
const SLACK = 1_024;

/** A queue whose front is looked at and taken at no cost, however long it is. */
export class Fifo<T> {
  #items: T[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The item at `index` from the front. */
  at(index: number): T | undefined {
    return this.#items[this.#start + index];
  }

  last(): T | undefined {
    return this.length > 0 ? this.#items.at(-1) : undefined;
  }

  /** The first items, which stay. */
  front(count: number): T[] {
    return this.#items.slice(this.#start, this.#start + count);
  }

  shift(): T | undefined {
    const item = this.at(0);
    this.#drop(1);
    return item;
  }

  /** Takes the first items out. */
  take(count: number): T[] {
    const taken = this.front(count);
    this.#drop(taken.length);
    return taken;
  }

  #drop(count: number): void {
    this.#start = Math.min(this.#start + count, this.#items.length);
    // Moving what is left costs no more than taking did, and what was taken is not held on to for long.
    if (this.length > 0 && this.#start < Math.max(SLACK, this.length)) return;
    this.#items = this.#items.slice(this.#start);
    this.#start = 0;
  }
}
