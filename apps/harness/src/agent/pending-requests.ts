/** Requests without an answer that are remembered: above, the oldest are forgotten. */
export const MAX_PENDING = 4_096;
/** A longer id is remembered by nobody: its answer goes where lines go that belong to nothing. */
export const MAX_ID_LENGTH = 4_096;

/** What is known of requests in one direction that are not answered, by raw id token: at most 4,096, ids of 4,096 characters. */
export class PendingRequests<T> {
  /** A list each, because agents use an id again while it is open. */
  readonly #byId = new Map<string, T[]>();
  #count = 0;

  remember(id: string, request: T): void {
    if (id.length > MAX_ID_LENGTH) return;
    const same = this.#byId.get(id) ?? [];
    same.push(request);
    this.#byId.set(id, same);
    if (++this.#count <= MAX_PENDING) return;
    const [oldest] = this.#byId.keys();
    if (oldest !== undefined) this.take(oldest);
  }

  /** The oldest open request with this id. */
  first(id: string): T | undefined {
    return this.#byId.get(id)?.[0];
  }

  /** That request is answered. */
  take(id: string): T | undefined {
    const same = this.#byId.get(id);
    if (same === undefined) return undefined;
    this.#count--;
    const request = same.shift();
    if (same.length === 0) this.#byId.delete(id);
    return request;
  }
}
