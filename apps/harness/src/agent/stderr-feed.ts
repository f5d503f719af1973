import type { Clock } from '@heliograph/client';
import { endsInKey, hideSecrets, KEY_END } from '../mirror/secret-shapes.ts';

/** What is kept, what of it explains an exit, and what one event tells at most. */
const KEPT_CHARACTERS = 16_384;
const TAIL_CHARACTERS = 2_048;
const EVENT_CHARACTERS = 4_096;
/** Text gathers this long, so that a flood becomes at most two events a second. */
const GATHER_MS = 500;
/** No private key is longer: what follows one that never ends is told again. */
const KEY_CHARACTERS = 16_384;

/**
 * The agent's stderr: told in bounded pieces with known secret shapes hidden, its end kept. Secrets are looked for in whole
 * lines, before anything is cut: half of one has no shape.
 */
export class StderrFeed {
  readonly #clock: Clock;
  readonly #tell: (text: string) => void;
  readonly #decoder = new TextDecoder();
  /** From here on secrets are hidden. */
  #kept = '';
  #characters = 0;
  #waiting = '';
  #skipped = 0;
  /** A line that has not ended, as it came, and how long it was at the last flush. */
  #line = '';
  #lineBefore = 0;
  /** Characters of a private key that has not ended, undefined outside of one. */
  #key: number | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, tell: (text: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  push(chunk: Uint8Array): void {
    const text = this.#line + this.#decoder.decode(chunk, { stream: true });
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
    this.#line = text.slice(end);
    if (end > 0) this.#lineBefore = 0;
    this.#take(text.slice(0, end));
    if (this.#line.length > EVENT_CHARACTERS) this.#takeLine();
    this.#cancelTimer ??= this.#clock.setTimer(GATHER_MS, () => this.#flush());
  }

  end(): void {
    this.#cancelTimer?.();
    this.#takeLine();
    this.#flush();
  }

  /** Characters so far, of whole lines with secrets hidden. */
  get length(): number {
    return this.#characters;
  }

  /** What came after the first `length` characters, as far as it is kept, and the line that has not ended; secrets hidden. */
  since(length: number): string {
    const count = this.#characters - length;
    return (count <= 0 ? '' : this.#kept.slice(-count)) + this.#hide(this.#line);
  }

  /** The last lines, secrets hidden, for people. */
  tail(): string {
    const text = this.#kept + this.#hide(this.#line);
    return text.slice(-TAIL_CHARACTERS).trim().split('\n').slice(-8).join('\n');
  }

  #takeLine(): void {
    const line = this.#line;
    this.#line = '';
    this.#lineBefore = 0;
    this.#take(line);
  }

  #take(text: string): void {
    const told = this.#outsideKeys(text);
    this.#kept = (this.#kept + told).slice(-KEPT_CHARACTERS);
    this.#characters += told.length;
    this.#waiting += told;
    // The newest text explains most; what is cut is counted.
    const over = this.#waiting.length - EVENT_CHARACTERS;
    if (over <= 0) return;
    this.#skipped += over;
    this.#waiting = this.#waiting.slice(over);
  }

  /** The text with secrets hidden, also those of a private key that began in an earlier one. */
  #outsideKeys(text: string): string {
    let rest = text;
    if (this.#key !== undefined) {
      const end = KEY_END.exec(rest);
      this.#key += rest.length;
      if (end === null && this.#key < KEY_CHARACTERS) return '';
      rest = end === null ? rest : rest.slice(end.index + end[0].length);
      this.#key = undefined;
    }
    if (endsInKey(rest)) this.#key = 0;
    return hideSecrets(rest);
  }

  #hide(line: string): string {
    return this.#key === undefined ? hideSecrets(line) : '';
  }

  #flush(): void {
    this.#cancelTimer = undefined;
    // A line that stays as it is, like a question, is told as it is.
    if (this.#line.length === this.#lineBefore) this.#takeLine();
    if (this.#line !== '') {
      this.#lineBefore = this.#line.length;
      this.#cancelTimer = this.#clock.setTimer(GATHER_MS, () => this.#flush());
    }
    if (this.#waiting === '') return;
    const cut = this.#skipped > 0 ? `[${this.#skipped} characters left out]\n` : '';
    const text = cut + this.#waiting;
    this.#waiting = '';
    this.#skipped = 0;
    this.#tell(text);
  }
}
