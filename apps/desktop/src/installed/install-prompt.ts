/**
 * How this page can become an app of the device. `offered`: by a press. `by-hand`: iOS, from its share menu. `installed`: it
 * is one. `browser`: what this browser offers is in its own menu, if it offers anything.
 */
export type InstallState = 'offered' | 'by-hand' | 'installed' | 'browser';

/** Chromium's, which TypeScript does not know. */
interface BeforeInstallPrompt extends Event {
  prompt(): Promise<{ readonly outcome: 'accepted' | 'dismissed' }>;
}

/** As far as they are needed, `window` and `navigator`. */
export interface InstallPlace {
  readonly events: EventTarget;
  matches(query: string): boolean;
  /** Only iOS has it. */
  readonly standalone: boolean | undefined;
}

/** Keeps the browser's offer to install the page until its owner asks for it. */
export class InstallPrompt {
  readonly #place: InstallPlace;
  readonly #listeners = new Set<() => void>();
  #offer: BeforeInstallPrompt | undefined;
  #isInstalled = false;

  constructor(place: InstallPlace) {
    this.#place = place;
    place.events.addEventListener('beforeinstallprompt', (event) => {
      // The browser shows nothing by itself: it is asked for in the settings.
      event.preventDefault();
      this.#offer = event as BeforeInstallPrompt;
      this.#tell();
    });
    place.events.addEventListener('appinstalled', () => {
      this.#isInstalled = true;
      this.#tell();
    });
  }

  get state(): InstallState {
    const { standalone } = this.#place;
    if (this.#isInstalled || standalone === true || this.#place.matches('(display-mode: standalone)')) {
      return 'installed';
    }
    if (this.#offer !== undefined) return 'offered';
    return standalone === false ? 'by-hand' : 'browser';
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Shows the browser's question; an offer can be used once. */
  async ask(): Promise<void> {
    const offer = this.#offer;
    this.#offer = undefined;
    await offer?.prompt();
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
