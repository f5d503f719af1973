import { createReader, rebuildShown, ViewStore } from '@heliograph/record';
import type { Crypto } from '@heliograph/wire';
import type Database from 'better-sqlite3';
import { Indexer } from './indexer.ts';
import { packer } from './packer.ts';

/**
 * Folds what the views do not show yet. `reading`: the same file, through a handle that only reads, or `db` itself. No key is
 * needed and nothing is signed. Throws what SQLite throws.
 */
export function makeViews(db: Database.Database, reading: Database.Database, crypto: Crypto): void {
  const meta = (name: string) =>
    (db.prepare('SELECT value FROM meta WHERE name = ?').get(name) as { value: string } | undefined)?.value;
  const indexer = new Indexer({
    // A secret seen only now stays replaced in the views; the records are as they were signed.
    store: { meta, redact: () => {} },
    views: new ViewStore(db),
    reader: createReader(reading, packer, crypto),
    crypto,
    nowSec: () => 0,
  });
  for (const _ of indexer.catchUp());
}

/** Takes away all that a file shows and makes it anew from its records; parameters and errors as for `makeViews`. */
export function remakeViews(db: Database.Database, reading: Database.Database, crypto: Crypto): void {
  rebuildShown(db, createReader(reading, packer, crypto).records(), crypto);
  makeViews(db, reading, crypto);
}
