import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Signer } from '@heliograph/wire';
import { writeWhole } from './write-whole.ts';

export interface SealedFileOptions {
  readonly stateDir: string;
  readonly signer: Signer;
  readonly owner: string;
}

/** One JSON value in the state folder, as ciphertext that the agent's key (and the owner's) opens; 0600, put in place whole. */
export class SealedFile {
  readonly #options: SealedFileOptions;
  readonly #path: string;
  /** Writes go one after the other: the last one said is the one that stays. */
  #writing = Promise.resolve();

  constructor(options: SealedFileOptions, name: string) {
    this.#options = options;
    this.#path = join(options.stateDir, name);
  }

  /** What it holds; undefined where it is absent, cut short or another key's. */
  async read(): Promise<unknown> {
    const { signer, owner } = this.#options;
    try {
      const opened = await signer.decrypt(owner, await readFile(this.#path, 'utf8'));
      return opened.ok ? (JSON.parse(opened.value) as unknown) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Puts a value in the place of the one before; on disk when it resolves. Rejects with the system's error. */
  write(value: unknown): Promise<void> {
    const written = this.#writing.then(() => this.#replace(JSON.stringify(value)));
    this.#writing = written.catch(() => {});
    return written;
  }

  async #replace(text: string): Promise<void> {
    const { signer, owner } = this.#options;
    await writeWhole(this.#path, await signer.encrypt(owner, text));
  }
}
