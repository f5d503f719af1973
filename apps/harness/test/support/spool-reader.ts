import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { decodeEnvelope, localSigner, type ObserverEvent } from '@heliograph/wire';
import type { Stage } from './stage.ts';

const CHUNK_BYTES = 1_024 * 1_024;

/** Reads what is on disk of a harness that runs, as its owner can: each record once, in the order they were written. */
export class SpoolReader {
  readonly #folder: string;
  readonly #stage: Stage;
  readonly #owner: ReturnType<typeof localSigner>;
  #name = '';
  #offset = 0;

  constructor(stage: Stage) {
    this.#folder = join(stage.stateDir, 'spool');
    this.#stage = stage;
    this.#owner = localSigner(stage.ownerKey, stage.crypto);
  }

  /** The events of each envelope that was written since the last time, up to a bound: fewer than all may come. */
  take(): readonly (readonly ObserverEvent[])[] {
    const { crypto, agent } = this.#stage;
    const envelopes: (readonly ObserverEvent[])[] = [];
    for (const record of this.#records()) {
      const content = record.split('\t')[1];
      const text = content === undefined ? undefined : this.#owner.decrypt(agent, content);
      const envelope = text?.ok ? decodeEnvelope(text.value, crypto) : undefined;
      if (envelope?.ok) envelopes.push(envelope.value.events);
    }
    return envelopes;
  }

  #records(): readonly string[] {
    const names = readdirSync(this.#folder).sort();
    const next = names.find((name) => name > this.#name);
    this.#name ||= next ?? '';
    const bytes = Buffer.alloc(CHUNK_BYTES);
    const file = openSync(join(this.#folder, this.#name), 'r');
    const length = readSync(file, bytes, 0, bytes.length, this.#offset);
    closeSync(file);
    const whole = bytes.lastIndexOf(0x0a, length - 1) + 1;
    this.#offset += whole;
    // A file that has a successor is not appended to any more.
    if (length === 0 && next !== undefined) [this.#name, this.#offset] = [next, 0];
    return bytes.toString('latin1', 0, whole).split('\n');
  }
}
