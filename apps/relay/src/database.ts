import {
  type AccessStore,
  type Awaitable,
  type ImportReport,
  importInto,
  type RelayStore,
  type StoreError,
} from '@heliograph/relay';
import { type Crypto, err, ok, type Result } from '@heliograph/wire';

/** Opens a PostgreSQL database as a relay's store. Who names none never loads its driver. */
export async function openDatabaseStore(url: string, role?: 'joined' | 'apart') {
  const { openPostgresStore } = await import('@heliograph/relay/postgres');
  return openPostgresStore(url, role);
}

/** Reads or changes the operator's decisions in a database; the relays on it follow within a second. */
export function withDatabaseAccess<T>(
  url: string,
  act: (access: AccessStore) => Awaitable<T>,
): Promise<Result<T, StoreError>> {
  return withStore(url, ({ access }) => act(access));
}

/** Takes lines of JSON into a database, each checked as if it had been published, while its relays run or not. */
export function importDatabase(
  url: string,
  lines: AsyncIterable<string>,
  crypto: Crypto,
): Promise<Result<ImportReport, StoreError>> {
  return withStore(url, (store) => importInto(store, lines, crypto));
}

/** Every stored event of a database as one line of JSON, in the order they came. */
export async function exportDatabase(url: string): Promise<Result<AsyncIterable<string>, StoreError>> {
  const store = await openDatabaseStore(url);
  if (!store.ok) return store;
  async function* lines(opened: typeof store & { ok: true }): AsyncIterable<string> {
    try {
      yield* opened.value.lines();
    } finally {
      await opened.value.close();
    }
  }
  return ok(lines(store));
}

async function withStore<T>(url: string, act: (store: RelayStore) => Awaitable<T>): Promise<Result<T, StoreError>> {
  const store = await openDatabaseStore(url);
  if (!store.ok) return store;
  try {
    return ok(await act(store.value));
  } catch (cause) {
    return err({ code: 'unreachable', message: (await store.value.trouble()) ?? String(cause), cause });
  } finally {
    await store.value.close();
  }
}
