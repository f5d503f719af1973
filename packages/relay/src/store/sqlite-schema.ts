/** Marks the file as ours ("HLGR"), so that another program's SQLite file is never written to. */
export const APPLICATION_ID = 0x484c4752;
/** The layout below; a file with a higher number was written by a later Heliograph. */
export const SCHEMA_VERSION = 3;

/**
 * `address` is the `a` value of what has one newest version, so replacing is a look-up. Every index ends in
 * (created_at DESC, id): the order of answers, so a LIMIT reads only the rows it gives. `tags` repeats what the order
 * and the kind need, so a tag query touches `events` only for rows it gives. Deletion requests are ordinary rows and
 * serve as the tombstones of what they delete.
 */
const EVENTS = `
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    pubkey BLOB NOT NULL,
    kind INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    address TEXT UNIQUE,
    json TEXT NOT NULL
  );
  CREATE INDEX events_by_author ON events (pubkey, created_at DESC, id);
  CREATE INDEX events_by_author_kind ON events (pubkey, kind, created_at DESC, id);
  CREATE INDEX events_by_kind ON events (kind, created_at DESC, id);
  CREATE INDEX events_by_time ON events (created_at DESC, id);
  CREATE TABLE tags (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    id BLOB NOT NULL,
    kind INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (name, value, created_at DESC, id)
  ) WITHOUT ROWID;
`;

/**
 * `expirations` holds the few events that will be over, so that the others pay nothing (NIP-40). `search` is an index of
 * words without the text; its words are normalized by us, and the tokenizer only cuts them at spaces (NIP-50). `keys`,
 * `banned_events` and `settings` are what the operator decided while the relay ran (NIP-86).
 */
const VERSION_2 = `
  CREATE TABLE expirations (at INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (at, seq)) WITHOUT ROWID;
  CREATE VIRTUAL TABLE search USING fts5(words, content='', contentless_delete=1, tokenize='ascii', detail='none');
  CREATE TABLE keys (pubkey BLOB PRIMARY KEY, verdict TEXT NOT NULL CHECK (verdict IN ('allow', 'deny')), reason TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE banned_events (id BLOB PRIMARY KEY, reason TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`;

/** `words_to` is the last seq whose words are in `search`, or that has none. */
const VERSION_3 = `
  INSERT INTO settings (name, value) SELECT 'words_to', COALESCE(MAX(seq), 0) FROM events;
`;

/** What makes an empty file one of this version. */
export const SCHEMA = EVENTS + VERSION_2 + VERSION_3;

/** What brings a file of an earlier version to the next, by the version it has. */
export const UPGRADES: Readonly<Record<number, string>> = { 1: VERSION_2, 2: VERSION_3 };
