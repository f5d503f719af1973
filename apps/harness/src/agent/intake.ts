import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Clock } from '@heliograph/client';
import { type FramedLine, LineFramer } from '@heliograph/wire';
import { Fifo } from '../fifo.ts';

export interface IntakePort {
  readonly clock: Clock;
  readonly maxLineBytes: number;
  /** A line in its turn, and when its last byte was read. */
  onLine(line: FramedLine, readMs: number): void;
  /** Whether what was recorded until now must be sealed before more is recorded. */
  isBehind(): boolean;
  /** The agent's pipe is to be left alone, because too much of it waits here; or to be read again. */
  hold(on: boolean): void;
}

/** Read and not recorded: above, the agent's pipe is left alone until half of it is recorded. */
export const MAX_INTAKE_BYTES = 64 * 1_024 * 1_024;
/** What holding one chunk costs beside its bytes: an agent may write single ones. */
const CHUNK_BYTES = 256;
/** How long lines are recorded before the event loop gets its turn, and with it the pipe. */
const SLICE_MS = 2;
/** After so many bytes the time is looked at; a line counts for more than its bytes. */
const LOOK_AFTER_BYTES = 16 * 1_024;
const LINE_BYTES = 512;
/** While the agent writes without a pause its bytes are only read, for so long. */
const READ_ONLY_MS = 20;
const BEHIND_MS = 2;

interface Read {
  readonly chunk: Uint8Array;
  readonly readMs: number;
}

/**
 * What the agent wrote and what was written to it, in the order it happened, until it is recorded. Reading comes first:
 * lines are recorded in short slices between reads. After quiet a line is recorded at once.
 */
export class Intake {
  readonly #port: IntakePort;
  readonly #framer: LineFramer;
  readonly #waiting = new Fifo<Read | (() => void)>();
  readonly #lines = new Fifo<FramedLine>();
  #readMs = 0;
  #bytes = 0;
  #isHolding = false;
  /** A slice runs, or will. */
  #isBusy = false;
  #hasRead = false;

  constructor(port: IntakePort) {
    this.#port = port;
    this.#framer = new LineFramer(port.maxLineBytes, () => {
      const hash = createHash('sha256');
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
    });
  }

  /** Bytes from the agent; the chunk is ours from now on. */
  push(chunk: Uint8Array): void {
    this.#waiting.push({ chunk, readMs: this.#port.clock.nowMs() });
    this.#bytes += chunk.length + CHUNK_BYTES;
    this.#hasRead = true;
    if (!this.#isHolding && this.#bytes > MAX_INTAKE_BYTES) this.#hold(true);
    if (!this.#isBusy) this.#work();
  }

  /** Does something once everything read until now is recorded: at once, if it is. */
  inTurn(step: () => void): void {
    this.#waiting.push(step);
    if (!this.#isBusy) this.#work();
  }

  /** The agent's output is at its end: resolves when all of it is recorded. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      this.inTurn(() => {
        const last = this.#framer.end();
        if (last !== undefined) this.#port.onLine(last, this.#readMs);
        resolve();
      });
    });
  }

  get #isEmpty(): boolean {
    return this.#lines.length === 0 && this.#waiting.length === 0;
  }

  /** Reading goes before recording for as long as it may. */
  #turn(): void {
    const hasRead = this.#hasRead;
    this.#hasRead = false;
    if (hasRead && this.#ageMs() < READ_ONLY_MS) setImmediate(() => this.#turn());
    else this.#work();
  }

  /** How long ago the oldest bytes that are not recorded were read. */
  #ageMs(): number {
    const next = this.#waiting.at(0);
    const readMs = this.#lines.length > 0 || typeof next !== 'object' ? this.#readMs : next.readMs;
    return Math.abs(this.#port.clock.nowMs() - readMs);
  }

  #work(): void {
    this.#isBusy = true;
    const untilMs = performance.now() + SLICE_MS;
    while (!this.#isEmpty) {
      if (this.#port.isBehind()) {
        this.#port.clock.setTimer(BEHIND_MS, () => this.#work());
        return;
      }
      for (let bytes = 0; bytes < LOOK_AFTER_BYTES && !this.#isEmpty; ) bytes += this.#step();
      if (!this.#isEmpty && performance.now() > untilMs) {
        setImmediate(() => this.#turn());
        return;
      }
    }
    this.#isBusy = false;
  }

  /** Records the next line, or does what is next; says what that counts for. */
  #step(): number {
    const line = this.#lines.shift();
    if (line !== undefined) {
      this.#port.onLine(line, this.#readMs);
      return LINE_BYTES + (line.type === 'line' ? line.bytes.length : 0);
    }
    const next = this.#waiting.shift();
    if (typeof next === 'function') next();
    else if (next !== undefined) this.#frame(next);
    return LINE_BYTES;
  }

  #frame({ chunk, readMs }: Read): void {
    this.#readMs = readMs;
    for (const line of this.#framer.push(chunk)) this.#lines.push(line);
    this.#bytes -= chunk.length + CHUNK_BYTES;
    if (this.#isHolding && this.#bytes < MAX_INTAKE_BYTES / 2) this.#hold(false);
  }

  #hold(on: boolean): void {
    this.#isHolding = on;
    this.#port.hold(on);
  }
}
