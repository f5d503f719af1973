import type { Crypto } from '@heliograph/wire';
import type { StoredRecord } from './record.ts';
import { RecordNotes } from './record-notes.ts';
import { prepareAll } from './record-sql.ts';
import { RowRefs } from './row-refs.ts';
import { EMPTY_SHOWN, EMPTY_TOLD } from './schema.ts';
import { inTransaction, type SqlDatabase } from './sql.ts';

/**
 * Takes away all that is shown, whatever it says, and notes anew what single records tell, in one transaction. The numbers
 * of agents, streams and sessions stay, and what was told of streams and keys where some of the records are gone. Turns are not made: their streams are `behind` in the ViewStore then. `records`:
 * all of the file, in their order, read through another handle. Throws what SQLite throws, with nothing changed.
 */
export function rebuildShown(db: SqlDatabase, records: Iterable<StoredRecord>, crypto: Crypto): void {
  inTransaction(db, () => {
    db.exec(EMPTY_SHOWN);
    // What was told in records that retention removed can't be told again.
    if (db.prepare("SELECT 1 FROM statements WHERE type = 'tombstone'").get() === undefined) db.exec(EMPTY_TOLD);
    const sql = prepareAll(db);
    const notes = new RecordNotes(sql, new RowRefs(sql), false);
    // What was found in a record before it was replaced stands there already.
    for (const record of records) notes.takeStored(record, [], crypto);
  });
}
