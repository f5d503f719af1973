import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@heliograph/wire';
import Database from 'better-sqlite3';

/**
 * Why a data folder can't be used. `not-writable`: it, or a file in it, can't be made or written by this user. `in-use`:
 * another relay holds it. `not-a-database`: the file is damaged or another program's. `too-new`: a later version wrote it.
 * `too-old`, `missing`: only for who joins a file that a relay made, which this is not yet. `unreachable`: a database
 * server does not answer, or not to us.
 */
export interface StoreError {
  readonly code: 'not-writable' | 'in-use' | 'not-a-database' | 'too-new' | 'too-old' | 'missing' | 'unreachable';
  readonly message: string;
  readonly cause?: unknown;
}

/** A data folder that is ours until `release`. */
export interface DataDir {
  readonly path: string;
  release(): void;
}

/**
 * Makes the folder (0700) where it is missing and takes it for this process alone. The lock is SQLite's own on an empty
 * file: the system drops it with the process, so a crash leaves nothing to clean up.
 */
export function openDataDir(path: string): Result<DataDir, StoreError> {
  const lockFile = join(path, 'relay.lock');
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    privateFile(lockFile);
  } catch (cause) {
    return err(notWritable(path, cause));
  }
  const lock = new Database(lockFile, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if (!(cause instanceof Database.SqliteError) || cause.code !== 'SQLITE_BUSY')
      return err(notWritable(lockFile, cause));
    const message = `${path} is in use by another relay: stop that one, or give this one its own folder with --data`;
    return err({ code: 'in-use', message, cause });
  }
  return ok({ path, release: () => lock.close() });
}

/** Makes an empty file that only its owner can read (0600), or takes those rights from an existing one. Throws what the system throws. */
export function privateFile(path: string): void {
  closeSync(openSync(path, 'a+', 0o600));
  chmodSync(path, 0o600);
}

/** The error for a path this user can't write, naming both. */
export function notWritable(path: string, cause: unknown): StoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const user = process.getuid === undefined ? '' : ` by uid ${process.getuid()}`;
  const message = `${path} can't be written${user} (${reason}): give that user the folder, or choose another with --data`;
  return { code: 'not-writable', message, cause };
}
