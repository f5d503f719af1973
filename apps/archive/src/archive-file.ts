import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { APPLICATION_ID, type ArchiveSettings, createArchive, SCHEMA_VERSION, UPGRADES } from '@heliograph/record';
import { type Crypto, err, ok, type Result } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { makePrivateFolder } from './private-folder.ts';

/**
 * Why an archive's file can't be used. `missing`: there is none. `in-use`: another process keeps it. `not-writable`: the
 * system refuses. `damaged`: not SQLite, or pages of it are broken. `foreign`: another program's. `too-new`: of a later
 * version. `too-large`: it can't be opened into memory. `other-owner`: it was made for another key.
 */
export interface ArchiveFileError {
  readonly code:
    | 'missing'
    | 'in-use'
    | 'not-writable'
    | 'too-large'
    | 'damaged'
    | 'foreign'
    | 'too-new'
    | 'other-owner';
  readonly message: string;
  readonly cause?: unknown;
}

/** An archive's file that this process alone writes. */
export interface ArchiveFile {
  readonly path: string;
  readonly db: Database.Database;
  /** A second connection, which only reads: it goes on reading while the first one writes. */
  readonly reading: Database.Database;
  /** Where the file of the version before was put, when this opening upgraded it. */
  readonly backup: string | undefined;
  close(): void;
}

/**
 * Opens an archive's file for its one writer, or makes it (0600). An older schema is upgraded after a whole copy was put
 * beside the file. The lock is SQLite's own on an empty file: the system drops it with the process.
 */
export function openArchiveFile(
  path: string,
  settings: ArchiveSettings,
  crypto: Crypto,
): Result<ArchiveFile, ArchiveFileError> {
  const lock = takeLock(path);
  if (!lock.ok) return lock;
  const opened = openForWriting(path, settings, crypto);
  if (!opened.ok) {
    lock.value.close();
    return opened;
  }
  const { db, reading, backup } = opened.value;
  const close = () => {
    reading.close();
    db.close();
    lock.value.close();
  };
  return ok({ path, db, reading, backup, close });
}

/** Opens an archive's file that is there, only to read it, beside the process that writes it; of an earlier version a private copy, upgraded. */
export function joinArchiveFile(path: string): Result<Database.Database, ArchiveFileError> {
  if (!existsSync(path)) {
    return err({ code: 'missing', message: `there is no archive at ${path}: name its file, or switch one on first` });
  }
  let db: Database.Database | undefined;
  try {
    db = isFolderWritable(path) ? openReader(path) : openCopy(path);
    const problem = checkFile(db, path);
    if (problem === undefined && versionOf(db) === SCHEMA_VERSION) return ok(db);
    db.close();
    // Whoever only reads need not be the owner, who alone goes on keeping in it.
    return problem === undefined ? ok(openCopy(path)) : err(problem);
  } catch (cause) {
    db?.close();
    return err(describeFault(path, cause));
  }
}

function openReader(path: string): Database.Database {
  return new Database(path, { readonly: true, timeout: 5_000 });
}

/** A file that is written while it is copied is copied anew, so many times. */
const MAX_COPIES = 5;

/**
 * SQLite keeps two small files beside one that is read. Where it can't, a private copy is read: one of a moment in which
 * nobody wrote. The copy has no name as soon as it is open, so it goes with the handle.
 */
