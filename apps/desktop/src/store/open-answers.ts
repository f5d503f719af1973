/** Questions within a standing one, by number: each is answered, or with `none` where nobody will; no promise stays open. */
export class OpenAnswers<T> {
  readonly #open = new Map<number, (answer: T) => void>();
  readonly #none: T;
  #last = 0;

  constructor(none: T) {
    this.#none = none;
  }

  /** `send` asks under a number, and returns undefined where there is nobody to ask. */
  ask(send: (ask: number) => true | undefined): Promise<T> {
    return new Promise((resolve) => {
      const ask = ++this.#last;
      this.#open.set(ask, resolve);
      if (send(ask) === undefined) this.answer(ask, this.#none);
    });
  }

  /** The answer to a question; to one that is no longer open it is nothing. */
  answer(ask: number, answer: T): void {
    this.#open.get(ask)?.(answer);
    this.#open.delete(ask);
  }

  /** Nobody will answer any more. */
  end(): void {
    for (const ask of [...this.#open.keys()]) this.answer(ask, this.#none);
  }
}
