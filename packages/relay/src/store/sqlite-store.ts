import { statfsSync } from 'node:fs';
import { type Filter, isHex64, type NostrEvent, ok, parseEvent, type Result } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { expiresAt } from '../expiration.ts';
import { isSearchable } from '../search.ts';
import { openDataDir, type StoreError } from './data-dir.ts';
import {
  type Asker,
  deletersOf,
  type EventReference,
  eventAddress,
  indexedTags,
  KIND_DELETION,
  type QueryScope,
  type RetentionRule,
  type StoredEvent,
  type SweepScope,
  type WriteOutcome,
} from './event-store.ts';
import type { RelayStore } from './relay-store.ts';
import type { Sql } from './sql.ts';
import { SqliteAccess } from './sqlite-access.ts';
import { databaseFile, lastSeqOf, openDatabase } from './sqlite-file.ts';
import { type Choice, countMatching, selectEvents, selectSeqs } from './sqlite-query.ts';
import type { StorableEvent } from './storable-event.ts';
import { WordIndex } from './word-index.ts';

/** Opens, or makes, the one SQLite file of a data folder, for this process alone. Ready to use, or a sentence why not. */
export function openSqliteStore(dataDir: string): Result<SqliteStore, StoreError> {
  const dir = openDataDir(dataDir);
  if (!dir.ok) return dir;
  const db = openDatabase(databaseFile(dataDir));
  if (db.ok) return ok(new SqliteStore(db.value, dataDir, dir.value.release));
  dir.value.release();
  return db;
}

/** Less than this is as good as full: SQLite needs room for its WAL. */
const MIN_FREE_BYTES = 16 * 1024 * 1024;

type Found = { readonly c: number; readonly i: Buffer; readonly s: number };
type Row = { readonly seq: number; readonly json: string };
type Version = { readonly seq: number; readonly id: Buffer; readonly created_at: number; readonly json: string };

/** A store that answers in the same step. */
export class SqliteStore implements RelayStore {
  readonly access: SqliteAccess;
  readonly place: RelayStore['place'];
  readonly cluster = undefined;
  readonly journal = undefined;
  readonly neighbours = undefined;
  readonly #dataDir: string;
  readonly #db: Database.Database;
  readonly #release: () => void;
  readonly #statements;
  readonly #words: WordIndex;
  #lastSeq: number;
  readonly #writeAll: (events: readonly StorableEvent[]) => WriteOutcome[];
  /** Prepared queries by text; one text per shape of filter, so few are in use. Emptied when it reaches its bound. */
  readonly #queries = new Map<string, Database.Statement>();

  constructor(db: Database.Database, dataDir: string, release: () => void) {
    this.#db = db;
    this.#dataDir = dataDir;
    this.place = { path: dataDir, uid: process.getuid?.() };
    this.access = new SqliteAccess(db);
    this.#release = release;
    this.#statements = {
      hasId: db.prepare<[Buffer]>('SELECT 1 FROM events WHERE id = ?'),
      newest: db.prepare<[string], Version>('SELECT seq, id, created_at, json FROM events WHERE address = ?'),
      deletion: db.prepare<[string, string, Buffer, number]>(
        `SELECT 1 FROM tags t JOIN events e ON e.seq = t.seq
         WHERE t.name = ? AND t.value = ? AND t.kind = ${KIND_DELETION} AND e.pubkey = ? AND t.created_at >= ?`,
      ),
      byId: db.prepare<[Buffer], Row>(`SELECT seq, json FROM events WHERE id = ? AND kind != ${KIND_DELETION}`),
      anyById: db.prepare<[Buffer], Row>('SELECT seq, json FROM events WHERE id = ?'),
      ownByAddress: db.prepare<[string, Buffer, number], Row>(
        'SELECT seq, json FROM events WHERE address = ? AND pubkey = ? AND created_at <= ?',
      ),
      insert: db.prepare<[number, Buffer, Buffer, number, number, string | null, string]>(
        'INSERT INTO events (seq, id, pubkey, kind, created_at, address, json) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ),
      insertTag: db.prepare<[string, string, number, number, Buffer, number]>(
        'INSERT INTO tags (name, value, created_at, seq, id, kind) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      insertExpiration: db.prepare<[number, number]>('INSERT INTO expirations (at, seq) VALUES (?, ?)'),
      removeExpiration: db.prepare<[number, number]>('DELETE FROM expirations WHERE at = ? AND seq = ?'),
      expired: db.prepare<[number, number], Row>(
        `SELECT e.seq, e.json FROM expirations x JOIN events e ON e.seq = x.seq
         WHERE x.at <= ? AND e.kind != ${KIND_DELETION} LIMIT ?`,
      ),
      nextKind: db.prepare<[number], { kind: number | null }>('SELECT MIN(kind) AS kind FROM events WHERE kind >= ?'),
      olderOfKind: db.prepare<[number, number, number], Row>(
        'SELECT seq, json FROM events WHERE kind = ? AND created_at < ? ORDER BY created_at LIMIT ?',
      ),
      remove: db.prepare<[number]>('DELETE FROM events WHERE seq = ?'),
      removeTag: db.prepare<[string, string, number, number]>(
        'DELETE FROM tags WHERE name = ? AND value = ? AND created_at = ? AND seq = ?',
      ),
    };
    this.#words = new WordIndex(db);
    // Numbers are never given twice, not even that of a last event that was removed: its words may be in already.
    this.#lastSeq = Math.max(lastSeqOf(db), this.#words.to);
    this.#writeAll = db.transaction((events: readonly StorableEvent[]) => {
      this.#words.catchUpWhenWorth(this.#lastSeq);
      return events.map((event) => this.#writeOne(event));
    });
  }

