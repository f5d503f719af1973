import type { Clock } from '@heliograph/client';
import { hideSecrets } from '../mirror/secret-shapes.ts';

/** What is kept, what of it explains an exit, and what one event tells at most. */
const KEPT_CHARACTERS = 16_384;
const TAIL_CHARACTERS = 2_048;
const EVENT_CHARACTERS = 4_096;
/** Text gathers this long, so that a flood becomes at most two events a second. */
const GATHER_MS = 500;

/** The agent's stderr: told in bounded pieces with known secret shapes hidden, its end kept. */
export class StderrFeed {
  readonly #clock: Clock;
  readonly #tell: (text: string) => void;
  readonly #decoder = new TextDecoder();
  #kept = '';
  #characters = 0;
  #waiting = '';
  #skipped = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, tell: (text: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  push(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    this.#kept = (this.#kept + text).slice(-KEPT_CHARACTERS);
    this.#characters += text.length;
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

  /** Characters so far. */
  get length(): number {
    return this.#characters;
  }

  /** What came after the first `length` characters, as far as it is kept; secrets are not hidden. */
  since(length: number): string {
    const count = this.#characters - length;
    return count <= 0 ? '' : this.#kept.slice(-count);
  }

  /** The last lines, secrets hidden, for people. */
  tail(): string {
    return hideSecrets(this.#kept.slice(-TAIL_CHARACTERS)).trim().split('\n').slice(-8).join('\n');
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
