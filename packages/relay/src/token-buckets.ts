/** A rate per key: `perSec` tokens a second, at most `burst` saved up. Time is handed in, in milliseconds. */
export class TokenBuckets {
  #perSec: number;
  #burst: number;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor(perSec: number, burst: number) {
    this.#perSec = perSec;
    this.#burst = burst;
  }

  /** Another rate from now on; what is saved up above the new burst is lost. */
  setRate(perSec: number, burst: number): void {
    this.#perSec = perSec;
    this.#burst = burst;
  }

  /** Takes one token and gives 0, or takes none and gives the whole seconds (at least 1) until there is one beyond the `headroom`. */
  take(key: string, nowMs: number, headroom = 0): number {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, atMs: nowMs };
    // A clock that steps back gives nothing and takes nothing.
    const gained = (Math.max(0, nowMs - bucket.atMs) / 1_000) * this.#perSec;
    bucket.tokens = Math.min(this.#burst, bucket.tokens + gained);
    bucket.atMs = nowMs;
    this.#buckets.set(key, bucket);
    if (bucket.tokens < 1 + headroom) return Math.max(1, Math.ceil((1 + headroom - bucket.tokens) / this.#perSec));
    bucket.tokens -= 1;
    return 0;
  }

  /** Forgets keys that are full again: what is kept is bounded by who was active lately. */
  prune(nowMs: number): void {
    const refillMs = (this.#burst / this.#perSec) * 1_000;
    for (const [key, { atMs }] of this.#buckets) if (nowMs - atMs >= refillMs) this.#buckets.delete(key);
  }
}
