import { ok, type Result } from '@heliograph/wire';
import type { Awaitable } from '../awaitable.ts';
import type { AccessStore } from './access-store.ts';
import type { StoreError } from './data-dir.ts';
import { SqliteAccess } from './sqlite-access.ts';
import { databaseFile, joinDatabase } from './sqlite-file.ts';

/** Reads or changes the operator's decisions in a relay's file; a relay that runs on it follows within a second. */
export async function withAccessStore<T>(
  dataDir: string,
  act: (access: AccessStore) => Awaitable<T>,
): Promise<Result<T, StoreError>> {
  const db = joinDatabase(databaseFile(dataDir));
  if (!db.ok) return db;
  try {
    return ok(await act(new SqliteAccess(db.value)));
  } finally {
    db.value.close();
  }
}
