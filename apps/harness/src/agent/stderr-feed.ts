import type { Clock } from '@heliograph/client';
import { hideSecrets } from '../mirror/secret-shapes.ts';

/** What is kept for the sentence that explains an exit, and what one event tells at most. */
const TAIL_CHARACTERS = 2_048;
const EVENT_CHARACTERS = 4_096;
/** Text gathers this long, so that a flood becomes at most two events a second. */
const GATHER_MS = 500;

/** The agent's stderr: told in bounded pieces with known secret shapes hidden, its end kept. */
export class StderrFeed {
  readonly #clock: Clock;
  readonly #tell: (text: string) => void;
  readonly #decoder = new TextDecoder();
  #tail = '';
  #waiting = '';
  #skipped = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, tell: (text: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  push(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#tail = (this.#tail + text).slice(-TAIL_CHARACTERS);
    this.#waiting += text;
    // The newest text explains most; what is cut is counted.
    const over = this.#waiting.length - EVENT_CHARACTERS;
    if (over > 0) {
      this.#skipped += over;
      this.#waiting = this.#waiting.slice(over);
    }
    this.#cancelTimer ??= this.#clock.setTimer(GATHER_MS, () => this.#flush());
  }

  end(): void {
    this.#cancelTimer?.();
    this.#flush();
  }

  /** The last lines, secrets hidden, for people. */
  tail(): string {
    return hideSecrets(this.#tail).trim().split('\n').slice(-8).join('\n');
  }

  #flush(): void {
    this.#cancelTimer = undefined;
    if (this.#waiting === '') return;
    const cut = this.#skipped > 0 ? `[${this.#skipped} characters left out]\n` : '';
    const text = cut + hideSecrets(this.#waiting);
    this.#waiting = '';
    this.#skipped = 0;
    this.#tell(text);
  }
}