  query(filter: Filter, scope: QueryScope): readonly StoredEvent[] {
    this.#prepareSearch([filter]);
    const { text, params } = selectEvents(filter, scope, scope.maxEvents, this.#rarest);
    const answer: StoredEvent[] = [];
    let bytes = 0;
    // One row at a time: texts beyond the bound are never read.
    for (const row of this.#prepareQuery(text)
      .raw()
      .iterate(...params)) {
      const [createdAtSec, id, json] = row as [number, string, string];
      bytes += json.length;
      if (bytes > scope.maxBytes) break;
      answer.push({ id, createdAtSec, json });
    }
    return answer;
  }

  count(filters: readonly Filter[], asker: Asker, maxCount: number): number {
    if (filters.length === 0) return 0;
    this.#prepareSearch(filters);
    const [row] = this.#ask(countMatching(filters, asker, maxCount, this.#rarest)) as { n: number }[];
    return row?.n ?? 0;
  }

  references(filter: Filter, asker: Asker, maxEvents: number): readonly EventReference[] {
    this.#prepareSearch([filter]);
    const rows = this.#ask(selectSeqs(filter, asker, maxEvents, this.#rarest)) as Found[];
    return rows.map(({ c, i }) => ({ id: i, createdAtSec: c }));
  }

  readonly #rarest: Choice = (counts) => {
    const rows = counts.map((count) => (this.#ask(count) as { n: number }[])[0]?.n ?? 0);
    return rows.indexOf(Math.min(...rows));
  };

  #prepareSearch(filters: readonly Filter[]): void {
    if (filters.some(({ search }) => search !== undefined)) this.#words.catchUp(this.#lastSeq);
  }

  #ask({ text, params }: Sql): unknown[] {
    return this.#prepareQuery(text).all(...params);
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
    const { hasId, newest, insert, insertTag, insertExpiration } = this.#statements;
    const id = Buffer.from(event.id, 'hex');
    if (hasId.get(id) !== undefined) return 'duplicate';
    const pubkey = Buffer.from(event.pubkey, 'hex');
    const address = eventAddress(event);
    if (event.kind !== KIND_DELETION && this.#isDeleted(event, address)) return 'deleted';
    if (address !== undefined) {
      const held = newest.get(address);
      if (held !== undefined && !isNewer(event, id, held)) return 'superseded';
      if (held !== undefined) this.#remove(held);
    }
    this.#lastSeq += 1;
    const seq = this.#lastSeq;
    insert.run(seq, id, pubkey, event.kind, event.created_at, address ?? null, event.json);
    for (const [name, value] of indexedTags(event)) insertTag.run(name, value, event.created_at, seq, id, event.kind);
    const endsAtSec = expiresAt(event);
    if (endsAtSec !== undefined) insertExpiration.run(endsAtSec, seq);
    if (event.kind === KIND_DELETION) this.#applyDeletion(event);
    return 'stored';
  }

  #isDeleted(event: StorableEvent, address: string | undefined): boolean {
    const { deletion } = this.#statements;
    for (const key of deletersOf(event)) {
      if (isHex64(key) && deletion.get('e', event.id, Buffer.from(key, 'hex'), 0) !== undefined) return true;
    }
    if (address === undefined) return false;
    return deletion.get('a', address, Buffer.from(event.pubkey, 'hex'), event.created_at) !== undefined;
  }

