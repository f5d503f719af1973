import type { Awaitable } from '../awaitable.ts';
import type { AccessStore } from './access-store.ts';
import type { EventStore } from './event-store.ts';

/** A relay's storage: its events, with what the operator decided beside them. */
export interface RelayStore extends EventStore {
  readonly access: AccessStore;
  /** Where it is, for the log: a path and who writes there, or a server. Never a password. */
  readonly place: Readonly<Record<string, unknown>>;
  /** Names the relays that share it; undefined where it is one relay's alone. */
  readonly cluster: string | undefined;
  /** What keeps a write from being durable, found by writing; undefined when nothing does. */
  trouble(): Awaitable<string | undefined>;
  /** Bytes it takes. */
  sizeBytes(): Awaitable<number>;
}
