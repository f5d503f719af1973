import { join } from 'node:path';
import { err, type Filter, isHex64, ok, parseEvent, type Result } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { notWritable, openDataDir, privateFile, type StoreError } from './data-dir.ts';
import {
  type EventStore,
  eventAddress,
  indexedTags,
  KIND_DELETION,
  type QueryScope,
  type StoredEvent,
  type WriteOutcome,
} from './event-store.ts';
import { selectSeqs } from './sqlite-query.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './sqlite-schema.ts';
import type { StorableEvent } from './storable-event.ts';

/** Opens, or makes, the one SQLite file of a data folder, for this process alone. Ready to use, or a sentence why not. */
export function openSqliteStore(dataDir: string): Result<EventStore, StoreError> {
  const dir = openDataDir(dataDir);
  if (!dir.ok) return dir;
  const store = openFile(join(dataDir, 'relay.db'), dir.value.release);
  if (!store.ok) dir.value.release();
  return store;
}

function openFile(path: string, release: () => void): Result<EventStore, StoreError> {
  try {
    // Made by us first: SQLite gives a new file's rights to its WAL, and its own default is readable by all.
    privateFile(path);
  } catch (cause) {
    return err(notWritable(path, cause));
  }
  const db = new Database(path);
  try {
    const problem = prepareFile(db, path);
    if (problem === undefined) return ok(new SqliteStore(db, release));
    db.close();
    return err(problem);
  } catch (cause) {
    db.close();
    const code = cause instanceof Database.SqliteError ? cause.code : '';
    if (code !== 'SQLITE_NOTADB' && code !== 'SQLITE_CORRUPT') return err(notWritable(path, cause));
    const message = `${path} is not a database, or it is damaged: restore a backup, or move the file away and start empty`;
    return err({ code: 'not-a-database', message, cause });
  }
}

function prepareFile(db: Database.Database, path: string): StoreError | undefined {
  const version = db.pragma('user_version', { simple: true }) as number;
  const application = db.pragma('application_id', { simple: true }) as number;
  const isEmpty = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (!isEmpty && application !== APPLICATION_ID) {
    const message = `${path} is another program's SQLite file: choose another folder with --data`;
    return { code: 'not-a-database', message };
  }
  if (version > SCHEMA_VERSION) {
    const message = `${path} has schema ${version} and this version knows ${SCHEMA_VERSION}: start the Heliograph that wrote it, or a later one`;
    return { code: 'too-new', message };
  }
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('cache_size = -32000');
  if (isEmpty) {
    db.transaction(() => {
      db.exec(SCHEMA);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
    })();
  }
  return undefined;
}

type Row = { readonly seq: number; readonly json: string };
type Version = { readonly seq: number; readonly id: Buffer; readonly created_at: number; readonly json: string };

class SqliteStore implements EventStore {
  readonly #db: Database.Database;
  readonly #release: () => void;
  readonly #statements;
  readonly #writeAll: (events: readonly StorableEvent[]) => WriteOutcome[];
  /** Prepared queries by text; one text per shape of filter, so few are in use. Emptied when it reaches its bound. */
  readonly #queries = new Map<string, Database.Statement>();

  constructor(db: Database.Database, release: () => void) {
    this.#db = db;
    this.#release = release;
    this.#statements = {
      jsonOf: db.prepare<[number], { json: string }>('SELECT json FROM events WHERE seq = ?'),
      hasId: db.prepare<[Buffer]>('SELECT 1 FROM events WHERE id = ?'),
      newest: db.prepare<[string], Version>('SELECT seq, id, created_at, json FROM events WHERE address = ?'),
      deletion: db.prepare<[string, string, Buffer, number]>(
        `SELECT 1 FROM tags t JOIN events e ON e.seq = t.seq
         WHERE t.name = ? AND t.value = ? AND t.kind = ${KIND_DELETION} AND e.pubkey = ? AND t.created_at >= ?`,
      ),
      ownById: db.prepare<[Buffer, Buffer], Row>(
        `SELECT seq, json FROM events WHERE id = ? AND pubkey = ? AND kind != ${KIND_DELETION}`,
      ),
      ownByAddress: db.prepare<[string, Buffer, number], Row>(
        'SELECT seq, json FROM events WHERE address = ? AND pubkey = ? AND created_at <= ?',
      ),
      insert: db.prepare<[Buffer, Buffer, number, number, string | null, string]>(
        'INSERT INTO events (id, pubkey, kind, created_at, address, json) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      insertTag: db.prepare<[string, string, number, Buffer, number, number | bigint]>(
        'INSERT INTO tags (name, value, created_at, id, kind, seq) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      remove: db.prepare<[number]>('DELETE FROM events WHERE seq = ?'),
      removeTag: db.prepare<[string, string, number, Buffer]>(
        'DELETE FROM tags WHERE name = ? AND value = ? AND created_at = ? AND id = ?',
      ),
    };
    this.#writeAll = db.transaction((events: readonly StorableEvent[]) => events.map((event) => this.#writeOne(event)));
  }

