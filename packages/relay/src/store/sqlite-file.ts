import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { err, ok, parseEvent, type Result } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { expiresAt } from '../expiration.ts';
import { notWritable, privateFile, type StoreError } from './data-dir.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION, UPGRADES } from './sqlite-schema.ts';
import { WordIndex } from './word-index.ts';

/** The one database file of a data folder. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, 'relay.db');
}

/**
 * Opens, or makes, a relay's file and brings it to this version's schema; a copy of an older one is put beside it first.
 * The caller holds the folder's lock.
 */
export function openDatabase(path: string): Result<Database.Database, StoreError> {
  try {
    // Made by us first: SQLite gives a new file's rights to its WAL, and its own default is readable by all.
    privateFile(path);
  } catch (cause) {
    return err(notWritable(path, cause));
  }
  return withDatabase(path, (db) => {
    const problem = checkFile(db, path);
    if (problem !== undefined) return problem;
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('cache_size = -32000');
    // A page that many commits touch is copied into the file once per checkpoint: 16 MiB of WAL save a twentieth of a write.
    db.pragma('wal_autocheckpoint = 4000');
    // Reading through the system's own cache, without a copy of each page, halves what a large answer costs.
    db.pragma('mmap_size = 2147418112');
    if (isEmpty(db)) createSchema(db);
    else upgrade(db, path);
    return undefined;
  });
}

/** Opens a relay's file that is there, of this version, as a second process beside a running relay. */
export function joinDatabase(path: string): Result<Database.Database, StoreError> {
  if (!existsSync(path)) {
    return err({ code: 'missing', message: `there is no relay in ${dirname(path)}: name its folder with --data` });
  }
  return withDatabase(path, (db) => {
    const problem = checkFile(db, path);
    if (problem !== undefined) return problem;
    if (isEmpty(db) || versionOf(db) !== SCHEMA_VERSION) {
      return { code: 'too-old', message: `${path} is of another version: start the relay once with this Heliograph` };
    }
    db.pragma('synchronous = FULL');
    return undefined;
  });
}

/** What is wrong with a file as a relay's; undefined when it is one of this version or before, or empty. */
export function checkFile(db: Database.Database, path: string): StoreError | undefined {
  const version = versionOf(db);
  const application = db.pragma('application_id', { simple: true }) as number;
  if (!isEmpty(db) && application !== APPLICATION_ID) {
    const message = `${path} is another program's SQLite file: choose another folder with --data`;
    return { code: 'not-a-database', message };
  }
  if (version > SCHEMA_VERSION) {
    const message = `${path} has schema ${version} and this version knows ${SCHEMA_VERSION}: start the Heliograph that wrote it, or a later one`;
    return { code: 'too-new', message };
  }
  return undefined;
}

/** Turns what SQLite throws about a file into a sentence for its user. */
export function describeFault(path: string, cause: unknown): StoreError {
  const code = cause instanceof Database.SqliteError ? cause.code : '';
  if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT') {
    const message = `${path} is not a database, or it is damaged: restore a backup, or move the file away and start empty`;
    return { code: 'not-a-database', message, cause };
  }
  return notWritable(path, cause);
}

function withDatabase(
  path: string,
  prepare: (db: Database.Database) => StoreError | undefined,
): Result<Database.Database, StoreError> {
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: 5_000 });
    const problem = prepare(db);
    if (problem === undefined) return ok(db);
    db.close();
    return err(problem);
  } catch (cause) {
    db?.close();
    return err(describeFault(path, cause));
  }
}

function versionOf(db: Database.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

function isEmpty(db: Database.Database): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

function createSchema(db: Database.Database): void {
  db.transaction(() => {
    db.exec(SCHEMA);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
}

/** All steps in one transaction, after a copy of the file as it was: whatever happens, one of the two is whole. */
function upgrade(db: Database.Database, path: string): void {
  const from = versionOf(db);
  if (from === SCHEMA_VERSION) return;
  keepCopy(db, join(dirname(path), `relay-schema-${from}-${timeStamp()}.db`));
  db.transaction(() => {
    for (let version = from; version < SCHEMA_VERSION; version++) {
      db.exec(UPGRADES[version] ?? '');
      if (version === 1) noteExpirations(db);
      if (version === 3) new WordIndex(db).catchUp(lastSeqOf(db));
    }
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  })();
}

/** One name for what is not whole yet: the next start takes the place of what a killed one left. */
function keepCopy(db: Database.Database, copy: string): void {
  const unfinished = join(dirname(copy), 'relay-schema.unfinished');
  for (const file of [unfinished, `${unfinished}-journal`]) rmSync(file, { force: true });
  try {
    privateFile(unfinished);
    db.prepare('VACUUM INTO ?').run(unfinished);
    renameSync(unfinished, copy);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** The time as part of a file name, to the second. */
export function timeStamp(): string {
  return new Date().toISOString().replace(/[-:]|\.\d+/g, '');
}

/** The last number that an event has; 0 where there is none. */
export function lastSeqOf(db: Database.Database): number {
  return db.prepare<[], number>('SELECT COALESCE(MAX(seq), 0) FROM events').pluck().get() ?? 0;
}

/** What version 2 keeps beside each event, for events written before it. */
function noteExpirations(db: Database.Database): void {
  const insert = db.prepare('INSERT INTO expirations (at, seq) VALUES (?, ?)');
  const next = db.prepare<[number], { seq: number; json: string }>(
    'SELECT seq, json FROM events WHERE seq > ? ORDER BY seq LIMIT 1',
  );
  for (let row = next.get(-1); row !== undefined; row = next.get(row.seq)) {
    const event = parseEvent(JSON.parse(row.json));
    const endsAtSec = event.ok ? expiresAt(event.value) : undefined;
    if (endsAtSec !== undefined) insert.run(endsAtSec, row.seq);
  }
}
