import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nobleCrypto } from '@heliograph/crypto/noble';
import { type Filter, signEvent, type VerifiedEvent } from '@heliograph/wire';
import Database from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { indexedTags } from './event-store.ts';
import { databaseFile } from './sqlite-file.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from './sqlite-schema.ts';
import { openSqliteStore } from './sqlite-store.ts';

const root = mkdtempSync(join(tmpdir(), 'heliograph-upgrade-'));
afterAll(() => rmSync(root, { recursive: true }));

/** What made a file of each earlier version of what the one before had made. */
const OLD_SCHEMAS = [
  `CREATE TABLE events (
     seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, pubkey BLOB NOT NULL, kind INTEGER NOT NULL,
     created_at INTEGER NOT NULL, address TEXT UNIQUE, json TEXT NOT NULL
   );
   CREATE INDEX events_by_author ON events (pubkey, created_at DESC, id);
   CREATE INDEX events_by_author_kind ON events (pubkey, kind, created_at DESC, id);
   CREATE INDEX events_by_kind ON events (kind, created_at DESC, id);
   CREATE INDEX events_by_time ON events (created_at DESC, id);
   CREATE TABLE tags (
     name TEXT NOT NULL, value TEXT NOT NULL, created_at INTEGER NOT NULL, id BLOB NOT NULL, kind INTEGER NOT NULL,
     seq INTEGER NOT NULL, PRIMARY KEY (name, value, created_at DESC, id)
   ) WITHOUT ROWID;`,
  `CREATE TABLE expirations (at INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (at, seq)) WITHOUT ROWID;
   CREATE VIRTUAL TABLE search USING fts5(words, content='', contentless_delete=1, tokenize='ascii', detail='none');
   CREATE TABLE keys (pubkey BLOB PRIMARY KEY, verdict TEXT NOT NULL CHECK (verdict IN ('allow', 'deny')), reason TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE banned_events (id BLOB PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;`,
  "INSERT INTO settings (name, value) SELECT 'words_to', COALESCE(MAX(seq), 0) FROM events;",
];

const longWord = 'w'.repeat(3_000);
const made = [
  { kind: 1, created_at: 7, tags: [['t', 'both']], content: `older words ${longWord}` },
  {
    kind: 1,
    created_at: 7,
    tags: [
      ['t', 'both'],
      ['expiration', '50'],
    ],
    content: 'older, and over at 50',
  },
  { kind: 30_023, created_at: 8, tags: [['d', 'page']], content: 'the only version' },
  { kind: 7, created_at: 9, tags: [], content: '+' },
].map((template) => signEvent(template, new Uint8Array(32).fill(1), nobleCrypto));
const [note, passing, page, like] = made as [VerifiedEvent, VerifiedEvent, VerifiedEvent, VerifiedEvent];

/** A file as the version of that number kept these events. */
function fileOf(version: number): { folder: string; path: string } {
  const folder = mkdtempSync(join(root, 'relay-'));
  const path = databaseFile(folder);
  const db = new Database(path);
  db.exec(OLD_SCHEMAS.slice(0, version).join(''));
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${version}`);
  const event = db.prepare('INSERT INTO events VALUES (?, unhex(?), unhex(?), ?, ?, ?, ?)');
  const tag = db.prepare('INSERT INTO tags (seq, name, value, created_at, id, kind) VALUES (?, ?, ?, ?, unhex(?), ?)');
  for (const [seq, { id, pubkey, kind, created_at, tags, content, json }] of [...made.entries()]) {
    const address = kind === 30_023 ? `${kind}:${pubkey}:page` : null;
    event.run(seq + 1, id, pubkey, kind, created_at, address, json);
    for (const [name, value] of indexedTags({ kind, created_at, tags, content })) {
      tag.run(seq + 1, name, value, created_at, id, kind);
    }
  }
  if (version >= 2)
    db.exec("INSERT INTO expirations VALUES (50, 2); INSERT INTO search (rowid, words) VALUES (1, 'older words')");
  if (version >= 2) db.exec(`INSERT INTO keys VALUES (x'${'aa'.repeat(32)}', 'allow', 'friend')`);
  if (version >= 3) db.exec("UPDATE settings SET value = 3 WHERE name = 'words_to'");
  db.close();
  return { folder, path };
}

it.each([1, 2, 3])(
  'RL50, RL137: a file of schema %i is brought up to date after a copy of it was made: all is found as it was, by word too',
  (version) => {
    const { folder, path } = fileOf(version);
    // What a start that was killed in the middle had copied.
    writeFileSync(join(folder, 'relay-schema.unfinished'), 'half a copy');
    writeFileSync(join(folder, 'relay-schema.unfinished-journal'), 'half a journal');
    const store = openSqliteStore(folder);
    if (!store.ok) throw new Error(store.error.message);
    const scope = { reader: { pubkey: undefined, kinds: undefined }, nowSec: 49, maxEvents: 10, maxBytes: 1e6 };
    const found = (filter: Filter, nowSec = 49): string[] => {
      const answer = store.value.query(filter, { ...scope, nowSec });
      return answer.map(({ json }) => json);
    };
    const notes = [note, passing].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ json }) => json);
    expect(found({})).toEqual([like.json, page.json, ...notes]);
    expect(found({ '#t': ['both'] })).toEqual(notes);
    expect(found({ authors: [note.pubkey], kinds: [1], until: 7 })).toEqual(notes);
    expect(found({ search: 'older' })).toEqual(notes);
    expect(found({ search: 'older' }, 50)).toEqual([note.json]);
    expect(found({ search: longWord })).toEqual([note.json]);
    expect(found({ search: 'version' })).toEqual([page.json]);
    expect(store.value.write([page, like] as never)).toEqual(['duplicate', 'duplicate']);
    expect(store.value.access.keys()).toHaveLength(version === 1 ? 0 : 1);
    expect(store.value.remove(like.id)).toBe(true);
    store.value.close();
    const upgraded = new Database(path, { readonly: true });
    expect(upgraded.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION);
    expect(upgraded.pragma('integrity_check', { simple: true })).toBe('ok');
    const tables = upgraded.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'old%'").all();
    expect(tables).toEqual([]);
    upgraded.close();
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
    const [copy = ''] = readdirSync(folder).filter((name) => name.startsWith(`relay-schema-${version}-`));
    expect(statSync(join(folder, copy)).mode & 0o777).toBe(0o600);
    const before = new Database(join(folder, copy), { readonly: true });
    expect(before.pragma('user_version', { simple: true })).toBe(version);
    expect(before.prepare('SELECT json FROM events ORDER BY seq').pluck().all()).toEqual(made.map(({ json }) => json));
    before.close();
  },
);
