import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@heliograph/client';
import type { ControlResult, Signer } from '@heliograph/wire';

/** What is known of a control that was seen before. `underway`: begun in this run, no result yet. `uncertain`: begun, then the harness died. */
export type KnownControl =
  | { readonly phase: 'underway' | 'uncertain' }
  | { readonly phase: 'answered'; readonly result: ControlResult };

export interface LedgerOptions {
  readonly stateDir: string;
  readonly clock: Clock;
  /** Results are kept as ciphertext that only agent and owner can read. */
  readonly signer: Signer;
  readonly owner: string;
}

const FILE = 'controls.jsonl';
/** How long a control is remembered: as long as `issuedAt` lets it through. */
const KEPT_MS = 24 * 3_600_000;
/** The file is written anew when it has grown to this. */
const MAX_FILE_BYTES = 4 * 1_024 * 1_024;

interface Line {
  readonly id: string;
  readonly atMs: number;
  /** NIP-44 ciphertext of the latest result; absent when the control was begun. */
  readonly result?: string;
}

/**
 * Which controls were begun, and what became of them: on disk before anything is done, so that each is done at most once
 * whatever crashes (HA28). One writer; lines are appended and synced.
 */
export class ControlLedger {
  readonly #options: LedgerOptions;
  readonly #path: string;
  readonly #known = new Map<string, { atMs: number; control: KnownControl; sealed: string | undefined }>();
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #work: Promise<void> = Promise.resolve();

  /** Reads what earlier runs left; rejects with the system's error when the folder can't be used. */
  static async open(options: LedgerOptions): Promise<ControlLedger> {
    await mkdir(options.stateDir, { recursive: true, mode: 0o700 });
    const ledger = new ControlLedger(options);
    await ledger.#load();
    await ledger.#rewrite();
    return ledger;
  }

  private constructor(options: LedgerOptions) {
    this.#options = options;
    this.#path = join(options.stateDir, FILE);
  }

  /** What is known of a control; undefined when it is new. */
  known(id: string): KnownControl | undefined {
    return this.#known.get(id)?.control;
  }

  /** Notes at once that a control begins; resolves when the disk has it. Only then may it be acted on. */
  async begin(id: string): Promise<void> {
    const atMs = this.#options.clock.nowMs();
    this.#known.set(id, { atMs, control: { phase: 'underway' }, sealed: undefined });
    try {
      await this.#append({ id, atMs });
    } catch (cause) {
      // Not on disk, so it is not done, and may be said again.
      this.#known.delete(id);
      throw cause;
    }
  }

  /** Notes a control's latest result; resolves when the disk has it. */
  async finish(id: string, result: ControlResult): Promise<void> {
    const known = this.#known.get(id);
    if (known === undefined) return;
    known.control = { phase: 'answered', result };
    const sealed = await this.#options.signer.encrypt(this.#options.owner, JSON.stringify(result));
    known.sealed = sealed;
    await this.#append({ id, atMs: known.atMs, result: sealed });
  }

  /** Waits for the disk and closes the file. */
  async close(): Promise<void> {
    await this.#work;
    await this.#file?.close();
    this.#file = undefined;
  }

  #append(line: Line): Promise<void> {
    const done = this.#work.then(async () => {
      if (this.#fileBytes > MAX_FILE_BYTES) await this.#rewrite();
      // The line break in front ends a line that a full disk cut short.
      const text = `\n${JSON.stringify(line)}\n`;
      await this.#file?.appendFile(text);
      await this.#file?.datasync();
      this.#fileBytes += text.length;
    });
    // A disk that fails fails this control; the next one tries again.
    this.#work = done.catch(() => {});
    return done;
  }

  async #load(): Promise<void> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw cause;
    }
    const { signer, owner } = this.#options;
    for (const line of text.split('\n').map(parseLine)) {
      if (line === undefined) continue;
      const { id, atMs, result } = line;
      // Begun by a run that is over: nobody knows whether it was done.
      if (result === undefined) {
        this.#known.set(id, { atMs, control: { phase: 'uncertain' }, sealed: undefined });
        continue;
      }
      const opened = await signer.decrypt(owner, result);
      const parsed = opened.ok ? parseResult(opened.value) : undefined;
      const control: KnownControl =
        parsed === undefined ? { phase: 'uncertain' } : { phase: 'answered', result: parsed };
      this.#known.set(id, { atMs, control, sealed: result });
    }
  }

  /** Writes what is still remembered to a new file that takes the old one's place. */
  async #rewrite(): Promise<void> {
    const since = this.#options.clock.nowMs() - KEPT_MS;
    let text = '';
    for (const [id, { atMs, sealed }] of this.#known) {
      if (atMs < since) this.#known.delete(id);
      else
        text += `${JSON.stringify({ id, atMs, ...(sealed !== undefined ? { result: sealed } : {}) } satisfies Line)}\n`;
    }
    const fresh = `${this.#path}.new`;
    const file = await open(fresh, 'w', 0o600);
    await file.appendFile(text);
    await file.sync();
    await rename(fresh, this.#path);
    await syncFolder(this.#options.stateDir);
    await this.#file?.close();
    this.#file = file;
    this.#fileBytes = text.length;
  }
}

/** A rename is only durable once its folder is. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A line that a crash cut short is as if it had never been written. */
function parseLine(text: string): Line | undefined {
  let value: Partial<Line> | null;
  try {
    value = JSON.parse(text) as Partial<Line> | null;
  } catch {
    return undefined;
  }
  const { id, atMs, result } = value ?? {};
  if (typeof id !== 'string' || typeof atMs !== 'number') return undefined;
  if (result !== undefined && typeof result !== 'string') return undefined;
  return { id, atMs, ...(result !== undefined ? { result } : {}) };
}

function parseResult(text: string): ControlResult | undefined {
  try {
    return JSON.parse(text) as ControlResult;
  } catch {
    return undefined; // The caller says "uncertain" then.
  }
}