  query(filter: Filter, scope: QueryScope): readonly StoredEvent[] {
    const { text, params } = selectSeqs(filter, scope.reader, scope.maxEvents);
    const rows = this.#prepareQuery(text).all(...params) as { c: number; i: Buffer; s: number }[];
    const answer: StoredEvent[] = [];
    let bytes = 0;
    for (const { c, i, s } of rows) {
      const json = this.#statements.jsonOf.get(s)?.json ?? '';
      bytes += json.length;
      if (bytes > scope.maxBytes) break;
      answer.push({ id: i.toString('hex'), createdAtSec: c, json });
    }
    return answer;
  }

  #prepareQuery(text: string): Database.Statement {
    let statement = this.#queries.get(text);
    if (statement === undefined) {
      if (this.#queries.size >= 256) this.#queries.clear();
      statement = this.#db.prepare(text);
      this.#queries.set(text, statement);
    }
    return statement;
  }

  write(events: readonly StorableEvent[]): readonly WriteOutcome[] {
    return this.#writeAll(events);
  }

  #writeOne(event: StorableEvent): WriteOutcome {
    const { hasId, newest, insert, insertTag } = this.#statements;
    const id = Buffer.from(event.id, 'hex');
    if (hasId.get(id) !== undefined) return 'duplicate';
    const pubkey = Buffer.from(event.pubkey, 'hex');
    const address = eventAddress(event);
    if (event.kind !== KIND_DELETION && this.#isDeleted(event, pubkey, address)) return 'deleted';
    if (address !== undefined) {
      const held = newest.get(address);
      if (held !== undefined && !isNewer(event, id, held)) return 'superseded';
      if (held !== undefined) this.#remove(held);
    }
    const { lastInsertRowid } = insert.run(id, pubkey, event.kind, event.created_at, address ?? null, event.json);
    for (const [name, value] of indexedTags(event)) {
      insertTag.run(name, value, event.created_at, id, event.kind, lastInsertRowid);
    }
    if (event.kind === KIND_DELETION) this.#applyDeletion(event, pubkey);
    return 'stored';
  }

  #isDeleted(event: StorableEvent, pubkey: Buffer, address: string | undefined): boolean {
    const { deletion } = this.#statements;
    if (deletion.get('e', event.id, pubkey, 0) !== undefined) return true;
    return address !== undefined && deletion.get('a', address, pubkey, event.created_at) !== undefined;
  }

  #applyDeletion(request: StorableEvent, pubkey: Buffer): void {
    const { ownById, ownByAddress } = this.#statements;
    for (const [name, value] of indexedTags(request)) {
      let row: Row | undefined;
      if (name === 'e' && isHex64(value)) row = ownById.get(Buffer.from(value, 'hex'), pubkey);
      else if (name === 'a') row = ownByAddress.get(value, pubkey, request.created_at);
      if (row !== undefined) this.#remove(row);
    }
  }

  #remove({ seq, json }: Row): void {
    // An index on tags.seq would cost every insert; what to remove stands in the event itself.
    const event = parseEvent(JSON.parse(json));
    if (!event.ok) throw new Error(`the stored event with seq ${seq} is damaged: ${event.error.message}`);
    const { id, created_at } = event.value;
    const idBytes = Buffer.from(id, 'hex');
    for (const [name, value] of indexedTags(event.value)) {
      this.#statements.removeTag.run(name, value, created_at, idBytes);
    }
    this.#statements.remove.run(seq);
  }

  close(): void {
    try {
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      this.#db.close();
      this.#release();
    }
  }
}

function isNewer(event: StorableEvent, id: Buffer, held: Version): boolean {
  if (event.created_at !== held.created_at) return event.created_at > held.created_at;
  return id.compare(held.id) < 0;
}
