/** The newest `capacity` ids, in two generations: the older one is dropped whole. */
export class SeenIds {
  readonly #half: number;
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(capacity: number) {
    this.#half = Math.ceil(capacity / 2);
  }

  has(id: string): boolean {
    return this.#young.has(id) || this.#old.has(id);
  }

  add(id: string): void {
    this.#young.add(id);
    if (this.#young.size < this.#half) return;
    this.#old = this.#young;
    this.#young = new Set();
  }
}