  #applyDeletion(request: StorableEvent): void {
    const { byId, ownByAddress } = this.#statements;
    for (const [name, value] of indexedTags(request)) {
      if (name === 'e' && isHex64(value)) {
        const row = byId.get(Buffer.from(value, 'hex'));
        if (row !== undefined && deletersOf(eventOf(row)).includes(request.pubkey)) this.#remove(row);
      } else if (name === 'a') {
        const row = ownByAddress.get(value, Buffer.from(request.pubkey, 'hex'), request.created_at);
        if (row !== undefined) this.#remove(row);
      }
    }
  }

  sweep({ nowSec, retention, maxEvents }: SweepScope): number {
    this.#words.catchUp(this.#lastSeq);
    const over = this.#statements.expired.all(nowSec, maxEvents);
    for (const rule of retention) over.push(...this.#tooOld(rule, nowSec, maxEvents - over.length));
    const rows = new Map(over.map((row) => [row.seq, row]));
    if (rows.size > 0) {
      this.#db.transaction(() => {
        for (const row of rows.values()) this.#remove(row);
      })();
    }
    return rows.size;
  }

  /** Kind by kind, so that only the events that go are looked at. */
  #tooOld({ kinds, maxAgeSec }: RetentionRule, nowSec: number, maxEvents: number): Row[] {
    const { nextKind, olderOfKind } = this.#statements;
    const found: Row[] = [];
    for (const [first, last] of kinds) {
      for (let kind = nextKind.get(first)?.kind; typeof kind === 'number' && kind <= last; ) {
        if (found.length >= maxEvents) return found;
        if (kind !== KIND_DELETION) found.push(...olderOfKind.all(kind, nowSec - maxAgeSec, maxEvents - found.length));
        kind = nextKind.get(kind + 1)?.kind;
      }
    }
    return found;
  }

  remove(id: string): boolean {
    const row = this.#statements.anyById.get(Buffer.from(id, 'hex'));
    if (row !== undefined) this.#db.transaction(() => this.#remove(row))();
    return row !== undefined;
  }

  trouble(): string | undefined {
    const { path, uid } = this.place;
    try {
      // A real write, since what SQLite keeps in memory says nothing about the disk; and room for more.
      this.access.setSetting('probe', `${Date.now()}`);
      const { bavail, bsize } = statfsSync(this.#dataDir);
      if (bavail * bsize >= MIN_FREE_BYTES) return undefined;
      return `only ${Math.floor((bavail * bsize) / 1024)} KiB are free at ${path}`;
    } catch (cause) {
      return `${path} can't be written by uid ${uid}: ${cause instanceof Error ? cause.message : cause}`;
    }
  }

  sizeBytes(): number {
    const pages = this.#db.pragma('page_count', { simple: true }) as number;
    return pages * (this.#db.pragma('page_size', { simple: true }) as number);
  }

  #remove(row: Row): void {
    // An index on tags.seq would cost every insert; what to remove stands in the event itself.
    const { seq } = row;
    const event = eventOf(row);
    for (const [name, value] of indexedTags(event)) this.#statements.removeTag.run(name, value, event.created_at, seq);
    if (isSearchable(event.kind)) this.#words.remove(seq);
    const endsAtSec = expiresAt(event);
    if (endsAtSec !== undefined) this.#statements.removeExpiration.run(endsAtSec, seq);
    this.#statements.remove.run(seq);
  }

  close(): void {
    try {
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (cause) {
      // On a full disk it can't be: the WAL then stays beside the file and is read at the next start, nothing is lost.
      if (!(cause instanceof Database.SqliteError)) throw cause;
    } finally {
      this.#db.close();
      this.#release();
    }
  }
}

function eventOf({ seq, json }: Row): NostrEvent {
  const event = parseEvent(JSON.parse(json));
  if (!event.ok) throw new Error(`the stored event with seq ${seq} is damaged: ${event.error.message}`);
  return event.value;
}

function isNewer(event: StorableEvent, id: Buffer, held: Version): boolean {
  if (event.created_at !== held.created_at) return event.created_at > held.created_at;
  return id.compare(held.id) < 0;
}
