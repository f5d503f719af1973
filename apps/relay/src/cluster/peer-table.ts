/** Who says nothing for so long is gone: three heartbeats and a little. */
const SILENT_MS = 7_000;
/** Bounds what a stranger on the server could make us remember; more relays are not counted. */
const MAX_PEERS = 256;

/** The other relays that were heard of late. */
export class PeerTable {
  readonly #nowMs: () => number;
  readonly #heardAtMs = new Map<string, number>();
  #joinedAtMs = Number.NEGATIVE_INFINITY;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** We can hear now; those who are there have not spoken yet. */
  joined(): void {
    this.#joinedAtMs = this.#nowMs();
  }

  /** A relay said that it is there; gives whether that is news. */
  heard(node: string): boolean {
    this.#forgetSilent();
    const isNew = !this.#heardAtMs.has(node);
    if (isNew && this.#heardAtMs.size >= MAX_PEERS) return false;
    this.#heardAtMs.set(node, this.#nowMs());
    return isNew;
  }

  gone(node: string): void {
    this.#heardAtMs.delete(node);
  }

  count(): number {
    this.#forgetSilent();
    return this.#heardAtMs.size;
  }

  /** Whether another relay may be there: one was heard, or it is too early to tell. */
  mayBeHeard(): boolean {
    return this.count() > 0 || this.#nowMs() - this.#joinedAtMs < SILENT_MS;
  }

  #forgetSilent(): void {
    const sinceMs = this.#nowMs() - SILENT_MS;
    for (const [node, atMs] of this.#heardAtMs) if (atMs < sinceMs) this.#heardAtMs.delete(node);
  }
}
