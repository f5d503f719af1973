import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Crypto, err, ok, parseEvent, type Result, verifyEvent } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { notWritable, openDataDir, privateFile, type StoreError } from './data-dir.ts';
import type { EventStore, WriteOutcome } from './event-store.ts';
import { checkFile, databaseFile, describeFault, joinDatabase, openDatabase, timeStamp } from './sqlite-file.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { type StorableEvent, storableEvent } from './storable-event.ts';

/** A folder or file this can't be done with; `exists`: the file to write is there already. */
export type MaintenanceError = StoreError | { readonly code: 'exists'; readonly message: string };

/** Writes a whole, checked copy of a relay's file (0600) to a new file, while the relay runs or not. Gives its bytes. */
export function backupRelay(dataDir: string, toFile: string): Result<number, MaintenanceError> {
  if (existsSync(toFile)) return err({ code: 'exists', message: `${toFile} exists: name a new file` });
  const db = joinDatabase(databaseFile(dataDir));
  if (!db.ok) return db;
  const unfinished = `${toFile}.unfinished`;
  try {
    privateFile(unfinished);
    db.value.prepare('VACUUM INTO ?').run(unfinished);
    const problem = checkCopy(unfinished);
    if (problem !== undefined) return err(problem);
    syncFile(unfinished);
    renameSync(unfinished, toFile);
    return ok(statSync(toFile).size);
  } catch (cause) {
    return err(notWritable(toFile, cause));
  } finally {
    rmSync(unfinished, { force: true });
    db.value.close();
  }
}

/**
 * Puts a backup in the place of a relay's file. The relay must not run; its file is kept beside under the name given.
 * Nothing is touched before the backup was found whole.
 */
export function restoreRelay(dataDir: string, fromFile: string): Result<{ keptAs: string | undefined }, StoreError> {
  if (!existsSync(fromFile)) return err({ code: 'missing', message: `there is no file ${fromFile}` });
  const problem = checkCopy(fromFile);
  if (problem !== undefined) return err(problem);
  const dir = openDataDir(dataDir);
  if (!dir.ok) return dir;
  const path = databaseFile(dataDir);
  const incoming = `${path}.incoming`;
  try {
    privateFile(incoming);
    copyFileSync(fromFile, incoming);
    syncFile(incoming);
    const keptAs = existsSync(path) ? join(dataDir, `relay-before-restore-${timeStamp()}.db`) : undefined;
    // What is in the WAL belongs to the old file: it is brought in, or, where that file is damaged, kept with it.
    if (keptAs !== undefined) setAside(path, keptAs);
    renameSync(incoming, path);
    return ok({ keptAs });
  } catch (cause) {
    return err(notWritable(path, cause));
  } finally {
    rmSync(incoming, { force: true });
    dir.value.release();
  }
}

function setAside(path: string, keptAs: string): void {
  const old = openDatabase(path);
  if (old.ok) {
    old.value.pragma('wal_checkpoint(TRUNCATE)');
    old.value.close();
  }
  renameSync(path, keptAs);
  for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, keptAs + suffix);
}

/** Gives unused pages back to the system. The relay must not run. Gives the bytes before and after. */
export function compactRelay(dataDir: string): Result<{ beforeBytes: number; afterBytes: number }, StoreError> {
  const path = databaseFile(dataDir);
  if (!existsSync(path)) return err({ code: 'missing', message: `there is no relay in ${dataDir}` });
  const dir = openDataDir(dataDir);
  if (!dir.ok) return dir;
  const beforeBytes = statSync(path).size;
  try {
    const db = openDatabase(path);
    if (!db.ok) return db;
    db.value.exec("INSERT INTO search(search) VALUES ('optimize')");
    db.value.exec('VACUUM');
    db.value.pragma('wal_checkpoint(TRUNCATE)');
    db.value.close();
    return ok({ beforeBytes, afterBytes: statSync(path).size });
  } catch (cause) {
    return err(describeFault(path, cause));
  } finally {
    dir.value.release();
  }
}

/** Every stored event as one line of JSON, in the order they came, while the relay runs or not. */
export function exportEvents(dataDir: string): Result<Iterable<string>, StoreError> {
  const db = joinDatabase(databaseFile(dataDir));
  if (!db.ok) return db;
  return ok(readLines(db.value));
}

function* readLines(db: Database.Database): Iterable<string> {
  try {
    for (const { json } of db.prepare<[], { json: string }>('SELECT json FROM events ORDER BY seq').iterate())
      yield json;
  } finally {
    db.close();
  }
}

/** What became of the lines of an import; `refused` ones are no event, forged, or ephemeral. */
export interface ImportReport {
  readonly outcomes: Readonly<Record<WriteOutcome, number>>;
  readonly refused: number;
  /** The first refused line and why. */
  readonly firstRefusal: { readonly line: number; readonly reason: string } | undefined;
}

const IMPORT_BATCH = 500;

/** Takes lines of JSON into a relay's file, each checked as if it had been published. The relay must not run. */
export async function importEvents(
  dataDir: string,
  lines: AsyncIterable<string>,
  crypto: Crypto,
): Promise<Result<ImportReport, StoreError>> {
  const store = openSqliteStore(dataDir);
  if (!store.ok) return store;
  try {
    return ok(await importInto(store.value, lines, crypto));
  } catch (cause) {
    return err(describeFault(databaseFile(dataDir), cause));
  } finally {
    store.value.close();
  }
}

/** Takes lines of JSON into any store, each checked as if it had been published. Throws what the store throws. */
export async function importInto(
  store: Pick<EventStore, 'write'>,
  lines: AsyncIterable<string>,
  crypto: Crypto,
): Promise<ImportReport> {
  const outcomes: Record<WriteOutcome, number> = { stored: 0, duplicate: 0, superseded: 0, deleted: 0 };
  let refused = 0;
  let firstRefusal: ImportReport['firstRefusal'];
  let batch: StorableEvent[] = [];
  let number = 0;
  const write = async (): Promise<void> => {
    for (const outcome of await store.write(batch)) outcomes[outcome] += 1;
    batch = [];
  };
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const event = readEvent(line, crypto);
    if (event.ok) batch.push(event.value);
    else {
      refused += 1;
      firstRefusal ??= { line: number, reason: event.error };
    }
    if (batch.length >= IMPORT_BATCH) await write();
  }
  await write();
  return { outcomes, refused, firstRefusal };
}

function readEvent(line: string, crypto: Crypto): Result<StorableEvent, string> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return err('it is not JSON');
  }
  const event = parseEvent(value);
  if (!event.ok) return err(event.error.message);
  const verified = verifyEvent(event.value, crypto);
  if (!verified.ok) return err(verified.error.message);
  const kept = storableEvent(verified.value);
  return kept === undefined ? err(`kind ${verified.value.kind} is ephemeral`) : ok(kept);
}

/** Whether a file is a whole relay database of this version or an earlier one. */
function checkCopy(file: string): StoreError | undefined {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true });
    const problem = checkFile(db, file);
    if (problem !== undefined) return problem;
    const isWhole = db.pragma('quick_check(1)', { simple: true }) === 'ok';
    const isRelay = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() !== undefined;
    if (isWhole && isRelay) return undefined;
    return { code: 'not-a-database', message: `${file} is not a whole copy of a relay's file` };
  } catch (cause) {
    return describeFault(file, cause);
  } finally {
    db?.close();
  }
}

function syncFile(path: string): void {
  const file = openSync(resolve(path), 'r+');
  fsyncSync(file);
  closeSync(file);
}
