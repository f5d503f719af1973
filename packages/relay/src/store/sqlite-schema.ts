/** Marks the file as ours ("HLGR"), so that another program's SQLite file is never written to. */
export const APPLICATION_ID = 0x484c4752;
/** The layout below; a file with a higher number was written by a later Heliograph. */
export const SCHEMA_VERSION = 1;

/**
 * `address` is the `a` value of what has one newest version, so replacing is a look-up. Every index ends in
 * (created_at DESC, id): the order of answers, so a LIMIT reads only the rows it gives. `tags` repeats what the order
 * and the kind need, so a tag query touches `events` only for rows it gives. Deletion requests are ordinary rows and
 * serve as the tombstones of what they delete.
 */
export const SCHEMA = `
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
