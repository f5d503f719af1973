import type { PushCall } from '@heliograph/wire';
import { readCall } from '../call-link.ts';

/** Where the owner was called from and has not been brought yet: the newest call. */
export class Calls {
  readonly #listeners = new Set<() => void>();
  #newest: PushCall | undefined;

  /** `messages`: what service workers say to the page. */
  constructor(first: PushCall | undefined, messages: EventTarget | undefined) {
    this.#newest = first;
    messages?.addEventListener('message', (event) => {
      const said = (event as MessageEvent).data as { type?: unknown; call?: unknown } | null;
      if (said?.type === 'call') this.take(readCall(said.call));
    });
  }

  get newest(): PushCall | undefined {
    return this.#newest;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The owner is there. */
  answered(): void {
    this.take(undefined);
  }

  /** Something else called. */
  take(call: PushCall | undefined): void {
    this.#newest = call;
    for (const listener of this.#listeners) listener();
  }
}