function openCopy(path: string): Database.Database {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-archive-'));
  const files = [path, `${path}-wal`];
  const written = () =>
    files.map((file) => statSync(file, { throwIfNoEntry: false })).map((file) => [file?.mtimeMs, file?.size]);
  try {
    const copy = join(folder, 'archive.db');
    for (let copies = 1; ; copies++) {
      const before = JSON.stringify(written());
      copyFileSync(path, copy);
      rmSync(`${copy}-wal`, { force: true });
      if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
      if (JSON.stringify(written()) === before) break;
      if (copies === MAX_COPIES) throw new Error('it is written all the time: copy it with sqlite3 .backup first');
    }
    upgradeCopy(copy);
    const db = openReader(copy);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function upgradeCopy(path: string): void {
  const db = new Database(path);
  if (checkFile(db, path) === undefined && !isEmpty(db)) runUpgrades(db);
  db.close();
}

function isFolderWritable(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** What SQLite threw about this file, as a sentence for its user. */
export function describeFault(path: string, cause: unknown): ArchiveFileError {
  const code = cause instanceof Database.SqliteError ? cause.code : '';
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
    const message = `${path} is damaged or no database. Nothing was overwritten: move it away to start a new archive; \`heliograph archive verify\` on a copy says how far it holds`;
    return { code: 'damaged', message, cause };
  }
  if (code.startsWith('SQLITE_FULL')) {
    return { code: 'not-writable', message: `the disk of ${path} is full: make room, or set --max-size`, cause };
  }
  const reason = cause instanceof Error ? cause.message : String(cause);
  return { code: 'not-writable', message: `${path} can't be written (${reason}): give its folder to this user`, cause };
}

function takeLock(path: string): Result<Database.Database, ArchiveFileError> {
  const lockFile = `${path}.lock`;
  let lock: Database.Database | undefined;
  try {
    makePrivateFolder(dirname(path));
    newPrivateFile(lockFile);
    lock = new Database(lockFile, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    return ok(lock);
  } catch (cause) {
    lock?.close();
    if (!(cause instanceof Database.SqliteError) || cause.code !== 'SQLITE_BUSY')
      return err(describeFault(path, cause));
    const message = `${path} is kept by another process already: one archive has one keeper. Stop that one, or name another file`;
    return err({ code: 'in-use', message, cause });
  }
}

function openForWriting(
  path: string,
  settings: ArchiveSettings,
  crypto: Crypto,
): Result<Omit<ArchiveFile, 'path' | 'close'>, ArchiveFileError> {
  let db: Database.Database | undefined;
  try {
    // Made by us first: SQLite gives a new file's rights to its WAL, and its own default is readable by all.
    newPrivateFile(path);
    db = new Database(path, { timeout: 5_000 });
    const problem = checkFile(db, path) ?? wrongOwner(db, path, settings.owner);
    if (problem !== undefined) {
      db.close();
      return err(problem);
    }
    let backup: string | undefined;
    if (isEmpty(db)) {
      createArchive(db, settings, crypto);
    } else backup = upgrade(db, path);
    db.pragma('journal_mode = WAL');
    // A commit may be lost with the power, never half of one; `run` marks what may be missing.
    db.pragma('synchronous = NORMAL');
    db.pragma('cache_size = -32000');
    // 16 MB: what many commits change again and again is then carried into the file once.
    db.pragma('wal_autocheckpoint = 4000');
    db.pragma('foreign_keys = OFF');
    return ok({ db, reading: new Database(path, { readonly: true, timeout: 5_000 }), backup });
  } catch (cause) {
    db?.close();
    return err(describeFault(path, cause));
  }
}

function checkFile(db: Database.Database, path: string): ArchiveFileError | undefined {
  if (isEmpty(db)) return undefined;
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    return { code: 'foreign', message: `${path} is another program's SQLite file: name another file for the archive` };
  }
  const version = versionOf(db);
  if (version <= SCHEMA_VERSION) return undefined;
  const message = `${path} has schema ${version} and this version knows ${SCHEMA_VERSION}: start the Heliograph that wrote it, or a later one`;
  return { code: 'too-new', message };
}

function wrongOwner(db: Database.Database, path: string, owner: string): ArchiveFileError | undefined {
  if (isEmpty(db)) return undefined;
  const kept = db.prepare("SELECT value FROM meta WHERE name = 'owner'").pluck().get();
  if (kept === owner) return undefined;
  return { code: 'other-owner', message: `${path} is the archive of another owner's key: name another file` };
}

/** All steps in one transaction, after a copy of the file as it was: whatever happens, one of the two is whole. */
function upgrade(db: Database.Database, path: string): string | undefined {
  const from = versionOf(db);
  if (from === SCHEMA_VERSION) return undefined;
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const backup = `${path}.schema-${from}-${stamp}`;
  keepCopy(db, `${path}.schema.unfinished`, backup);
  runUpgrades(db);
  return backup;
}

/** One name for what is not whole yet: the next start takes the place of what a killed one left. */
function keepCopy(db: Database.Database, unfinished: string, backup: string): void {
  for (const file of [unfinished, `${unfinished}-journal`]) rmSync(file, { force: true });
  try {
    newPrivateFile(unfinished);
    db.prepare('VACUUM INTO ?').run(unfinished);
    renameSync(unfinished, backup);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function runUpgrades(db: Database.Database): void {
  db.transaction(() => {
    for (let version = versionOf(db); version < SCHEMA_VERSION; version++) db.exec(UPGRADES[version] ?? '');
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
}

/** Makes a file that only this user may read, or leaves it as it is but for that. */
export function newPrivateFile(path: string): void {
  closeSync(openSync(path, 'a+', 0o600));
  chmodSync(path, 0o600);
}

function versionOf(db: Database.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

function isEmpty(db: Database.Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}
