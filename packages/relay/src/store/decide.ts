import { ok, type Result } from '@heliograph/wire';
import type { AccessStore } from './access-store.ts';
import type { StoreError } from './data-dir.ts';
import { SqliteAccess } from './sqlite-access.ts';
import { databaseFile, joinDatabase } from './sqlite-file.ts';

/** Reads or changes the operator's decisions in a relay's file; a relay that runs on it follows within a second. */
export function withAccessStore<T>(dataDir: string, act: (access: AccessStore) => T): Result<T, StoreError> {
  const db = joinDatabase(databaseFile(dataDir));
  if (!db.ok) return db;
  try {
    return ok(act(new SqliteAccess(db.value)));
  } finally {
    db.value.close();
  }
}
