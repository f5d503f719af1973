import type { AccessRules } from '../access.ts';
import type { Awaitable } from '../awaitable.ts';

/** A key the operator decided on, in hex. */
export interface KeyVerdict {
  readonly pubkey: string;
  readonly verdict: 'allow' | 'deny';
  readonly reason: string;
}

/** An event the operator does not want, by id. */
export interface BannedEvent {
  readonly id: string;
  readonly reason: string;
}

/** What the operator decided while the relay ran; kept beside the events. Everything throws, or rejects, when the storage fails. */
export interface AccessStore {
  keys(): Awaitable<readonly KeyVerdict[]>;
  /** Replaces what was decided on a key; undefined forgets it. Gives whether that changed anything. */
  setKey(pubkey: string, verdict: KeyVerdict['verdict'] | undefined, reason?: string): Awaitable<boolean>;
  bannedEvents(): Awaitable<readonly BannedEvent[]>;
  /** Keeps an event out from now on; what is stored is removed by `EventStore.remove`. */
  banEvent(id: string, reason: string): Awaitable<void>;
  unbanEvent(id: string): Awaitable<void>;
  setting(name: string): Awaitable<string | undefined>;
  setSetting(name: string, value: string): Awaitable<void>;
  /** A number that changes whenever another process decided something. */
  version(): Awaitable<number>;
}

/** All that is decided, with the version it had at least. */
export interface Decisions {
  readonly version: number;
  readonly rules: AccessRules;
  /** Shown in NIP-11 instead of what the relay was started with. */
  readonly name: string | undefined;
  readonly description: string | undefined;
}

/** Reads what is decided; the version first, so that a change meanwhile is seen as one. */
export async function readDecisions(store: AccessStore): Promise<Decisions> {
  const version = await store.version();
  const [keys, banned] = [await store.keys(), await store.bannedEvents()];
  const [name, description] = [await store.setting('name'), await store.setting('description')];
  const of = (wanted: KeyVerdict['verdict']): Set<string> =>
    new Set(keys.filter(({ verdict }) => verdict === wanted).map(({ pubkey }) => pubkey));
  const bannedEvents = new Set(banned.map(({ id }) => id));
  return { version, rules: { allowed: of('allow'), denied: of('deny'), bannedEvents }, name, description };
}
