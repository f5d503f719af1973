export { type AccessRules, NO_ACCESS_RULES, NOTHING_OPEN, type OpenKinds } from './access.ts';
export { type Awaitable, attempt, whenReady } from './awaitable.ts';
export { RelayEngine, type RelayEngineOptions } from './engine.ts';
export { encodeKindSet, hasKind, type KindSet, parseKindSet } from './kind-set.ts';
export { DEFAULT_LIMITS, type RelayLimits } from './limits.ts';
export { MAX_SHARED_IDS, type Peers } from './peers.ts';
export { defaultPolicies, type Policy, type Publisher, type Refusal } from './policy.ts';
export { type DocumentPolicy, type RelayIdentity, relayDocument } from './relay-document.ts';
export type { QueryEffect, RelayEffect, RelayReport, StoreEffect, VerifyEffect } from './relay-effect.ts';
export { type ConnectionId, NO_CONNECTION, type RelayInput, type RelayRules } from './relay-input.ts';
export type { Admission } from './session.ts';
export { type AccessStore, type Decisions, type KeyVerdict, readDecisions } from './store/access-store.ts';
export type { StoreError } from './store/data-dir.ts';
export { withAccessStore } from './store/decide.ts';
export type { Asker, EventStore, QueryScope, RetentionRule, StoredEvent, WriteOutcome } from './store/event-store.ts';
export {
  backupRelay,
  compactRelay,
  exportEvents,
  type ImportReport,
  importEvents,
  importInto,
  restoreRelay,
} from './store/maintenance.ts';
export { MemoryStore } from './store/memory-store.ts';
export type { Journal, JournalEntry, Neighbours, RelayStore } from './store/relay-store.ts';
export { openSqliteStore, type SqliteStore } from './store/sqlite-store.ts';
export { type StorableEvent, storableEvent } from './store/storable-event.ts';
export { askStore } from './stored-answer.ts';
