import type { AccessRules } from '../access.ts';

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

/** What the operator decided while the relay ran; kept beside the events. Everything throws when the storage fails. */
export interface AccessStore {
  keys(): readonly KeyVerdict[];
  /** Replaces what was decided on a key; undefined forgets it. Gives whether that changed anything. */
  setKey(pubkey: string, verdict: KeyVerdict['verdict'] | undefined, reason?: string): boolean;
  bannedEvents(): readonly BannedEvent[];
  /** Keeps an event out from now on; what is stored is removed by `EventStore.remove`. */
  banEvent(id: string, reason: string): void;
  unbanEvent(id: string): void;
  setting(name: string): string | undefined;
  setSetting(name: string, value: string): void;
  /** A number that changes whenever another process wrote to the file. */
  version(): number;
}

/** The rules in force by what is stored. */
export function readAccessRules(store: AccessStore): AccessRules {
  const keys = store.keys();
  const of = (wanted: KeyVerdict['verdict']): Set<string> =>
    new Set(keys.filter(({ verdict }) => verdict === wanted).map(({ pubkey }) => pubkey));
  return { allowed: of('allow'), denied: of('deny'), bannedEvents: new Set(store.bannedEvents().map(({ id }) => id)) };
}
