import type { Awaitable } from '../awaitable.ts';
import type { AccessStore } from './access-store.ts';
import type { EventStore } from './event-store.ts';

/** A stored event as a journal gives it: its text, and for how many milliseconds it has been there. */
export interface JournalEntry {
  readonly json: string;
  readonly ageMs: number;
}

/** Stored events in the order they came, for relays that share a storage. Everything rejects when the storage fails. */
export interface Journal {
  /** The place of the last event; 0 before the first. */
  end(): Promise<number>;
  /** What was stored after a place and has not expired, at most so many, and the place to go on from; the same place: that is all. */
  after(
    place: number,
    maxEvents: number,
  ): Promise<{ readonly entries: readonly JournalEntry[]; readonly place: number }>;
}

/** Other relays that use a shared storage now: those that tell each other what they take, and those that don't. */
export interface Neighbours {
  readonly joined: number;
  readonly apart: number;
}

/** A relay's storage: its events, with what the operator decided beside them. */
export interface RelayStore extends EventStore {
  readonly access: AccessStore;
  /** Where it is, for the log: a path and who writes there, or a server. Never a password. */
  readonly place: Readonly<Record<string, unknown>>;
  /** Names the relays that share it; undefined where it is one relay's alone. */
  readonly cluster: string | undefined;
  /** Where it is shared. */
  readonly journal: Journal | undefined;
  /** The same. */
  readonly neighbours: (() => Promise<Neighbours>) | undefined;
  /** What keeps a write from being durable, found by writing; undefined when nothing does. */
  trouble(): Awaitable<string | undefined>;
  /** Bytes it takes. */
  sizeBytes(): Awaitable<number>;
}
