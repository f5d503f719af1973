import type { VerifiedEvent } from '@heliograph/wire';
import type { SpoolEntry } from './spool.ts';

/** A retry of a frame signed longer ago than this is signed anew: stock relays refuse ephemeral events older than 60 s. */
const MAX_AGE_SEC = 30;
/** Ciphertext held in fresh frames; above, the oldest are signed anew should they be needed again. */
const MAX_BYTES = 16 * 1_024 * 1_024;

/** The frames signed lately: one event serves all relays while it is fresh. What is held of them is bounded. */
export class SignedFrames {
  readonly #fresh = new Map<SpoolEntry, VerifiedEvent>();
  readonly #signedSec = new WeakMap<SpoolEntry, number>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The frame of an entry while it is fresh. */
  get(entry: SpoolEntry, nowSec: number): VerifiedEvent | undefined {
    const event = this.#fresh.get(entry);
    if (event === undefined || Math.abs(nowSec - event.created_at) <= MAX_AGE_SEC) return event;
    this.forget(entry);
    return undefined;
  }

  /** Never the second of the one before: the same id again would be taken for a duplicate and not passed on. */
  nextSec(entry: SpoolEntry, nowSec: number): number {
    return Math.max(nowSec, (this.#signedSec.get(entry) ?? 0) + 1);
  }

  put(entry: SpoolEntry, event: VerifiedEvent): void {
    this.forget(entry);
    this.#signedSec.set(entry, event.created_at);
    this.#fresh.set(entry, event);
    this.#bytes += event.content.length;
    for (const [oldest, { created_at }] of this.#fresh) {
      if (this.#bytes <= MAX_BYTES && Math.abs(event.created_at - created_at) <= MAX_AGE_SEC) return;
      this.forget(oldest);
    }
  }

  /** The next frame of this entry is signed anew. */
  forget(entry: SpoolEntry): void {
    const event = this.#fresh.get(entry);
    if (event === undefined) return;
    this.#fresh.delete(entry);
    this.#bytes -= event.content.length;
  }
}
