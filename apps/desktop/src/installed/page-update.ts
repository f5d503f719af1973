/** How the page that is open stands to the newest one: `ready` says that a newer one has been fetched and waits. */
export type UpdateState = 'current' | 'ready';

/** As far as they are needed, what browsers call ServiceWorker, its registration and its container. */
interface Worker extends EventTarget {
  readonly state: string;
  postMessage(message: unknown): void;
}
interface Registration extends EventTarget {
  readonly waiting: Worker | null;
  readonly installing: Worker | null;
  update(): Promise<unknown>;
}
interface Container extends EventTarget {
  readonly controller: unknown;
}

export interface PageUpdateOptions {
  readonly container: Container;
  readonly reload: () => void;
  readonly nowMs: () => number;
}

/** Looking for a newer page costs a request: not more often than this. */
const LOOK_EVERY_MS = 10 * 60_000;

/** Notices that the server has a newer page, and changes to it when the owner wants it, never by itself. */
export class PageUpdate {
  readonly #options: PageUpdateOptions;
  readonly #listeners = new Set<() => void>();
  #registration: Registration | undefined;
  #state: UpdateState = 'current';
  #isWanted = false;
  #lookedAtMs: number;

  constructor(options: PageUpdateOptions) {
    this.#options = options;
    this.#lookedAtMs = options.nowMs();
    // The first worker of all takes over a page that is as new as it is: that is no update.
    let hadWorker = options.container.controller !== null;
    options.container.addEventListener('controllerchange', () => {
      if (this.#isWanted) options.reload();
      // Another tab has changed over; this one goes on with what it has loaded.
      else if (hadWorker) this.#set('ready');
      hadWorker = true;
    });
  }

  get state(): UpdateState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Watches what becomes of newer workers from now on. */
  watch(registration: Registration): void {
    this.#registration = registration;
    this.#check();
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', () => this.#check());
    });
  }

  /** Asks the server whether there is a newer page, unless that was asked a while ago. */
  look(): void {
    const nowMs = this.#options.nowMs();
    if (this.#registration === undefined || Math.abs(nowMs - this.#lookedAtMs) < LOOK_EVERY_MS) return;
    this.#lookedAtMs = nowMs;
    // A server that is away has nothing newer.
    this.#registration.update().catch(() => undefined);
  }

  /** Loads the newer page. */
  accept(): void {
    this.#isWanted = true;
    const waiting = this.#registration?.waiting;
    if (waiting) waiting.postMessage({ type: 'take-over' });
    else this.#options.reload();
  }

  #check(): void {
    if (this.#registration?.waiting && this.#options.container.controller !== null) this.#set('ready');
  }

  #set(state: UpdateState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
