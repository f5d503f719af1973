import { openSqliteStore, type RelayStore } from '@heliograph/relay';
import { openDatabaseStore } from './database.ts';

/** Opens the store in a PostgreSQL database where one is named, else the one in a data folder. `role`: whether other relays on it hear this one. Rejects with an Error whose `code` is one of StoreError's. */
export async function openStore(
  dataDir: string,
  postgres: string | undefined,
  role: 'joined' | 'apart',
): Promise<RelayStore> {
  const opened = postgres === undefined ? openSqliteStore(dataDir) : await openDatabaseStore(postgres, role);
  if (opened.ok) return opened.value;
  const { code, message, cause } = opened.error;
  throw Object.assign(new Error(message, { cause }), { code });
}
