import type { KindSet } from './kind-set.ts';

/** What the operator decided beyond the owners: may change while the relay runs. Keys and ids are hex. */
export interface AccessRules {
  /** Keys that use the relay as owners do, except for managing it; the agents they vouch for come with them. */
  readonly allowed: ReadonlySet<string>;
  /** Keys that are refused whoever vouches for them, and whose own word counts nothing. Owners can't be. */
  readonly denied: ReadonlySet<string>;
  /** Events that are not taken. */
  readonly bannedEvents: ReadonlySet<string>;
}

/** Nobody but owners and their agents. */
export const NO_ACCESS_RULES: AccessRules = { allowed: new Set(), denied: new Set(), bannedEvents: new Set() };

/** What anybody may do without being admitted: read and write these kinds. Private kinds stay private. */
export interface OpenKinds {
  readonly read: KindSet;
  readonly write: KindSet;
}

/** A closed relay. */
export const NOTHING_OPEN: OpenKinds = { read: [], write: [] };
