export {
  type AccessStore,
  backupRelay,
  compactRelay,
  exportEvents,
  importEvents,
  type KeyVerdict,
  NOTHING_OPEN,
  type OpenKinds,
  parseKindSet,
  type RetentionRule,
  restoreRelay,
  withAccessStore,
} from '@heliograph/relay';
export { exportDatabase, importDatabase, withDatabaseAccess } from './database.ts';
export { type Diagnosis, diagnoseRelay, type Finding } from './doctor.ts';
export type { Log } from './log.ts';
export type { RelaySettings } from './relay-settings.ts';
export { type RunningRelay, type StartRelayOptions, startRelay } from './start-relay.ts';
