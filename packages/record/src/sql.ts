/** A value SQLite keeps. */
export type SqlValue = number | bigint | string | Uint8Array | null;

/** A prepared statement; better-sqlite3's has this shape. */
export interface SqlStatement {
  run(...values: SqlValue[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...values: SqlValue[]): unknown;
  all(...values: SqlValue[]): unknown[];
  iterate(...values: SqlValue[]): Iterable<unknown>;
}

/** An open SQLite file, handed in by the program; better-sqlite3's handle has this shape. Faults are thrown as it throws them. */
export interface SqlDatabase {
  prepare(sql: string): SqlStatement;
  exec(sql: string): unknown;
}

/** Runs `act` in one write transaction: all of it is kept, or nothing and what it threw is thrown on. */
export function inTransaction<T>(db: SqlDatabase, act: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const value = act();
    db.exec('COMMIT');
    return value;
  } catch (cause) {
    // A full disk may have ended the transaction already.
    try {
      db.exec('ROLLBACK');
    } catch {
      throw cause;
    }
    throw cause;
  }
}

/** Compresses stored text, handed in by the program (node:zlib); `unpack` throws on damaged bytes or more than `maxBytes`. */
export interface Packer {
  pack(bytes: Uint8Array): Uint8Array;
  unpack(bytes: Uint8Array, maxBytes: number): Uint8Array;
}
