/** Marks the file as ours ("HLGR"), so that another program's SQLite file is never written to. */
export const APPLICATION_ID = 0x484c4752;
/** The layout below; a file with a higher number was written by a later Heliograph. */
export const SCHEMA_VERSION = 4;

/**
 * `address` is the `a` value of what has one newest version, so replacing is a look-up; only of what has one it is indexed.
 * Every index goes by (created_at, seq), read backwards: so an event is added where the one before it was, and a
 * transaction writes few pages, where an order by id would spread it over all of a second's. Of one second the answer's order (by id)
 * is made when it is read. The indexes and `tags` repeat what the order, the kinds and what is private need, so `events` is touched only for
 * rows that are given. Deletion requests are ordinary rows and serve as the tombstones of what they delete.
 */
const EVENTS = `
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    pubkey BLOB NOT NULL,
    kind INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    address TEXT,
    json TEXT NOT NULL
  );
  CREATE TABLE tags (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    id BLOB NOT NULL,
    kind INTEGER NOT NULL,
    PRIMARY KEY (name, value, created_at, seq)
  ) WITHOUT ROWID;
`;

const INDEXES = `
  CREATE UNIQUE INDEX events_by_address ON events (address) WHERE address IS NOT NULL;
  CREATE INDEX events_by_author ON events (pubkey, created_at, seq, id, kind);
  CREATE INDEX events_by_author_kind ON events (pubkey, kind, created_at, seq, id);
  CREATE INDEX events_by_kind ON events (kind, created_at, seq, id);
  CREATE INDEX events_by_time ON events (created_at, seq, id, kind);
`;

const WORDS =
  "CREATE VIRTUAL TABLE search USING fts5(words, content='', contentless_delete=1, tokenize='ascii', detail='none');";

/**
 * `expirations` holds the few events that will be over, so that the others pay nothing (NIP-40). `search` is an index of
 * words without the text (NIP-50): the tokenizer cuts at what is no ASCII letter or digit, and what is not ASCII is normalized by us. `keys`,
 * `banned_events` and `settings` are what the operator decided while the relay ran (NIP-86).
 */
const VERSION_2 = `
  CREATE TABLE expirations (at INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (at, seq)) WITHOUT ROWID;
  ${WORDS}
  CREATE TABLE keys (pubkey BLOB PRIMARY KEY, verdict TEXT NOT NULL CHECK (verdict IN ('allow', 'deny')), reason TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE banned_events (id BLOB PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

/** `words_to` is the last seq whose words are in `search`, or that has none. */
const VERSION_3 = `
  INSERT INTO settings (name, value) SELECT 'words_to', COALESCE(MAX(seq), 0) FROM events;
`;

/** The tables and indexes of version 4 in the place of those before; words are indexed anew by who upgrades. */
const VERSION_4 = `
  ALTER TABLE events RENAME TO old_events;
  ALTER TABLE tags RENAME TO old_tags;
  DROP INDEX events_by_author;
  DROP INDEX events_by_author_kind;
  DROP INDEX events_by_kind;
  DROP INDEX events_by_time;
  ${EVENTS}
  INSERT INTO events (seq, id, pubkey, kind, created_at, address, json)
    SELECT seq, id, pubkey, kind, created_at, address, json FROM old_events ORDER BY seq;
  INSERT INTO tags (name, value, created_at, seq, id, kind)
    SELECT name, value, created_at, seq, id, kind FROM old_tags ORDER BY name, value, created_at, seq;
  DROP TABLE old_events;
  DROP TABLE old_tags;
  ${INDEXES}
  DROP TABLE search;
  ${WORDS}
  UPDATE settings SET value = 0 WHERE name = 'words_to';
`;

/** What makes an empty file one of this version. */
export const SCHEMA = EVENTS + INDEXES + VERSION_2 + VERSION_3;

/** What brings a file of an earlier version to the next, by the version it has. */
export const UPGRADES: Readonly<Record<number, string>> = { 1: VERSION_2, 2: VERSION_3, 3: VERSION_4 };
