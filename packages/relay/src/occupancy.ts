import type { Session } from './session.ts';

/** Which connections there are from which address, and which of them have no admitted key, longest-waiting first. */
export class Occupancy {
  readonly #unadmitted = new Set<Session>();
  readonly #addresses = new Map<string, { connections: number; readonly unadmitted: Set<Session> }>();

  /** Counts a new connection, without a key as it is. */
  add(session: Session): void {
    const place = this.#addresses.get(session.address) ?? { connections: 0, unadmitted: new Set() };
    place.connections += 1;
    this.#addresses.set(session.address, place);
    this.note(session);
  }

  /** Forgets a connection that was added. */
  remove(session: Session): void {
    const place = this.#addresses.get(session.address);
    if (place === undefined) return;
    this.#unadmitted.delete(session);
    place.unadmitted.delete(session);
    place.connections -= 1;
    if (place.connections === 0) this.#addresses.delete(session.address);
  }

  /** A connection's admission began or ended. */
  note(session: Session): void {
    const there = this.#addresses.get(session.address)?.unadmitted;
    for (const waiting of [this.#unadmitted, there]) {
      if (session.admission === undefined) waiting?.add(session);
      else waiting?.delete(session);
    }
  }

  /** How many connections come from this address. */
  countFrom(address: string): number {
    return this.#addresses.get(address)?.connections ?? 0;
  }

  /** The connection that has waited longest without an admitted key, of all or of one address; undefined when all have one. */
  longestWaiting(address?: string): Session | undefined {
    const waiting = address === undefined ? this.#unadmitted : this.#addresses.get(address)?.unadmitted;
    return waiting?.values().next().value;
  }
}
